import { type Advice, LANE_PROMISES, LANES, type LaneName } from '../advice.ts';
import type { Block } from '../block.ts';
import { FeeEngine } from '../fee-engine.ts';
import type { FeeRule } from '../fee-rule.ts';
import { type HorizonScore, judgeHorizon, type Target } from './judge-horizon.ts';
import { foresightOffers, judgeLane, type LaneScore } from './judge-lane.ts';
import { naiveOffers } from './naive-rule.ts';
import type { Offer } from './offer.ts';
import { PEERS } from './peers.ts';
import { type Stretch, stretchOf } from './stretch.ts';

export interface RuleScore extends LaneScore {
  readonly name: string;
}

export interface LaneReport {
  readonly lane: LaneName;
  readonly withinBlocks: number;
  readonly target: number;
  readonly own: LaneScore;
  /** Each over the very blocks that `own` was judged on. */
  readonly rules: readonly RuleScore[];
}

export interface BacktestReport {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly blocks: number;
  readonly hasTips: boolean;
  readonly lanes: readonly LaneReport[];
  readonly horizons: readonly HorizonScore[];
}

/** What was said at one block, for whoever scores it elsewhere. */
export interface Prediction {
  readonly block: number;
  readonly advice: Advice;
}

export interface BacktestOptions {
  readonly blocks: readonly Block[];
  readonly feeRule: FeeRule;
  /** Blocks before this one are learned from and not judged. */
  readonly judgeFrom?: number;
  readonly onPrediction?: (prediction: Prediction) => void;
}

/**
 * Walks a recorded stretch block by block: the engine is shown each block and asked before it sees the next, then all
 * that was said is judged. Yields the share done, 0 to 1, now and then, and returns the report.
 */
export function* backtest(options: BacktestOptions): Generator<number, BacktestReport> {
  const { blocks, feeRule, judgeFrom = 0 } = options;
  const engine = new FeeEngine({ feeRule });
  const said: (Advice | null)[] = [];
  for (const [index, block] of blocks.entries()) {
    engine.push(block);
    const advice = engine.advice();
    said.push(block.number >= judgeFrom ? advice : null);
    if (advice !== null) options.onPrediction?.({ block: block.number, advice });
    if (index % 512 === 0) yield index / blocks.length;
  }
  const stretch = stretchOf(blocks, feeRule);
  return {
    firstBlock: stretch.number[0] ?? 0,
    lastBlock: stretch.number[stretch.length - 1] ?? 0,
    blocks: stretch.length,
    hasTips: stretch.hasTips,
    lanes: LANES.map((lane) => reportLane(stretch, said, lane)),
    horizons: reportHorizons(stretch, said),
  };
}

function reportLane(blocks: Stretch, said: readonly (Advice | null)[], lane: LaneName): LaneReport {
  const promise = LANE_PROMISES[lane];
  const stated = said.map((advice) => advice?.lanes[lane].probability ?? null);
  const own = said.map((advice): Offer | null => {
    if (advice === null) return null;
    const { maxFeePerGas, maxPriorityFeePerGas } = advice.lanes[lane];
    return { cap: Number(maxFeePerGas), tip: Number(maxPriorityFeePerGas) };
  });
  const rule = (name: string, offers: readonly (Offer | null)[]): RuleScore => ({
    name,
    ...judgeLane(
      blocks,
      offers.map((offer, at) => (stated[at] === null ? null : offer)),
      promise,
    ),
  });
  const rules = PEERS.map((peer) =>
    rule(
      peer.name,
      said.map((_, at) => peer.offer(blocks, at, lane)),
    ),
  );
  if (lane === 'slow') rules.push(rule('naive rule', naiveOffers(blocks)));
  rules.push(rule('perfect foresight', foresightOffers(blocks, promise.withinBlocks)));
  return { lane, ...promise, own: judgeLane(blocks, own, promise, stated), rules };
}

function reportHorizons(blocks: Stretch, said: readonly (Advice | null)[]): HorizonScore[] {
  const horizons = said.find((advice) => advice !== null)?.recommendation.alternatives ?? [];
  return horizons.flatMap(({ horizonSec }, index) => {
    const targets = said.map((advice): Target | null => {
      const target = advice?.recommendation.alternatives[index];
      return target === undefined ? null : { price: Number(target.price), probability: target.probability };
    });
    return judgeHorizon(blocks, targets, horizonSec) ?? [];
  });
}
