import { LANE_PROMISES, type LaneName } from '../advice.ts';
import type { FeeRule } from '../eip1559.ts';
import { Debt, within } from './debt.ts';
import { type Column, feeRatio, type History, scaledFee, wholeWei } from './history.ts';
import { extremeBaseFee } from './next-base-fee.ts';
import { Rolling, shareAtMost, takeRanked, WholeSum } from './rolling.ts';
import { type Chance, MEMORY_BLOCKS, NearestStates, unjudged } from './similar-states.ts';
import type { Tips } from './tips.ts';

/** Without a formula for the next blocks: the doubling that wallets use. */
const BLIND_RISE = 2;

/**
 * Average must be included even if it misses the first of its blocks. The share is a little above the target, because similar
 * blocks are too optimistic.
 */
const LATE_SHARE = 0.965;

export interface Outlook {
  readonly nextBaseFee: bigint;
  readonly formulaHolds: boolean;
  readonly rule: FeeRule;
}

/** The cap of each lane: how far the base fee may rise before its blocks, and how far Slow may wait for it to fall. */
export class LaneCaps {
  readonly #history: History;
  readonly slow: SlowCap;
  readonly #states: NearestStates;
  /** Lower base fee of the second and third next block, over the known one of the next. */
  readonly #late: Column;

  constructor(history: History) {
    this.#history = history;
    this.slow = new SlowCap(history);
    this.#states = new NearestStates(history, LANE_PROMISES.slow.withinBlocks);
    this.#late = history.column(MEMORY_BLOCKS + LANE_PROMISES.slow.withinBlocks);
  }

  /** `slowKept`: whether the advice to Slow that the head settled was included; `null`: there was none. */
  push(slowTip: number, slowKept: number | null): void {
    const { head, oldest } = this.#history;
    this.slow.push(slowTip, slowKept);
    this.#states.push();
    if (head - 3 >= oldest) this.#learnOfThree(head - 3);
    this.followHead();
  }

  followHead(): void {
    this.slow.followHead();
    this.#states.followHead();
  }

  /** Wei per gas. A lane that waits longer never has a higher cap. */
  advised(outlook: Outlook, tips: Tips, isWarmUp: boolean): Readonly<Record<LaneName, number>> {
    const fast = wholeWei(this.#worstCase(LANE_PROMISES.fast.withinBlocks, outlook) + tips.fast);
    const alike = isWarmUp ? null : this.#states.nearest();
    const average = Math.min(this.#average(outlook, tips.average, alike), fast);
    const slow = this.slow.cap(alike, average, Number(outlook.rule.minBaseFee ?? -tips.slow) + tips.slow);
    return { slow, average, fast };
  }

  #learnOfThree(since: number): void {
    const { baseFee, nextBaseFee } = this.#history;
    const late = Math.min(baseFee.at(since + 2), baseFee.at(since + 3));
    this.#late.put(since, feeRatio(late, nextBaseFee.at(since)));
  }

  /** The maximum base fee of the next `blocks` blocks. */
  #worstCase(blocks: number, { nextBaseFee, formulaHolds, rule }: Outlook): number {
    if (formulaHolds) return Number(extremeBaseFee(nextBaseFee, blocks - 1, rule, 'full'));
    return wholeWei(BLIND_RISE * Number(nextBaseFee));
  }

  #average(outlook: Outlook, tip: number, alike: Float64Array | null): number {
    const worst = this.#worstCase(LANE_PROMISES.average.withinBlocks, outlook);
    const usual = outlook.formulaHolds ? this.#lateRise(alike) : null;
    const survives = usual === null ? worst : scaledFee(Number(outlook.nextBaseFee), Math.max(usual, 1));
    return wholeWei(Math.min(survives, worst) + tip);
  }

  #lateRise(alike: Float64Array | null): number | null {
    if (alike === null) return null;
    const rises = alike.map((block) => this.#late.at(block));
    return takeRanked(rises, Math.ceil(LATE_SHARE * rises.length) - 1);
  }
}

const { withinBlocks, target } = LANE_PROMISES.slow;
/** Number of past predictions that the share is measured on, and the minimum that must have been judged. */
const JUDGED_BLOCKS = 1_000;
const LEAST_JUDGED = 100;
/** This many surplus misses move the target share by one; a few hardly move it, because misses come in runs. */
const FULL_DEBT = 30;
const MOST_DEBT = 20;

/**
 * How far Slow may wait for the price to fall: as far as it fell after the target share of similar blocks. That share is
 * steered by the surplus of misses, so that the actual share equals the target, whatever prices do.
 */
class SlowCap {
  readonly #history: History;
  readonly #tip: Column;
  /** Signed caps, wei per gas; `NaN` when too few blocks were known. */
  readonly #cap: Column;
  /** The lowest price that included that tip, over the price of sending at once; infinite when there was none. */
  readonly #least: Column;
  readonly #debt: Debt;
  /** Whether the signed cap was included: 1 or 0. */
  readonly #kept: Column;
  readonly #keptShare: Rolling<WholeSum>;

  constructor(history: History) {
    this.#history = history;
    this.#tip = history.column(withinBlocks);
    this.#cap = history.column(withinBlocks);
    this.#least = history.column(MEMORY_BLOCKS + withinBlocks);
    this.#debt = new Debt(history);
    this.#kept = history.column(JUDGED_BLOCKS + withinBlocks);
    this.#keptShare = new Rolling(this.#kept, new WholeSum());
  }

  /** Ingests the head, Slow's tip there, and whether the advice that it settled was included. */
  push(tip: number, kept: number | null): void {
    const { head, oldest } = this.#history;
    const given = head - withinBlocks;
    const isJudged = kept !== null && !Number.isNaN(this.#cap.at(given));
    this.#debt.push(isJudged ? target - kept : 0, MOST_DEBT);
    this.#tip.put(head, tip);
    if (given >= oldest) {
      this.#kept.put(given, isJudged ? kept : Number.NaN);
      this.#least.put(given, this.#ratioAt(given, this.#lowestSince(given)));
    }
    this.followHead();
  }

  followHead(): void {
    this.#keptShare.moveTo(this.#history.settled(withinBlocks, JUDGED_BLOCKS));
  }

  /** At most `ceiling`, which it equals until enough is known; wei per gas. `blocks`: those with similar prices. */
  cap(blocks: Float64Array | null, ceiling: number, floor: number): number {
    const { head, sendNow } = this.#history;
    this.#cap.put(head, Number.NaN);
    if (blocks === null) return ceiling;
    const least = blocks.map((block) => this.#least.at(block)).sort();
    const debt = within(MOST_DEBT, this.#debt.at(head) + this.#pendingDebt(least));
    const share = target + (debt / FULL_DEBT) ** 3;
    const rank = within(least.length - 1, Math.max(Math.ceil(share * least.length) - 1, 0));
    // Without any surplus it sends at once.
    const ratio = Math.max(least[rank] ?? 1, share < 1 ? 0 : 1);
    const cap = Math.min(Math.max(scaledFee(Math.max(sendNow.at(head), 1), ratio), floor), ceiling);
    this.#cap.put(head, cap);
    return cap;
  }

  /** Probability that the head's cap is included in time; no figure until enough was judged. */
  get chance(): Chance {
    const { head } = this.#history;
    const { count, mean } = this.#keptShare.tally;
    if (Number.isNaN(this.#cap.at(head)) || mean === null || count < LEAST_JUDGED) {
      return unjudged(count, LEAST_JUDGED);
    }
    // If fees hardly ever fall, more succeed than the target at any cap.
    const probability = this.#debt.at(head) > -MOST_DEBT ? target : Math.max(mean, target);
    return { probability, reason: null };
  }

  /**
   * Surplus of misses expected among pending ones: each is weighted by the share of similar blocks that did not fall so low,
   * and by the rest of its time. @param least lowest prices after similar blocks, ascending
   */
  #pendingDebt(least: Float64Array): number {
    const { head, oldest, sendNow } = this.#history;
    let debt = 0;
    for (let given = Math.max(head - withinBlocks + 1, oldest); given < head; given += 1) {
      const cap = this.#cap.at(given);
      if (Number.isNaN(cap)) continue;
      const isIn = sendNow.at(head) <= cap || this.#lowestSince(given) <= cap;
      const left = (withinBlocks - (head - given)) / withinBlocks;
      debt += target - (isIn ? 1 : left * shareAtMost(least, this.#ratioAt(head, cap)));
    }
    return debt;
  }

  /** The lowest price after block `given` that included its tip. */
  #lowestSince(given: number): number {
    const { head, ask, lowTip } = this.#history;
    const tip = this.#tip.at(given);
    let lowest = Number.POSITIVE_INFINITY;
    for (let block = given + 1; block <= head; block += 1) {
      if (!(lowTip.at(block) > tip)) lowest = Math.min(lowest, ask.at(block));
    }
    return lowest;
  }

  /** A price over the price of sending at once at `block`. */
  #ratioAt(block: number, price: number): number {
    return feeRatio(price, this.#history.sendNow.at(block));
  }
}
