import { type Advice, LANES } from '../advice.ts';
import type { Block } from '../block.ts';
import { FeeEngine } from '../fee-engine.ts';
import type { FeeRule } from '../fee-rule.ts';
import { type HorizonScore, judgeHorizon } from './judge-horizon.ts';
import { judgeWaits, type WaitScore } from './judge-waits.ts';
import { type LaneReport, reportLane } from './lane-report.ts';
import { Offerings } from './offerings.ts';
import { Past } from './past.ts';
import { Said } from './said.ts';
import { type StretchFacts, stretchFacts } from './stretch-facts.ts';

export interface BacktestReport {
  readonly stretch: StretchFacts;
  /** The advice given at these blocks is judged; what lies before was learned from, what lies behind only judges. */
  readonly judged: { readonly from: number; readonly to: number; readonly blocks: number };
  /** Fast, Average, Slow. */
  readonly lanes: readonly LaneReport[];
  /** Shortest first. */
  readonly horizons: readonly HorizonScore[];
  /** Seconds of those that could not be judged: nothing was stated, or no time was over when the recording was. */
  readonly unjudgedHorizons: readonly number[];
  /** The advice to wait, each kind that was given and could be judged. */
  readonly waits: readonly WaitScore[];
}

/** What was said at one block, for whoever scores it elsewhere. */
export interface Prediction {
  readonly block: number;
  readonly advice: Advice;
}

export interface BacktestStep {
  /** Share of the work that is done, 0 to 1. */
  readonly done: number;
  /** What was said at the block just shown, if it is one of those to judge. */
  readonly prediction: Prediction | null;
}

export interface BacktestOptions {
  /** In order and without gaps. */
  readonly blocks: readonly Block[];
  readonly feeRule: FeeRule;
  /** The first and the last block, by number, whose advice is judged. */
  readonly from?: number;
  readonly to?: number;
}

/** How much of the work lies in the walk; the rest is judging. */
const WALK_SHARE = 0.9;

/**
 * Walks a recorded stretch block by block: the engine and all other rules are shown each block and asked before they see
 * the next, then all that was said is judged. Yields after every block and now and then while it judges.
 * @throws RangeError for no blocks.
 */
export function* backtest(options: BacktestOptions): Generator<BacktestStep, BacktestReport> {
  const { blocks, feeRule, from = 0, to = Number.POSITIVE_INFINITY } = options;
  const stretch = stretchFacts(blocks, feeRule);
  const engine = new FeeEngine({ feeRule });
  const past = new Past(blocks.length);
  const said = new Said(blocks.length);
  const others = new Offerings(blocks.length);
  const given: number[] = [];
  for (const [at, block] of blocks.entries()) {
    engine.push(block);
    const advice = engine.advice();
    past.push(block, Number(advice?.nextBaseFee ?? block.baseFeePerGas));
    others.ask(past);
    const isJudged = advice !== null && block.number >= from && block.number <= to;
    if (isJudged) {
      given.push(at);
      said.put(at, advice);
    }
    const prediction = isJudged ? { block: block.number, advice } : null;
    yield { done: (WALK_SHARE * (at + 1)) / blocks.length, prediction };
  }
  const lanes: LaneReport[] = [];
  for (const lane of LANES.toReversed()) {
    lanes.push(reportLane(past, said, given, others.of(lane), lane));
    yield { done: WALK_SHARE + ((1 - WALK_SHARE) * lanes.length) / (LANES.length + 1), prediction: null };
  }
  const horizons = said.horizons.flatMap(
    (sec) => judgeHorizon(past, (at) => said.target(sec, at), given, sec) ?? [],
  );
  return {
    stretch,
    judged: {
      from: Math.max(from, stretch.firstBlock),
      to: Math.min(to, stretch.lastBlock),
      blocks: given.length,
    },
    lanes,
    horizons,
    unjudgedHorizons: said.horizons.filter((sec) => !horizons.some(({ horizonSec }) => horizonSec === sec)),
    waits: judgeWaits(past, said.waits, given.length),
  };
}
