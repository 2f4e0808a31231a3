import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { LanePrices } from '../../../src/core/advice.ts';
import {
  type AlertPhase,
  type AlertRule,
  ARMED,
  type DollarBasis,
  noPast,
  type PricedBlock,
  stepAlert,
  stepMissed,
} from '../../../src/core/alerts/alert-rule.ts';
import type { RelativeThreshold } from '../../../src/core/threshold/threshold.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { blockHash, makeBlock } from '../../helpers/chain-blocks.ts';
import { emptyDatabase, SLOW_ENGINES, wipe } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { rounds } from '../../helpers/rounds.ts';
import { temporaryFolder } from '../../helpers/service.ts';
import { FAILURES } from './failing-writes.ts';
import { priced, savePriced } from './priced-blocks.ts';
import { insertAlerts, readAlerts, storedAlert } from './stored-alerts.ts';

/** Rules over prices, a coin and L1 fees that all move, beside an evaluation of its own of what was recorded. */

const GAS = 1_000_000_000n;
const HOUR_SEC = 3_600;
const SLOT_SEC = 300;
/** Five blocks in five minutes. */
const SPACING_SEC = 60;
/** History before the first evaluated block: an hour and forty minutes. */
const FIRST = 100;
const TIPS = { slow: 1, average: 2, fast: 3 } as const;
type Lane = keyof typeof TIPS;

/** What was known at a block. `coin`: cents, `fee`: wei; `null`: missing. */
interface Recorded {
  readonly prices: LanePrices;
  readonly coin: number | null;
  readonly fee: bigint | null;
  readonly base: bigint;
  /** Whether anything was known of coin and fee. */
  readonly isAsked: boolean;
}

/** Most of it within the 0.5 % by which a stored price may be behind. */
const near = <Value>(close: fc.Arbitrary<Value>, wide: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: close }, { weight: 2, arbitrary: wide });
const around = near(fc.bigInt({ min: 1_985n, max: 2_015n }), fc.bigInt({ min: 1_700n, max: 2_300n }));
const recorded: fc.Arbitrary<Recorded> = fc.record({
  prices: fc.record({ slow: around, average: around, fast: around }),
  // Small moves, which stored prices do not follow, greater ones, and jumps of 30 %.
  coin: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 199_500, max: 200_500 }) },
    { weight: 3, arbitrary: fc.integer({ min: 190_000, max: 210_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(260_000, 140_000, null) },
  ),
  fee: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0n, 0n, 4n * GAS) },
    { weight: 1, arbitrary: fc.constantFrom(1_000n * GAS, 2_000n * GAS, null) },
  ),
  base: near(fc.bigInt({ min: 1_960n, max: 2_000n }), fc.bigInt({ min: 1_500n, max: 2_500n })),
  isAsked: fc.oneof(
    { weight: 9, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
});

type Happening =
  | { readonly kind: 'blocks'; readonly recorded: readonly Recorded[]; readonly isMissed: boolean }
  | { readonly kind: 'reorg'; readonly depth: number }
  | { readonly kind: 'gap'; readonly blocks: number }
  | { readonly kind: 'again' | 'restart' | 'failure' };

const blocks = fc.record({
  kind: fc.constant('blocks' as const),
  recorded: fc.array(recorded, { minLength: 1, maxLength: 20 }),
  isMissed: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});
const reorg = fc.record({ kind: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 8 }) });
const gap = fc.record({ kind: fc.constant('gap' as const), blocks: fc.integer({ min: 1, max: 4 }) });
const other = fc.record({
  kind: fc.constantFrom('again' as const, 'restart' as const, 'failure' as const),
});
const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: blocks },
    { weight: 2, arbitrary: reorg },
    { weight: 1, arbitrary: gap },
    { weight: 2, arbitrary: other },
  ),
  { minLength: 1, maxLength: 12 },
);

/** Millionths of a dollar for the work. */
const usd = near(fc.integer({ min: 3_970, max: 4_030 }), fc.integer({ min: 3_800, max: 6_200 }));
const work = { gas: Number(GAS) };
const written: fc.Arbitrary<RelativeThreshold> = fc.oneof(
  usd.map((millionths) => ({ kind: 'usd' as const, usd: Number((millionths * 1e-6).toFixed(6)), work })),
  usd.map((millionths) => ({
    ...{ kind: 'share' as const, ratio: 0.02, work },
    ofUsd: Number((millionths * 5e-5).toFixed(5)),
  })),
  fc.integer({ min: 1, max: 99 }).map((percentile) => ({
    ...{ kind: 'percentile' as const, percentile, windowSec: HOUR_SEC },
  })),
  fc.integer({ min: 1, max: 20 }).map((percent) => ({
    ...{ kind: 'belowMedian' as const, ratio: percent / 100, windowSec: HOUR_SEC },
  })),
);

const ruled: fc.Arbitrary<AlertRule> = fc.record({
  lane: fc.constantFrom('slow', 'average', 'fast'),
  condition: fc.constantFrom('LESS_THAN', 'GREATER_THAN'),
  threshold: fc.constant(1n),
  relative: written.map((rule) => ({ written: rule, since: null, reason: null })),
  hysteresis: fc.constantFrom(0n, 5n, 200n),
  confirmBlocks: fc.integer({ min: 1, max: 4 }),
  cooldownMs: fc.constantFrom(0, 1, 60_000, 150_000, 300_000),
  disableOnce: fc.boolean(),
});

const timeOf = (number: number) => makeBlock(0).timestamp + number * SPACING_SEC;

const blockOf = (number: number, fork: number, base: bigint) =>
  makeBlock(number, {
    hash: blockHash(number, fork),
    timestamp: timeOf(number),
    baseFeePerGas: base,
    tips: [0n, 10n, 20n, 30n, 0n, 0n, 0n],
  });

const basisOf = ({ coin, fee }: Recorded): DollarBasis => ({
  key: `${coin} ${fee}`,
  nativeUsd: coin === null ? null : coin / 100,
  gasOf: () => Number(GAS),
  dataFeeOf: () => fee,
  pastPrice: noPast,
});

/** The chain as it was recorded: base fees by number. */
type Chain = ReadonlyMap<number, bigint>;

/** Rounded down for a price below, up for one above. */
const rounded = (units: bigint, per: bigint, isLess: boolean) =>
  isLess ? units / per : (units + per - 1n) / per;

/** The price that a rule in dollars stands for; `null`: it waits. */
function dollarPriceOf(rule: AlertRule, { coin, fee }: Recorded): bigint | null {
  const { relative, condition } = rule;
  if (relative == null || !('work' in relative.written) || coin === null || fee === null) return null;
  const isLess = condition === 'LESS_THAN';
  const dollars = relative.written.kind === 'usd' ? relative.written.usd : relative.written.ofUsd * 0.02;
  const limit = rounded(BigInt(Math.round(dollars * 1e6)) * 10n ** 14n, BigInt(coin), isLess);
  if (limit <= fee) return isLess ? null : 0n;
  const price = rounded(limit - fee, GAS, isLess);
  return isLess && price === 0n ? null : price;
}

/** The same of a rule against history, of the hour before the five minutes of `timestamp`. */
function pastPriceOf(rule: AlertRule, chain: Chain, timestamp: number): bigint | null {
  const { relative, condition, lane } = rule;
  if (relative == null || 'work' in relative.written) return null;
  const end = timestamp - (timestamp % SLOT_SEC);
  const stored = [...chain].filter(([number]) => {
    const slot = timeOf(number) - (timeOf(number) % SLOT_SEC);
    return slot >= end - HOUR_SEC && slot < end;
  });
  const numbers = stored.map(([number]) => number);
  const expected = Math.max(...numbers) - Math.min(...numbers) + 1;
  if (stored.length === 0 || stored.length / expected < 0.95) return null;
  const slots = Map.groupBy(stored, ([number]) => Math.floor(timeOf(number) / SLOT_SEC));
  const tip = TIPS[lane as Lane] * 10;
  const means = [...slots.values()]
    .map((all) => all.reduce((sum, [, base]) => sum + Number(base), 0) / all.length + tip)
    .sort((a, b) => a - b);
  const { written: past } = relative;
  const at = ((means.length - 1) * (past.kind === 'percentile' ? past.percentile : 50)) / 100;
  const [low = 0, high = 0] = [means[Math.floor(at)], means[Math.ceil(at)]];
  const price = BigInt(Math.round(low + (high - low) * (at - Math.floor(at))));
  if (past.kind === 'percentile') return price;
  return rounded(price * BigInt(100 - Math.round(past.ratio * 100)), 100n, condition === 'LESS_THAN');
}

class ModelAlert {
  readonly rule: AlertRule;
  phase: AlertPhase = ARMED;
  readonly fired: { number: number; threshold: bigint }[] = [];
  missed = 0;
  #seen = -1;
  #slot = -1;
  #past: bigint | null = null;

  constructor(rule: AlertRule) {
    this.rule = rule;
  }

  see({ block, prices, isMissed }: PricedBlock, known: Recorded, chain: Chain): void {
    const { number, timestamp } = block;
    if (this.#seen !== -1 && number !== this.#seen + 1) {
      this.#confirmAnew(-1);
      if (this.phase.kind === 'cooling') this.phase = { ...this.phase, mustLeave: false };
    }
    this.#seen = number;
    const slot = Math.floor(timestamp / SLOT_SEC);
    if (slot !== this.#slot) this.#past = pastPriceOf(this.rule, chain, timestamp);
    this.#slot = slot;
    const isInDollars = 'work' in (this.rule.relative?.written ?? {});
    const passesOver = isInDollars && (isMissed || !known.isAsked);
    const threshold = isInDollars ? dollarPriceOf(this.rule, known) : this.#past;
    // Whether its condition held nobody knows.
    if (passesOver || threshold === null) {
      this.#confirmAnew(-1);
      return;
    }
    const { relative: _, ...rule } = this.rule;
    const at = { number, timestamp, price: prices[this.rule.lane as Lane] };
    if (isMissed) {
      const { phase, missesFiring } = stepMissed({ ...rule, threshold }, this.phase, at);
      this.phase = phase;
      if (missesFiring) this.missed += 1;
    } else {
      const { phase, fires } = stepAlert({ ...rule, threshold }, this.phase, at);
      this.phase = phase;
      if (fires) this.fired.push({ number, threshold });
    }
  }

  rewindTo(number: number): void {
    if (this.#seen > number) this.#slot = -1;
    this.#seen = Math.min(this.#seen, number);
    this.#confirmAnew(number);
  }

  #confirmAnew(number: number): void {
    if (this.phase.kind === 'armed' && (this.phase.trueSince ?? -1) > number) this.phase = ARMED;
  }
}

test.each(SLOW_ENGINES)(
  'each firing of a rule is one that what was recorded finds at that block, none twice, none lost, on %s',
  async (engine) => {
    const server = engine === 'PostgreSQL' ? await emptyDatabase(engine) : null;
    const folder = await temporaryFolder();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(ruled, { minLength: 1, maxLength: 8 }), happenings, async (rules, story) => {
        if (server !== null) await wipe(server);
        const path = server ?? join(folder, `${runs++}.db`);
        const [breaks, mends] = FAILURES[engine];
        let database = await openDatabase(path);
        let store = new BlockStore(database);
        const chain = new Map<number, bigint>();
        const before = Array.from({ length: FIRST }, (_, number) => {
          chain.set(number, BigInt(1_930 + ((number * 7_919) % 100)));
          return blockOf(number, 0, chain.get(number) ?? 0n);
        });
        await store.saveBlocks(before);
        const models = rules.map((rule) => new ModelAlert(rule));
        await insertAlerts(database, ...rules.map((rule, place) => storedAlert(`a${place}`, rule)));
        let next = FIRST;
        let fork = 0;
        let last: readonly PricedBlock[] = [];
        for (const happening of story) {
          switch (happening.kind) {
            case 'blocks':
              last = happening.recorded.map((known, place) => ({
                block: blockOf(next + place, fork, known.base),
                prices: known.prices,
                isMissed: happening.isMissed,
                basis: known.isAsked ? basisOf(known) : null,
              }));
              next += last.length;
              await savePriced(store, ...last);
              // All of a batch are stored before the first is evaluated.
              for (const { block } of last) chain.set(block.number, block.baseFeePerGas);
              for (const [place, known] of happening.recorded.entries()) {
                const each = last[place];
                if (each !== undefined) for (const model of models) model.see(each, known, chain);
              }
              break;
            case 'again':
              await savePriced(store, ...last);
              break;
            case 'reorg':
              next = Math.max(FIRST, next - happening.depth);
              fork += 1;
              last = [];
              await store.rewindTo(next - 1);
              for (const number of chain.keys()) if (number >= next) chain.delete(number);
              for (const model of models) model.rewindTo(next - 1);
              break;
            case 'gap':
              next += happening.blocks;
              last = [];
              break;
            case 'restart':
              await database.close();
              database = await openDatabase(path);
              store = new BlockStore(database);
              break;
            case 'failure': {
              await sql.raw(breaks).execute(database.queries);
              const lost = { ...priced(next, 1n, { timestamp: timeOf(next) }), basis: basisOf(CHEAP) };
              await expect(savePriced(store, lost)).rejects.toThrow();
              await sql.raw(mends).execute(database.queries);
            }
          }
        }
        const found = await readAlerts(database);
        const { queries } = database;
        const events = await queries
          .selectFrom('alert_events')
          .select(['id', 'block_number as number'])
          .orderBy('id')
          .execute();
        const messages = await queries
          .selectFrom('deliveries')
          .select('message')
          .orderBy('event_id')
          .execute();
        await database.close();
        expect(
          found.map(({ phase, triggerCount, missedCount }) => ({ phase, triggerCount, missedCount })),
        ).toEqual(
          models.map(({ phase, fired, missed }) => ({
            ...{ phase, triggerCount: fired.length, missedCount: missed },
          })),
        );
        const expected = models
          .flatMap(({ fired }, place) =>
            fired.map((firing, index) => ({ id: `a${place}.${index + 1}`, ...firing })),
          )
          .sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(events).toEqual(expected.map(({ id, number }) => ({ id, number })));
        const said = messages.map(({ message }) => (JSON.parse(message) as { threshold: string }).threshold);
        expect(said).toEqual(expected.map(({ threshold }) => String(threshold)));
      }),
      { numRuns: rounds(400), seed: 7 },
    );
  },
);

const CHEAP: Recorded = {
  prices: { slow: 0n, average: 0n, fast: 0n },
  ...{ coin: 200_000, fee: 0n, base: 1n, isAsked: true },
};
