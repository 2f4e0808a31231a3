import { LANE_PROMISES, type LaneName } from '../advice.ts';
import { feeRatio, type History, wholeWei } from './history.ts';
import { SortedValues } from './rolling.ts';

/** Whose median low tip is the usual tip. */
const USUAL_BLOCKS = 10;
/** Number of blocks whose tips bound the advice: an hour on mainnet. */
const BOUND_BLOCKS = 300;
/** Number of blocks for the quantiles: Fast may miss one in a hundred, which takes many blocks to measure. */
const TRAILING_BLOCKS = 2_000;
/** Slightly above the target shares, so that the actual share varies around an acceptable value. */
const FAST_AIM = 0.993;
const AVERAGE_AIM = 0.955;
/** How far one miss moves a level: small against 1 / blocks until a verdict. */
const STEP = 0.005;
const LOWEST_LEVEL = 0.5;
/** Slow can choose among many blocks and needs only the usual ones. */
const SLOW_SHARE = 0.9;

export type Tips = Readonly<Record<LaneName, number>>;

/** The tip of each lane: the lowest that reaches its target share. 0 when no tips are known. */
export function createTipModel(history: History) {
  const usual = history.column(LANE_PROMISES.average.withinBlocks + 1);
  const lately = history.rolling(history.lowTip, new SortedValues(), USUAL_BLOCKS);
  const bounds = history.rolling(history.lowTip, new SortedValues(), BOUND_BLOCKS);
  const fullness = history.rolling(history.gasUsedRatio, new SortedValues(), BOUND_BLOCKS);
  const multiples = {
    fast: createMultiple('fast', FAST_AIM),
    average: createMultiple('average', AVERAGE_AIM),
  };

  /**
   * Included tips as multiples of the usual tip before them: tips drift by the hour, the multiple does not. The lane's own
   * verdicts steer the level of the quantile (adaptive conformal inference, Gibbs and Candès 2021), for low caps too.
   */
  function createMultiple(lane: LaneName, aim: number) {
    const { withinBlocks } = LANE_PROMISES[lane];
    const needed = history.column(TRAILING_BLOCKS + withinBlocks);
    const window = history.rolling(needed, new SortedValues(), TRAILING_BLOCKS, withinBlocks);
    const level = history.column(2);
    return {
      push(verdict: number | null): void {
        const { head, oldest, origin, lowTip } = history;
        const before = head > origin ? level.at(head - 1) : aim;
        const moved = verdict === null ? before : before + STEP * (aim - verdict);
        level.put(head, Math.min(Math.max(moved, LOWEST_LEVEL), 1));
        const since = head - withinBlocks;
        if (since < oldest) return;
        let lowest = Number.POSITIVE_INFINITY;
        for (let block = since + 1; block <= head; block += 1) lowest = Math.min(lowest, lowTip.at(block));
        needed.put(since, feeRatio(lowest, usual.at(since)));
      },
      /** Wei per gas, at most the highest tip of the last hour: a multiple of a tiny tip may be anything. */
      offer(): number {
        const multiple = window.tally.quantile(level.at(history.head));
        const usually = usual.at(history.head);
        const most = bounds.tally.quantile(1) ?? 0;
        if (multiple === null || Number.isNaN(usually)) return most;
        return Math.min(wholeWei(Math.ceil(Math.max(usually, 1) * multiple)), most);
      },
    };
  }

  return {
    /** Ingests the head's tips and the verdicts that it settled: 1 for included, 0, or `null` for none. */
    push({ fast, average }: Readonly<Record<LaneName, number | null>>): void {
      multiples.fast.push(fast);
      multiples.average.push(average);
      usual.put(history.head, lately.tally.quantile(0.5) ?? Number.NaN);
    },
    /** A block without transactions has no tips. */
    get areKnown(): boolean {
      return bounds.tally.size > 0 && (fullness.tally.quantile(1) ?? 0) > 0;
    },
    /** Wei per gas. A lane that waits longer never tips more. */
    advised(): Tips {
      const fast = multiples.fast.offer();
      const average = Math.min(multiples.average.offer(), fast);
      return { slow: Math.min(bounds.tally.quantile(SLOW_SHARE) ?? average, average), average, fast };
    },
  };
}
