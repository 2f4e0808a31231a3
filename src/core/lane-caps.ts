import { LANE_PROMISES, type LaneName } from './advice.ts';
import { highestBaseFee } from './base-fee-bounds.ts';
import { feeRatio, scaledFee, wholeWei } from './fee-ratio.ts';
import type { FeeRule } from './fee-rule.ts';
import type { Column, History } from './history.ts';
import type { LaneScorer } from './lane-scorer.ts';
import { Rolling } from './rolling.ts';
import { SortedValues } from './sorted-values.ts';
import { SteeredLevel } from './steered-level.ts';
import type { Tips } from './tips.ts';

/** Blocks that quantiles are taken over, and how many of them it takes to trust one. */
const TRAILING_BLOCKS = 600;
const LEAST_BLOCKS = 100;
/** A little above the promise, so that the share kept sways about what is still enough. */
const SLOW_AIM = 0.91;
/** How far one miss moves Slow's level. */
const SLOW_STEP = 0.005;
/** Where neither formula nor history bounds the next blocks: the doubling that wallets use. */
const BLIND_RISE = 2;

/** What is known at the head about the blocks to come. Wei per gas. */
export interface Outlook {
  readonly nextBaseFee: bigint;
  readonly formulaHolds: boolean;
}

/** The cap that each lane signs: how far the base fee may rise before its blocks, and how far Slow may wait for it to fall. */
export class LaneCaps {
  readonly #history: History;
  readonly #rule: FeeRule;
  readonly #slow: LaneScorer;
  readonly #slowLevel: SteeredLevel;
  /** Highest base fee of the next 2 (3) blocks over what was known of the next one. */
  readonly #worstOfTwo: Column;
  readonly #worstOfThree: Column;
  /** Lowest price of the next 25 blocks that Slow's tip could have met, over that of sending at once. */
  readonly #bestOfSlow: Column;
  readonly #fastRatios: Rolling<SortedValues>;
  readonly #averageRatios: Rolling<SortedValues>;
  readonly #slowRatios: Rolling<SortedValues>;

  constructor(history: History, rule: FeeRule, slow: LaneScorer) {
    this.#history = history;
    this.#rule = rule;
    this.#slow = slow;
    this.#slowLevel = new SteeredLevel(history, SLOW_AIM, SLOW_STEP);
    const keep = TRAILING_BLOCKS + LANE_PROMISES.slow.withinBlocks;
    this.#worstOfTwo = history.column(keep);
    this.#worstOfThree = history.column(keep);
    this.#bestOfSlow = history.column(keep);
    this.#fastRatios = new Rolling(this.#worstOfTwo, new SortedValues());
    this.#averageRatios = new Rolling(this.#worstOfThree, new SortedValues());
    this.#slowRatios = new Rolling(this.#bestOfSlow, new SortedValues());
  }

  /** Learns from the head and from whether the advice to Slow that it settled was kept (`null`: there was none). */
  push(slowKept: number | null): void {
    const { head, oldest } = this.#history;
    this.#slowLevel.push(slowKept ?? 0, slowKept === null ? 0 : 1);
    if (head - 2 >= oldest) this.#worstOfTwo.put(head - 2, this.#worstRatio(head - 2));
    if (head - 3 >= oldest) this.#worstOfThree.put(head - 3, this.#worstRatio(head - 3));
    const slow = head - LANE_PROMISES.slow.withinBlocks;
    if (slow >= oldest) this.#bestOfSlow.put(slow, this.#bestRatio(slow));
    this.followHead();
  }

  followHead(): void {
    this.#fastRatios.moveTo(this.#history.settled(LANE_PROMISES.fast.withinBlocks, TRAILING_BLOCKS));
    this.#averageRatios.moveTo(this.#history.settled(LANE_PROMISES.average.withinBlocks, TRAILING_BLOCKS));
    this.#slowRatios.moveTo(this.#history.settled(LANE_PROMISES.slow.withinBlocks, TRAILING_BLOCKS));
  }

  /** Wei per gas. Who waits longer never signs a higher cap: what Fast survives is enough for Average's first blocks. */
  advised(outlook: Outlook, tips: Tips): Readonly<Record<LaneName, number>> {
    const fast = wholeWei(this.#worstCase(LANE_PROMISES.fast.withinBlocks, outlook) + tips.fast);
    const average = Math.min(this.#average(outlook, tips.average), fast);
    const slow = Math.min(this.#dip() ?? average, average);
    return { slow, average, fast };
  }

  #worstRatio(since: number): number {
    const { head, baseFee, nextBaseFee } = this.#history;
    let worst = 0;
    for (let block = since + 1; block <= head; block += 1) worst = Math.max(worst, baseFee.at(block));
    return feeRatio(worst, nextBaseFee.at(since));
  }

  #bestRatio(since: number): number {
    const { head, ask, lowTip, sendNow } = this.#history;
    const tip = this.#slow.tipAt(since);
    let best = Number.POSITIVE_INFINITY;
    for (let block = since + 1; block <= head; block += 1) {
      if (lowTip.at(block) > tip) continue;
      best = Math.min(best, ask.at(block));
    }
    // Out of reach for that tip whatever the cap: nothing to learn about caps.
    return best === Number.POSITIVE_INFINITY ? Number.NaN : feeRatio(best, sendNow.at(since));
  }

  /** The highest base fee that the next `blocks` blocks may ask for. */
  #worstCase(blocks: number, { nextBaseFee, formulaHolds }: Outlook): number {
    if (formulaHolds) return Number(highestBaseFee(nextBaseFee, blocks - 1, this.#rule));
    const seen = blocks === LANE_PROMISES.fast.withinBlocks ? this.#fastRatios : this.#averageRatios;
    const rise = seen.tally.size >= LEAST_BLOCKS ? (seen.tally.quantile(1) ?? BLIND_RISE) : BLIND_RISE;
    return scaledFee(Number(nextBaseFee), Math.max(rise, 1));
  }

  #average(outlook: Outlook, tip: number): number {
    const worst = this.#worstCase(LANE_PROMISES.average.withinBlocks, outlook);
    const ratios = this.#averageRatios.tally;
    const usual = ratios.size >= LEAST_BLOCKS ? ratios.quantile(LANE_PROMISES.average.target) : null;
    const survives = usual === null ? worst : scaledFee(Number(outlook.nextBaseFee), Math.max(usual, 1));
    return wholeWei(Math.min(survives, worst) + tip);
  }

  /** The price that the next 25 blocks fall to often enough; `null` until that is known. */
  #dip(): number | null {
    const ratios = this.#slowRatios.tally;
    const ratio = ratios.size >= LEAST_BLOCKS ? ratios.quantile(this.#slowLevel.value) : null;
    return ratio === null ? null : scaledFee(this.#history.sendNow.at(this.#history.head), ratio);
  }
}
