import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LANES } from '../../src/core/advice.ts';
import type { AlertRule } from '../../src/core/alerts/alert-rule.ts';
import type { PaidWork, RelativeThreshold } from '../../src/core/threshold/threshold.ts';
import { evaluateAlerts } from '../../src/store/alert-evaluation.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { dollarBasis } from '../store/alerts/dollar-basis.ts';
import { priced, runOf } from '../store/alerts/priced-blocks.ts';
import type { Workshop } from './programs.ts';
import { atMost, compare, inTurns, median, type Row } from './row.ts';
import { insertAlerts } from './stored-rows.ts';

const FEW = 1_000;
const MANY = 100_000;
const DAY_BLOCKS = 7_200;
const ROUNDS = 200;
const WARMING = 50;
const SWEEPS = 6;
/** A gwei, about which the base fees of the day before go up and down by half. */
const PRICE = 1_000_000_000;
const USD = 1_000;

/** What evaluation takes of a block's transaction that wakes no alert, with 1,000 and with 100,000 armed, in turns. */
export async function measureAlerts({ folder }: Workshop): Promise<Row[]> {
  const few = await openWith(folder, 'few', FEW, inGwei);
  const many = await openWith(folder, 'many', MANY, inGwei);
  const rules = await openWith(folder, 'rules', MANY, mixed);
  const [ours, theirs] = await inTurns(ROUNDS, [many.evaluate, few.evaluate], WARMING);
  const [third, gwei] = await inTurns(ROUNDS, [rules.evaluate, many.evaluate], WARMING);
  const jumps: Sweep[] = [];
  const wobbles: Sweep[] = [];
  const history: Sweep[] = [];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const [usd, other] = sweep % 2 === 0 ? [USD, USD * 1.02] : [USD * 1.02, USD];
    wobbles.push(await rules.sweep({ usd: usd * 1.001 }));
    jumps.push(await rules.sweep({ usd: other }));
    history.push(await rules.sweep({ skip: 25 }));
  }
  for (const each of [few, many, rules]) await each.close();
  const all = MANY.toLocaleString('en');
  return [
    compare({
      measure: `a block that wakes none of ${all} armed alerts, evaluation`,
      ours: [median(ours)],
      against: `itself with ${FEW.toLocaleString('en')}`,
      theirs: [median(theirs)],
      unit: 'µs',
      runs: `from medians of ${ROUNDS}`,
      budget: (ratio) => [atMost(ratio, 2)],
    }),
    compare({
      measure: `the same, a third of each in gwei, in dollars and against history`,
      ours: [median(third)],
      against: 'itself with all in gwei',
      theirs: [median(gwei)],
      unit: 'µs',
      runs: `from medians of ${ROUNDS}`,
      budget: (ratio) => [atMost(ratio, 1.2)],
    }),
    sweepRow('a coin price that moves none of these by 0.5 %, evaluation', wobbles),
    sweepRow(`a coin price that moves a third of ${all} alerts, evaluation`, jumps),
    sweepRow('five minutes that move another third, evaluation', history),
  ];
}

interface Sweep {
  readonly ms: number;
  /** The longest that the process served nothing else. */
  readonly blockedMs: number;
}

const sweepRow = (measure: string, sweeps: readonly Sweep[]) =>
  compare({
    measure,
    ours: sweeps.map(({ ms }) => ms),
    against: 'of which the process served nothing else for at most',
    theirs: sweeps.map(({ blockedMs }) => blockedMs),
    unit: 'ms',
    runs: `over ${sweeps.length}`,
  });

/** No price comes near: from 1 % on. */
const awayOf = (place: number) => PRICE / 100 + ((place * 7_919) % (PRICE / 2));
const isLess = (place: number) => place % 2 === 0;

const inGwei = (place: number): Partial<AlertRule> => ({
  lane: LANES[place % LANES.length] ?? 'average',
  condition: isLess(place) ? 'LESS_THAN' : 'GREATER_THAN',
  threshold: BigInt(PRICE + (isLess(place) ? -awayOf(place) : awayOf(place))),
});

const WORK: readonly PaidWork[] = [
  { action: 'swap' },
  { action: 'transfer' },
  { gas: 200_000 },
  { gas: 1_000_000 },
];

function mixed(place: number): Partial<AlertRule> {
  const { lane, condition } = inGwei(place);
  const written = place % 3 === 1 ? inDollars(place) : againstHistory(place);
  return place % 3 === 0
    ? inGwei(place)
    : { lane, condition, threshold: 1n, relative: { written, since: null, reason: null } };
}

function inDollars(place: number): RelativeThreshold {
  const work = WORK[place % WORK.length] ?? { gas: 21_000 };
  const gas = dollarBasis(USD).gasOf(work) ?? 0;
  const price = PRICE + (isLess(place) ? -3 : 3) * awayOf(place) * 0.3;
  return { kind: 'usd', usd: Number((((price * gas) / 1e18) * USD).toPrecision(9)), work };
}

function againstHistory(place: number): RelativeThreshold {
  const windowSec = [21_600, 43_200, 72_000][place % 3] ?? 21_600;
  if (isLess(place) && place % 5 === 0)
    return { kind: 'belowMedian', ratio: 0.3 + (place % 100) / 1_000, windowSec };
  return { kind: 'percentile', percentile: isLess(place) ? 1 + (place % 10) : 90 + (place % 10), windowSec };
}

async function openWith(
  folder: string,
  name: string,
  alerts: number,
  rule: (place: number) => Partial<AlertRule>,
) {
  const database = await openDatabase(join(folder, `alerts-${name}.db`));
  const store = new BlockStore(database);
  await store.saveBlocks(makeBlocks(0, DAY_BLOCKS - 1));
  await insertAlerts(database, alerts, rule);
  let next = DAY_BLOCKS;
  let usd = USD;
  const at = (number: number) => ({ ...priced(number, PRICE), basis: dollarBasis(usd) });
  await store.saveBlocks([at(next).block], null, runOf([at(next)]));
  const evaluate = () =>
    database.queries.transaction().execute(async (trx) => {
      next += 1;
      const run = runOf([at(next)]);
      const from = performance.now();
      await evaluateAlerts(trx, run);
      return (performance.now() - from) * 1_000;
    });
  return {
    evaluate,
    /** A block at which the coin costs so much, or after so many others. */
    async sweep(move: { readonly usd?: number; readonly skip?: number }): Promise<Sweep> {
      usd = move.usd ?? usd;
      next += move.skip ?? 0;
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const ms = (await evaluate()) / 1_000;
      delay.disable();
      // Without a sample it was blocked all the time.
      return { ms, blockedMs: delay.count === 0 ? ms : delay.max / 1e6 };
    },
    close: () => database.close(),
  };
}
