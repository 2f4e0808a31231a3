import { readFile } from 'node:fs/promises';
import { HORIZONS_SEC } from '../../src/core/advice.ts';
import { type Given, judgeHorizon, judgeWaits } from '../../src/core/backtest/judge.ts';
import { Past } from '../../src/core/backtest/past.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { createHistory } from '../../src/core/engine/history.ts';
import { createHorizons } from '../../src/core/engine/horizons.ts';
import { advisedAction, decide } from '../../src/core/engine/recommendation.ts';
import { BLOCKS_PER_DAY, simulateDay, timestampOf } from '../../src/core/simulation.ts';

/** What one row, or the waits of one patience, came to over all seeds. Shares 0 to 1. */
interface Total {
  readonly sec: number;
  readonly judged: number;
  readonly stated: number;
  readonly kept: number;
  /** Mean saving as stated, of waits alone, and as it came, against the next block's price. */
  readonly expectedSaving: number;
  readonly saving: number;
}

/** The advice on simulated chains: no recording is long enough for rows of hours and days. */
export interface SimulatedScore {
  readonly seeds: number;
  readonly days: number;
  /** Blocks at which advice was judged, of all seeds. */
  readonly arrivals: number;
  readonly horizons: readonly Total[];
  readonly patience: readonly Total[];
}

export const SIMULATED_FILE = new URL('../../docs/advice-simulated.json', import.meta.url);

const FIRST_DAY = 3_600;
/** As long as the engine looks back. */
const HISTORY_DAYS = 8;
/** Advice is judged once a minute: neighbouring blocks say the same. */
const JUDGED_EVERY = 5;

/** Walks the chains of the seeds 1 to `seeds`, each for so many days and as if nothing had come before. */
export function simulatedScore(seeds: number, days: number): SimulatedScore {
  const rows: Total[] = [];
  const waits: Total[] = [];
  let arrivals = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { past, given } = walk(seed, days);
    arrivals += given.length;
    for (const [index, sec] of HORIZONS_SEC.entries()) {
      const row = judgeHorizon(past, given, sec);
      if (row !== null) rows.push({ ...row, sec, expectedSaving: 0 });
      const advised = given.map(({ at, waits: found }) => ({ at, wait: found[index] ?? null }));
      waits.push(...judgeWaits(past, advised).map((each) => ({ ...each, sec })));
    }
    process.stderr.write(`seed ${seed} of ${seeds}\n`);
  }
  const total = (all: readonly Total[]) => HORIZONS_SEC.map((sec) => totalOf(sec, all));
  return { seeds, days, arrivals, horizons: total(rows), patience: total(waits) };
}

const BARE_BLOCK = {
  ...{ hash: null, parentHash: null, gasUsed: null, gasLimit: null, gasUsedRatio: 0, tips: null },
  ...{ blobBaseFee: null, nextBaseFee: null, nextBlobBaseFee: null },
};

interface Advised extends Pick<Given, 'at' | 'targets'> {
  /** By patience, in the order of the horizons. */
  readonly waits: readonly Given['wait'][];
}

/** The chain's base fees, in wei, for so many days and one block more. */
function baseFeesOf(seed: number, days: number): Float64Array {
  const fees = new Float64Array(days * BLOCKS_PER_DAY + 1);
  for (let day = 0; day < days; day += 1) {
    fees.set(simulateDay(seed, FIRST_DAY + day).baseFee, day * BLOCKS_PER_DAY);
  }
  return fees;
}

/** Rows and waits alone, as if all tips were 0; the whole engine would take three times as long. */
function walk(seed: number, days: number) {
  const { blockTimeSec } = ETHEREUM_FEE_RULE;
  const fees = baseFeesOf(seed, days);
  const history = createHistory(HISTORY_DAYS * BLOCKS_PER_DAY);
  const horizons = createHorizons(history, blockTimeSec);
  const past = new Past();
  const given: Advised[] = [];
  for (let at = 0; at + 1 < fees.length; at += 1) {
    const number = FIRST_DAY * BLOCKS_PER_DAY + at;
    const [fee = 0, next = 0] = fees.subarray(at, at + 2);
    history.moveHead(number);
    history.time.put(number, timestampOf(number));
    history.ask.put(number, fee);
    history.sendNow.put(number, next);
    horizons.push(null, false);
    history.follow();
    past.push({ ...BARE_BLOCK, number, timestamp: timestampOf(number), baseFeePerGas: BigInt(fee) }, next);
    if (at % JUDGED_EVERY > 0) continue;
    const forecasts = horizons.forecasts();
    const waits = HORIZONS_SEC.map((patienceSec) => {
      const wait = decide(forecasts, patienceSec);
      const action = advisedAction(wait);
      if (wait?.probability == null || action === 'SEND_NOW') return null;
      const { price, probability, savingRatio, horizonSec } = wait;
      return { action, price, deadlineSec: horizonSec, probability, expectedSaving: savingRatio ?? 0 };
    });
    given.push({ at, targets: forecasts, waits });
  }
  return { past, given };
}

function totalOf(sec: number, all: readonly Total[]): Total {
  const found = all.filter((each) => each.sec === sec);
  const judged = found.reduce((sum, each) => sum + each.judged, 0);
  const mean = (of: 'stated' | 'kept' | 'saving' | 'expectedSaving') =>
    found.reduce((sum, each) => sum + each[of] * each.judged, 0) / judged;
  const [stated, kept] = [mean('stated'), mean('kept')];
  return { sec, judged, stated, kept, expectedSaving: mean('expectedSaving'), saving: mean('saving') };
}

export const readSimulated = async (): Promise<SimulatedScore> =>
  JSON.parse(await readFile(SIMULATED_FILE, 'utf8')) as SimulatedScore;

export function writtenSimulated(score: SimulatedScore): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(6)) : value;
  return `${JSON.stringify(score, rounded, 2)}\n`;
}
