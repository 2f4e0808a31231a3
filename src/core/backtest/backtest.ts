import { type Advice, HORIZONS_SEC, type Horizon, LANES } from '../advice.ts';
import type { Block, BlockTips } from '../block.ts';
import { type FeeRule, gasUsedRatioFromBaseFees } from '../eip1559.ts';
import { FeeEngine } from '../engine/fee-engine.ts';
import { type Given, givenAt, judgeHorizon, judgeWaits, type LaneReport, reportLane } from './judge.ts';
import { Past } from './past.ts';
import { judgePatience, type WaitAdvice } from './patience.ts';

export type BacktestReport =
  ReturnType<typeof backtest> extends Generator<unknown, infer Report> ? Report : never;

export interface Prediction {
  readonly block: number;
  readonly advice: Advice;
  /** For each patience, in seconds, the row to wait for; `null`: send now. */
  readonly waits: readonly { readonly patienceSec: number; readonly wait: Horizon | null }[];
}

export interface BacktestOptions {
  /** In order. A gap counts as an interruption: the engine starts anew after it. */
  readonly blocks: readonly Block[];
  readonly feeRule: FeeRule;
  /** First and last block number whose advice is judged; the engine learns from those before, those after only judge. */
  readonly from?: number;
  readonly to?: number;
  /** Patiences to score, in seconds: those of the horizons where left out. */
  readonly patiencesSec?: readonly number[] | undefined;
}

const NO_TIPS: BlockTips = [0n, 0n, 0n, 0n, 0n, 0n, 0n];
/** Share of the work that is the walk; the rest is judging. */
const WALK_SHARE = 0.9;

/** Advises at each block, then judges all advice beside other rules. Yields the share done (0 to 1). @throws RangeError for no blocks */
export function* backtest({
  blocks,
  feeRule,
  from = 0,
  to = Number.POSITIVE_INFINITY,
  patiencesSec = HORIZONS_SEC,
}: BacktestOptions) {
  const stretch = stretchFacts(blocks, feeRule);
  const engine = new FeeEngine({ feeRule });
  const isTipless = stretch.withTips === 0;
  const past = new Past();
  const given: Given[] = [];
  const waits = patiencesSec.map((patienceSec) => ({
    patienceSec,
    advice: new Map<number, WaitAdvice | null>(),
  }));
  for (const [at, block] of blocks.entries()) {
    if (isAfterGap(block, blocks[at - 1])) engine.rewindTo(-1);
    // A recording of base fees alone is judged as if every block accepted a tip of 0.
    engine.push(isTipless ? { ...block, tips: NO_TIPS } : block);
    const advice = engine.advice();
    past.push(block, Number(advice?.nextBaseFee ?? block.baseFeePerGas));
    const done = (WALK_SHARE * (at + 1)) / blocks.length;
    if (advice === null || block.number < from || block.number > to) {
      yield { done, prediction: null };
      continue;
    }
    given.push(givenAt(at, advice));
    const said = waits.map(({ patienceSec }) => ({ patienceSec, wait: engine.waitFor(patienceSec) }));
    for (const [index, { wait }] of said.entries()) waits[index]?.advice.set(at, waitAdvice(wait));
    const prediction: Prediction = { block: block.number, advice, waits: said };
    yield { done, prediction };
  }
  const lanes: LaneReport[] = [];
  for (const lane of LANES.toReversed()) {
    lanes.push(reportLane(past, given, lane));
    yield { done: WALK_SHARE + ((1 - WALK_SHARE) * lanes.length) / (LANES.length + 1), prediction: null };
  }
  const secs = [...new Set(given.flatMap(({ targets }) => targets.map(({ horizonSec }) => horizonSec)))];
  const horizons = secs.sort((a, b) => a - b).flatMap((sec) => judgeHorizon(past, given, sec) ?? []);
  return {
    stretch,
    judged: {
      from: Math.max(from, stretch.firstBlock),
      to: Math.min(to, stretch.lastBlock),
      blocks: given.length,
    },
    lanes,
    horizons,
    /** In seconds: those that could not be judged: nothing was stated, or none ended within the recording. */
    unjudgedHorizons: secs.filter((sec) => !horizons.some(({ horizonSec }) => horizonSec === sec)),
    waits: judgeWaits(past, given),
    patience: waits.flatMap(({ patienceSec, advice }) => judgePatience(past, advice, patienceSec) ?? []),
  };
}

const waitAdvice = (row: Horizon | null): WaitAdvice | null =>
  row === null ? null : { price: Number(row.price), withinSec: row.horizonSec, probability: row.probability };

const isAfterGap = (block: Block, before: Block | undefined) => before?.number !== block.number - 1;

export type StretchFacts = ReturnType<typeof stretchFacts>;

/** The figures of a recording. Wei per gas; Unix seconds. @throws RangeError for no blocks. */
function stretchFacts(blocks: readonly Block[], rule: FeeRule) {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a stretch has blocks');
  const fees = blocks.map((block) => block.baseFeePerGas).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    firstBlock: first.number,
    lastBlock: last.number,
    blocks: blocks.length,
    gaps: blocks.filter((block, at) => at > 0 && isAfterGap(block, blocks[at - 1])).length,
    firstTime: first.timestamp,
    lastTime: last.timestamp,
    baseFee: { lowest: fees[0] ?? 0n, median: fees[fees.length >> 1] ?? 0n, highest: fees.at(-1) ?? 0n },
    withTips: blocks.filter((block) => block.tips !== null).length,
    gasUsed: gasUsedOf(blocks, rule),
  };
}

/** `counted`: gas and limit; `ratio`: their ratio only; `derived`: from the base fees, by inverting EIP-1559. */
function gasUsedOf(blocks: readonly Block[], rule: FeeRule): 'counted' | 'ratio' | 'derived' {
  if (blocks.every((block) => block.gasUsed !== null)) return 'counted';
  // Exact equality: no measured ratio has that.
  const isDerived = blocks.every((block, index) => {
    const next = blocks[index + 1];
    if (next?.number !== block.number + 1 || block.gasUsed !== null) return true;
    return block.gasUsedRatio === gasUsedRatioFromBaseFees(block.baseFeePerGas, next.baseFeePerGas, rule);
  });
  return isDerived ? 'derived' : 'ratio';
}
