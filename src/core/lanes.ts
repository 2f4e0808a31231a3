import { LANE_PROMISES, LANES, type Lane, type LaneName } from './advice.ts';
import { highestBaseFee } from './base-fee-bounds.ts';
import { feeRatio, scaledFee, wholeWei } from './fee-ratio.ts';
import type { FeeRule } from './fee-rule.ts';
import type { Column, History } from './history.ts';
import { LaneScorer } from './lane-scorer.ts';
import { Rolling } from './rolling.ts';
import { SortedValues } from './sorted-values.ts';
import { SteeredLevel } from './steered-level.ts';

/** Blocks that quantiles are taken over, and how many of them it takes to trust one. */
const TRAILING_BLOCKS = 600;
const LEAST_BLOCKS = 100;
/** How far one miss moves Slow's level. */
const SLOW_STEP = 0.002;
/** Where neither formula nor history bounds the next blocks: the doubling that wallets use. */
const BLIND_RISE = 2;

/** What is known at the head about the blocks to come. Wei per gas. */
export interface Outlook {
  readonly nextBaseFee: bigint;
  readonly formulaHolds: boolean;
  readonly tips: Readonly<Record<LaneName, number>>;
}

/** The three lanes: advises at every block, and judges its own advice as the blocks come. */
export class LaneBook {
  readonly #history: History;
  readonly #rule: FeeRule;
  readonly #scorers: Readonly<Record<LaneName, LaneScorer>>;
  readonly #slowLevel: SteeredLevel;
  /** Highest base fee of the next 2 (3) blocks over what was known of the next one. */
  readonly #worstOfTwo: Column;
  readonly #worstOfThree: Column;
  /** Lowest price of the next 25 blocks that Slow's tip could have met, over that of sending at once. */
  readonly #bestOfSlow: Column;
  readonly #fastRatios: Rolling<SortedValues>;
  readonly #averageRatios: Rolling<SortedValues>;
  readonly #slowRatios: Rolling<SortedValues>;

  constructor(history: History, rule: FeeRule) {
    this.#history = history;
    this.#rule = rule;
    this.#scorers = {
      slow: new LaneScorer(history, 'slow'),
      average: new LaneScorer(history, 'average'),
      fast: new LaneScorer(history, 'fast'),
    };
    this.#slowLevel = new SteeredLevel(history, LANE_PROMISES.slow.target, SLOW_STEP);
    const keep = TRAILING_BLOCKS + LANE_PROMISES.slow.withinBlocks;
    this.#worstOfTwo = history.column(keep);
    this.#worstOfThree = history.column(keep);
    this.#bestOfSlow = history.column(keep);
    this.#fastRatios = new Rolling(this.#worstOfTwo, new SortedValues());
    this.#averageRatios = new Rolling(this.#worstOfThree, new SortedValues());
    this.#slowRatios = new Rolling(this.#bestOfSlow, new SortedValues());
  }

  /** Judges what the head settles, learns from it and advises anew. */
  push(outlook: Outlook): void {
    this.#scorers.fast.judge();
    this.#scorers.average.judge();
    const kept = this.#scorers.slow.judge();
    this.#slowLevel.push(kept ?? 0, kept === null ? 0 : 1);
    this.#observe();
    this.followHead();
    for (const lane of LANES) {
      const cap = this.#cap(lane, outlook);
      this.#scorers[lane].record(cap, Math.min(outlook.tips[lane], cap));
    }
  }

  followHead(): void {
    for (const lane of LANES) this.#scorers[lane].followHead();
    this.#fastRatios.moveTo(this.#history.settled(LANE_PROMISES.fast.withinBlocks, TRAILING_BLOCKS));
    this.#averageRatios.moveTo(this.#history.settled(LANE_PROMISES.average.withinBlocks, TRAILING_BLOCKS));
    this.#slowRatios.moveTo(this.#history.settled(LANE_PROMISES.slow.withinBlocks, TRAILING_BLOCKS));
  }

  scorer(lane: LaneName): LaneScorer {
    return this.#scorers[lane];
  }

  /** The head's advice for one lane. */
  advice(lane: LaneName, blockSec: number): Lane {
    const scorer = this.#scorers[lane];
    const { head, sendNow } = this.#history;
    const cap = scorer.capAt(head);
    const price = Math.min(wholeWei(sendNow.at(head) * scorer.meanPaidRatio), cap);
    return {
      price: BigInt(price),
      maxFeePerGas: BigInt(cap),
      maxPriorityFeePerGas: BigInt(scorer.tipAt(head)),
      withinBlocks: scorer.withinBlocks,
      waitSec: { p50: scorer.waitBlocks(0.5) * blockSec, p95: scorer.waitBlocks(0.95) * blockSec },
      probability: scorer.probability,
    };
  }

  #observe(): void {
    const { head, oldest } = this.#history;
    if (head - 2 >= oldest) this.#worstOfTwo.put(head - 2, this.#worstRatio(head - 2));
    if (head - 3 >= oldest) this.#worstOfThree.put(head - 3, this.#worstRatio(head - 3));
    const slow = head - LANE_PROMISES.slow.withinBlocks;
    if (slow >= oldest) this.#bestOfSlow.put(slow, this.#bestRatio(slow));
  }

  #worstRatio(since: number): number {
    const { head, baseFee, nextBaseFee } = this.#history;
    let worst = 0;
    for (let block = since + 1; block <= head; block += 1) worst = Math.max(worst, baseFee.at(block));
    return feeRatio(worst, nextBaseFee.at(since));
  }

  #bestRatio(since: number): number {
    const { head, ask, lowTip, sendNow } = this.#history;
    const tip = this.#scorers.slow.tipAt(since);
    let best = Number.POSITIVE_INFINITY;
    for (let block = since + 1; block <= head; block += 1) {
      if (lowTip.at(block) > tip) continue;
      best = Math.min(best, ask.at(block));
    }
    // Out of reach for that tip whatever the cap: nothing to learn about caps.
    return best === Number.POSITIVE_INFINITY ? Number.NaN : feeRatio(best, sendNow.at(since));
  }

  #cap(lane: LaneName, outlook: Outlook): number {
    switch (lane) {
      case 'fast':
        return wholeWei(this.#worstCase(LANE_PROMISES.fast.withinBlocks, outlook) + outlook.tips.fast);
      case 'average':
        return this.#averageCap(outlook);
      case 'slow':
        return this.#slowCap(outlook);
    }
  }

  /** The highest base fee that the next `blocks` blocks may ask for. */
  #worstCase(blocks: number, { nextBaseFee, formulaHolds }: Outlook): number {
    if (formulaHolds) return Number(highestBaseFee(nextBaseFee, blocks - 1, this.#rule));
    const seen = blocks === LANE_PROMISES.fast.withinBlocks ? this.#fastRatios : this.#averageRatios;
    const rise = seen.tally.size >= LEAST_BLOCKS ? (seen.tally.quantile(1) ?? BLIND_RISE) : BLIND_RISE;
    return scaledFee(Number(nextBaseFee), Math.max(rise, 1));
  }

  #averageCap(outlook: Outlook): number {
    const worst = this.#worstCase(LANE_PROMISES.average.withinBlocks, outlook);
    const ratios = this.#averageRatios.tally;
    const usual = ratios.size >= LEAST_BLOCKS ? ratios.quantile(LANE_PROMISES.average.target) : null;
    const survives = usual === null ? worst : scaledFee(Number(outlook.nextBaseFee), Math.max(usual, 1));
    return wholeWei(Math.min(survives, worst) + outlook.tips.average);
  }

  /** The price that the next 25 blocks fall to often enough; until that is known, Average's. */
  #slowCap(outlook: Outlook): number {
    const ratios = this.#slowRatios.tally;
    const ratio = ratios.size >= LEAST_BLOCKS ? ratios.quantile(this.#slowLevel.value) : null;
    if (ratio === null) return this.#averageCap(outlook);
    return Math.min(
      scaledFee(this.#history.sendNow.at(this.#history.head), ratio),
      this.#averageCap(outlook),
    );
  }
}
