import { type Chance, LANE_PROMISES, type LaneName } from '../advice.ts';
import type { FeeRule } from '../eip1559.ts';
import { createCoverageError, feeRatio, type History, scaledFee, wholeWei, within } from './history.ts';
import { extremeBaseFee, type NextBaseFee } from './next-base-fee.ts';
import { SortedValues, shareAtMost, takeRanked, WholeSum } from './rolling.ts';
import { createNearestStates, MEMORY_BLOCKS, NEIGHBOURS, unjudged } from './similar-states.ts';

/** Without a formula for the next blocks: the doubling that wallets use. */
const BLIND_RISE = 2;
/** Average must get in even if it misses its first block. A little above the target: similar blocks are too optimistic. */
const LATE_SHARE = 0.965;

/** Filled and read within one call, as in the search of states. */
const FOUND = new Float64Array(NEIGHBOURS);

/** The cap of each lane: how far the base fee may rise before its blocks, and how far Slow may wait for it to fall. */
export function createLaneCaps(history: History, base: NextBaseFee) {
  const slow = createSlowCap(history);
  const states = createNearestStates(history, withinBlocks);
  /** Lower base fee of the second and third next block, over the known one of the next. */
  const late = history.column(MEMORY_BLOCKS + withinBlocks);

  /** The maximum base fee of the next `blocks` blocks. */
  const worstCase = (blocks: number, next: bigint): number =>
    base.formulaHolds
      ? Number(extremeBaseFee(next, blocks - 1, base.rule, 'full'))
      : wholeWei(BLIND_RISE * Number(next));

  function averageBaseFee(next: bigint, alike: Float64Array | null): number {
    const worst = worstCase(LANE_PROMISES.average.withinBlocks, next);
    if (!base.formulaHolds || alike === null) return worst;
    const usual = takeRanked(late.of(alike, FOUND), Math.ceil(LATE_SHARE * alike.length) - 1);
    return Math.min(scaledFee(Number(next), Math.max(usual, 1)), worst);
  }

  return {
    slow,
    /** `slowKept`: whether the advice to Slow that the head settled was included; `null`: there was none. */
    push(slowTip: number, slowKept: number | null): void {
      const { head, oldest, baseFee, nextBaseFee } = history;
      slow.push(slowTip, slowKept);
      states.push();
      const since = head - 3;
      if (since < oldest) return;
      late.put(since, feeRatio(Math.min(baseFee.at(since + 2), baseFee.at(head)), nextBaseFee.at(since)));
    },
    /** Wei per gas. A lane that waits longer never has a higher cap. */
    advised(
      next: bigint,
      tips: Tips,
      isWarmUp: boolean,
      leastTip: number,
    ): Readonly<Record<LaneName, number>> {
      const fast = wholeWei(worstCase(LANE_PROMISES.fast.withinBlocks, next) + tips.fast);
      const alike = isWarmUp ? null : states.nearest();
      const average = Math.min(wholeWei(averageBaseFee(next, alike) + tips.average), fast);
      const { minBaseFee } = base.rule;
      const floor = minBaseFee === undefined ? leastTip : Number(minBaseFee) + tips.slow;
      return { slow: slow.cap(alike, average, floor), average, fast };
    },
  };
}

const { withinBlocks, target } = LANE_PROMISES.slow;
/** Number of past predictions that the share is measured on, and the minimum that must have been judged. */
const JUDGED_BLOCKS = 1_000;
const LEAST_JUDGED = 100;
/** This many surplus misses move the target share by one; a few hardly move it, because misses come in runs. */
const FULL_ERROR = 30;
const MOST_ERROR = 20;

/** Slow waits as far as the price fell after the target share of similar blocks; a surplus of misses steers that share. */
function createSlowCap(history: History) {
  const { ask, lowTip, sendNow } = history;
  const tips = history.column(withinBlocks);
  /** Signed caps, wei per gas; `NaN` when too few blocks were known. */
  const caps = history.column(withinBlocks);
  /** The lowest price that included that tip, over the price of sending at once; infinite when there was none. */
  const leastRatio = history.column(MEMORY_BLOCKS + withinBlocks);
  const coverageError = createCoverageError(history);
  /** Whether the signed cap was included: 1 or 0. */
  const kept = history.column(JUDGED_BLOCKS + withinBlocks);
  const keptShare = history.rolling(kept, new WholeSum(), JUDGED_BLOCKS, withinBlocks);

  /** The lowest price after block `given` that included its tip. */
  function lowestSince(given: number): number {
    const tip = tips.at(given);
    let lowest = Number.POSITIVE_INFINITY;
    for (let block = given + 1; block <= history.head; block += 1) {
      if (!(lowTip.at(block) > tip)) lowest = Math.min(lowest, ask.at(block));
    }
    return lowest;
  }

  /** Expected coverage error of pending caps: of similar blocks that share fell so low, fewer with less time left. */
  function pendingError(least: Float64Array): number {
    const { head, oldest } = history;
    const now = sendNow.at(head);
    let sum = 0;
    for (let given = Math.max(head - withinBlocks + 1, oldest); given < head; given += 1) {
      const cap = caps.at(given);
      if (Number.isNaN(cap)) continue;
      const isIn = now <= cap || lowestSince(given) <= cap;
      const left = (withinBlocks - (head - given)) / withinBlocks;
      sum += target - (isIn ? 1 : left * shareAtMost(least, feeRatio(cap, now)));
    }
    return sum;
  }

  return {
    /** Ingests the head, Slow's tip there, and whether the advice that it settled was included. */
    push(tip: number, wasKept: number | null): void {
      const { head, oldest } = history;
      const given = head - withinBlocks;
      const isJudged = wasKept !== null && !Number.isNaN(caps.at(given));
      coverageError.push(isJudged ? target - wasKept : 0, MOST_ERROR);
      tips.put(head, tip);
      if (given < oldest) return;
      kept.put(given, isJudged ? wasKept : Number.NaN);
      leastRatio.put(given, feeRatio(lowestSince(given), sendNow.at(given)));
    },
    /** At most `ceiling`, which it equals until enough is known; wei per gas. `blocks`: those with similar prices. */
    cap(blocks: Float64Array | null, ceiling: number, floor: number): number {
      const { head } = history;
      caps.put(head, Number.NaN);
      if (blocks === null) return ceiling;
      const least = leastRatio.of(blocks, FOUND).sort();
      const share =
        target + (within(MOST_ERROR, coverageError.at(head) + pendingError(least)) / FULL_ERROR) ** 3;
      const rank = within(least.length - 1, Math.max(Math.ceil(share * least.length) - 1, 0));
      // Without any surplus it sends at once.
      const ratio = Math.max(least[rank] ?? 1, share < 1 ? 0 : 1);
      const cap = Math.min(Math.max(scaledFee(Math.max(sendNow.at(head), 1), ratio), floor), ceiling);
      caps.put(head, cap);
      return cap;
    },
    /** Probability that the head's cap is included in time; no figure until enough was judged. */
    get chance(): Chance {
      const { head } = history;
      const { count, mean } = keptShare.tally;
      if (Number.isNaN(caps.at(head)) || mean === null || count < LEAST_JUDGED) {
        return unjudged(count, LEAST_JUDGED);
      }
      // If fees hardly ever fall, more succeed than the target at any cap.
      const probability = coverageError.at(head) > -MOST_ERROR ? target : Math.max(mean, target);
      return { probability, reason: null };
    },
  };
}

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

/** Where fewer of the last blocks show a paid tip, they are no evidence for a probability. */
const LEAST_PAID_SHARE = 0.5;

/** The tip of each lane: the lowest that reaches its target share, and that nodes take. 0 when no tips are known. */
export function createTipModel(history: History, { leastTip }: FeeRule) {
  const usual = history.column(LANE_PROMISES.average.withinBlocks + 1);
  const lately = history.rolling(history.lowTip, new SortedValues(), USUAL_BLOCKS);
  const bounds = history.rolling(history.lowTip, new SortedValues(), BOUND_BLOCKS);
  const medians = history.rolling(history.midTip, new SortedValues(), BOUND_BLOCKS);
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
        for (let block = since + 1; block <= head; block += 1) {
          const tip = lowTip.at(block);
          if (!Number.isNaN(tip)) lowest = Math.min(lowest, tip);
        }
        const ratio = feeRatio(lowest, usual.at(since));
        needed.put(since, Number.isFinite(ratio) ? ratio : Number.NaN);
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

  function isThin(): boolean {
    const { head, oldest } = history;
    return bounds.tally.size < LEAST_PAID_SHARE * Math.min(head - oldest + 1, BOUND_BLOCKS);
  }

  /**
   * The least tip that nodes take: as the chain is known for, and as its node suggests where evidence is thin, the tip is all that
   * is paid, or nodes are known to refuse lower ones. What usual blocks pay in the middle bounds that word.
   */
  function leastTaken(): number {
    const known = Number(leastTip ?? 0n);
    if (history.head < 0) return known;
    const said = history.suggestedTip.at(history.head);
    const counts = isThin() || leastTip !== undefined || history.baseFee.at(history.head) === 0;
    if (Number.isNaN(said) || !counts) return known;
    const most = isThin() ? said : (medians.tally.quantile(0.5) ?? said);
    return Math.max(Math.min(said, most), known);
  }

  return {
    leastTaken,
    /** Ingests the head's tips and the verdicts that it settled: 1 for included, 0, or `null` for none. */
    push({ fast, average }: Readonly<Record<LaneName, number | null>>): void {
      multiples.fast.push(fast);
      multiples.average.push(average);
      const { head, origin } = history;
      const before = head > origin ? usual.at(head - 1) : Number.NaN;
      usual.put(head, lately.tally.quantile(0.5) ?? before);
    },
    get areKnown(): boolean {
      return bounds.tally.size > 0 || leastTaken() > 0 || history.suggestedTip.at(history.head) === 0;
    },
    /** Whether too few of the last blocks show what is paid. */
    get isThin(): boolean {
      return isThin();
    },
    /** Wei per gas. A lane that waits longer never tips more. */
    advised(): Tips {
      const least = leastTaken();
      const fast = Math.max(multiples.fast.offer(), least);
      const average = Math.max(Math.min(multiples.average.offer(), fast), least);
      const slow = Math.max(Math.min(bounds.tally.quantile(SLOW_SHARE) ?? average, average), least);
      return { slow, average, fast };
    },
  };
}
