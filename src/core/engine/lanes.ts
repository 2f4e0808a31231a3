import {
  type Chance,
  eachLane,
  LANE_PROMISES,
  LANES,
  type Lane,
  type LaneName,
  type LanePrices,
} from '../advice.ts';
import { feeRatio, fromPpm, type History, toPpm, wholeWei } from './history.ts';
import { createLaneCaps, createTipModel } from './lane-caps.ts';
import type { NextBaseFee } from './next-base-fee.ts';
import { SortedValues, WholeSum } from './rolling.ts';
import { unjudged, unknownChance } from './similar-states.ts';

/** The forecast when blocks came without tips or transactions. */
const UNKNOWN_TIPS = unknownChance('the last blocks show no tips');
/** The forecast when few did. */
const THIN_TIPS = unknownChance('too few of the last blocks show what tip is paid');

/** The three lanes: advises at every block, and judges its own advice as blocks come. */
export function createLaneModel(history: History, base: NextBaseFee) {
  const scorers = eachLane((lane) => createLaneScorer(history, lane));
  const tipModel = createTipModel(history, base.rule);
  const caps = createLaneCaps(history, base);

  function priceOf(lane: LaneName): number {
    const { expectedPrice, highestNext, cap } = scorers[lane];
    // Without known tips the price is the base fee alone, the same in each lane.
    return Math.min(tipModel.areKnown ? wholeWei(expectedPrice) : highestNext, cap.at(history.head));
  }

  function prices(): LanePrices {
    const fast = priceOf('fast');
    const average = Math.min(priceOf('average'), fast);
    const slow = Math.min(priceOf('slow'), average);
    return { slow: BigInt(slow), average: BigInt(average), fast: BigInt(fast) };
  }

  /** Why tips allow no probability; `null` when they do. */
  function whyTipsAreUnknown(): Chance | null {
    if (!tipModel.areKnown) return UNKNOWN_TIPS;
    return tipModel.isThin ? THIN_TIPS : null;
  }

  /** Probability that the head's advice is included in time; `null` when tips or base fees cannot be known. */
  function chance(lane: LaneName): Chance {
    const unknownTips = whyTipsAreUnknown();
    if (unknownTips !== null) return unknownTips;
    if (history.baseFee.at(history.head) >= Number.MAX_SAFE_INTEGER)
      return unknownChance('the base fee is above 9,007,199 gwei');
    if (!base.formulaHolds) return unknownChance('the chain has not kept to its own base fee rule of late');
    return lane === 'slow' ? caps.slow.chance : scorers[lane].chance;
  }

  return {
    scorers,
    prices,
    chance,
    whyTipsAreUnknown,
    /** The least tip that nodes take, wei per gas; 0 when none is known. */
    leastTip: (): number => tipModel.leastTaken(),
    /** What the head's Slow lane promises; `null` while it has no probability. */
    slowPromise() {
      const { probability } = chance('slow');
      return probability === null ? null : { price: scorers.slow.cap.at(history.head), probability };
    },
    /** Judges the advice that the head settles, learns from it, advises anew, and sets the head's `sendNow` and `prices`. */
    push(next: bigint, isWarmUp: boolean): void {
      const { head, sendNow, priority } = history;
      const verdicts = eachLane((lane) => scorers[lane].judge());
      tipModel.push(verdicts);
      const tips = tipModel.advised();
      sendNow.put(head, Number(next) + tips.average);
      caps.push(tips.slow, verdicts.slow);
      const advised = caps.advised(next, tips, isWarmUp, tipModel.leastTaken());
      // Stored to be judged once its blocks have come.
      for (const lane of LANES) {
        scorers[lane].cap.put(head, advised[lane]);
        scorers[lane].tip.put(head, Math.min(tips[lane], advised[lane]));
      }
      const stated = prices();
      for (const lane of LANES) history.prices[lane].put(head, Number(stated[lane]));
      priority.put(head, Math.max(Number(stated.average - next), 0));
    },
    advice(blockSec: number): Readonly<Record<LaneName, Lane>> {
      const { head } = history;
      const stated = prices();
      const { areKnown } = tipModel;
      return eachLane((lane) => {
        const { cap, tip, withinBlocks, waitBlocks } = scorers[lane];
        return {
          price: stated[lane],
          maxFeePerGas: BigInt(cap.at(head)),
          maxPriorityFeePerGas: areKnown ? BigInt(tip.at(head)) : null,
          withinBlocks,
          waitSec: {
            p50: waitBlocks(0.5) * blockSec,
            p95: (areKnown ? waitBlocks(0.95) : withinBlocks) * blockSec,
          },
          ...chance(lane),
        };
      });
    },
  };
}

/** Number of past advice that the stated probability is measured on. */
const JUDGED_BLOCKS = 1_000;
/** Number of past advice that the expected price is measured on. */
const PRICED_BLOCKS = 600;
/** Windows overlap: a share needs this many blocks, and this many windows in sequence. */
const LEAST_JUDGED = 100;
const LEAST_WINDOWS = 12;

export type LaneScorer = ReturnType<typeof createLaneScorer>;

/** Judges one lane's advice at each block once its blocks have come. */
function createLaneScorer(history: History, lane: LaneName) {
  const { baseFee, nextBaseFee, lowTip } = history;
  const { withinBlocks } = LANE_PROMISES[lane];
  const keep = JUDGED_BLOCKS + withinBlocks;
  const cap = history.column(keep);
  const tip = history.column(keep);
  /** Whether the advice was included, 1 or 0; `NaN` when it has not been judged. */
  const kept = history.column();
  const paidBase = history.column(keep);
  /** Against sending in the next block; a miss counts at the price of its last block. */
  const saved = history.column();
  const wait = history.column(keep);
  const keptShare = history.rolling(kept, new WholeSum(), JUDGED_BLOCKS, withinBlocks);
  const baseRatio = history.rolling(paidBase, new WholeSum(), PRICED_BLOCKS, withinBlocks);
  const waits = history.rolling(wait, new SortedValues(), JUDGED_BLOCKS, withinBlocks);

  /** The first block that includes the transaction: `min(tip, cap − base fee)` reaches its low tip. */
  function inclusionOf(given: number): number | null {
    for (let block = given + 1; block <= history.head; block += 1) {
      const asked = lowTip.at(block);
      const left = Math.min(tip.at(given), cap.at(given) - baseFee.at(block));
      if (left >= (Number.isNaN(asked) ? 0 : asked)) return block;
    }
    return null;
  }

  /** The maximum base fee that the advice would pay in the block after `given`. */
  const highestNextAt = (given: number) => Math.min(nextBaseFee.at(given), cap.at(given) - tip.at(given));

  return {
    withinBlocks,
    cap,
    tip,
    kept,
    saved,
    /** Judges the advice whose last block is the head: 1 if included, 0 if not, `null` if there was none. */
    judge(): number | null {
      const { head, oldest } = history;
      const given = head - withinBlocks;
      if (given < oldest) return null;
      const included = inclusionOf(given);
      const isIn = included === null ? 0 : 1;
      const paid = Math.min(cap.at(given), baseFee.at(included ?? head) + tip.at(given));
      kept.put(given, isIn);
      saved.put(given, 1 - feeRatio(isIn ? paid : history.ask.at(head), history.ask.at(given + 1)));
      paidBase.put(given, isIn ? toPpm(feeRatio(paid - tip.at(given), highestNextAt(given))) : Number.NaN);
      wait.put(given, (included ?? head) - given);
      return isIn;
    },
    get highestNext(): number {
      return highestNextAt(history.head);
    },
    get judgedRatio(): number {
      return keptShare.tally.count / JUDGED_BLOCKS;
    },
    /** Share of past advice that was included; no figure until enough was judged. */
    get chance(): Chance {
      const enough = Math.max(LEAST_JUDGED, LEAST_WINDOWS * withinBlocks);
      const { count, mean } = keptShare.tally;
      return count < enough || mean === null ? unjudged(count, enough) : { probability: mean, reason: null };
    },
    /** Wei per gas: the tip is known; the base fee is estimated from what past advice paid where it was included. */
    get expectedPrice(): number {
      const { head } = history;
      const ratio = fromPpm(baseRatio.tally.mean ?? toPpm(1));
      // Slow waits for a lower base fee; the other lanes accept the next block's.
      return highestNextAt(head) * Math.max(ratio, lane === 'slow' ? 0 : 1) + tip.at(head);
    },
    /** The `q` quantile of blocks waited; a miss counts as the whole wait, a rare wait too until enough are judged. */
    waitBlocks(q: number): number {
      const { tally } = waits;
      return q > 0.5 && tally.size < LEAST_JUDGED ? withinBlocks : (tally.quantile(q) ?? 1);
    },
  };
}
