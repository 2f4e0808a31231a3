import { ExactSum } from './exact-sum.ts';
import { feeRatio, scaledFee } from './fee-ratio.ts';
import type { Column, History, Span } from './history.ts';
import { Rolling, WholeSum } from './rolling.ts';
import { SortedValues } from './sorted-values.ts';
import { SteeredLevel } from './steered-level.ts';
import { WindowMinimum } from './window-minimum.ts';

/**
 * The share of targets that is meant to be reached: some way above the 0.8 that waiting is advised at, since one waits
 * where the forecast looks best and that is where it flatters most.
 */
const AIM = 0.88;
/** Quantiles and verdicts look back this many horizons, and at least this many blocks. */
const TRAILING_HORIZONS = 4;
const LEAST_TRAILING_BLOCKS = 600;
/** Windows overlap: that many blocks, and that many horizons one after another, before a figure means anything. */
const LEAST_BLOCKS = 100;
const LEAST_HORIZONS_SEEN = 1;
const LEAST_HORIZONS_JUDGED = 3;
/** How far misses lasting one horizon move the level in all. */
const STEP_PER_HORIZON = 0.05;

/** What one horizon says at the head. Wei per gas. */
export interface Forecast {
  readonly horizonSec: number;
  /** Reached within the horizon with `probability`; until something is known a shorter one's, or that of sending at once. */
  readonly price: number;
  readonly probability: number | null;
  /** Of `price` against sending in the next block. */
  readonly savingRatio: number;
  /**
   * The same with misses counted at what the last block of a missed horizon asked for on average, or at the price of
   * now where that is more; `null` until measured.
   */
  readonly expectedSavingRatio: number | null;
  /** Mean wait of those that were reached. */
  readonly expectedWaitSec: number;
  /** How much of the past that this looks back on has been judged, 0 to 1. */
  readonly judgedRatio: number;
}

/** The price that is reached within one horizon: states one at every block and judges it once the time is over. */
export class HorizonForecast {
  readonly horizonSec: number;
  readonly #history: History;
  readonly #trailing: number;
  /** Lowest price within the horizon over that of sending at once. */
  readonly #best: Column;
  readonly #target: Column;
  readonly #reached: Column;
  readonly #waitSec: Column;
  /**
   * What the horizon's last block asked for where the target was missed. As a price and not as a multiple of the one
   * before: misses begin at low prices, and what they cost says little of how far a high one may still rise.
   */
  readonly #missed: Column;
  readonly #level: SteeredLevel;
  readonly #bestRatios: Rolling<SortedValues>;
  readonly #reachedShare: Rolling<WholeSum>;
  readonly #waits: Rolling<WholeSum>;
  readonly #misses: Rolling<ExactSum>;
  readonly #lowest = new WindowMinimum();
  /** The oldest block whose horizon has not ended. */
  #pending = 0;

  constructor(history: History, horizonSec: number, blockSec: number) {
    const blocks = Math.max(Math.round(horizonSec / blockSec), 1);
    this.horizonSec = horizonSec;
    this.#history = history;
    this.#trailing = Math.max(TRAILING_HORIZONS * blocks, LEAST_TRAILING_BLOCKS);
    this.#best = history.column();
    this.#target = history.column();
    this.#reached = history.column();
    this.#waitSec = history.column();
    this.#missed = history.column();
    this.#level = new SteeredLevel(history, AIM, STEP_PER_HORIZON / blocks);
    this.#bestRatios = new Rolling(this.#best, new SortedValues());
    this.#reachedShare = new Rolling(this.#reached, new WholeSum());
    this.#waits = new Rolling(this.#waitSec, new WholeSum());
    this.#misses = new Rolling(this.#missed, new ExactSum());
  }

  /**
   * Settles the horizons that end before the head, learns from them and states a new target, no higher than `ceiling`
   * (what reaches a shorter horizon's target reaches it within this one too). Returns the ceiling for the next longer one.
   */
  push(ceiling: number): number {
    const { head, oldest, ask } = this.#history;
    const pending = this.#firstPending();
    let judged = 0;
    let kept = 0;
    for (let given = Math.max(this.#pending, oldest); given < pending; given += 1) {
      const verdict = this.#settle(given);
      if (Number.isNaN(verdict)) continue;
      judged += 1;
      kept += verdict;
    }
    this.#pending = pending;
    this.#lowest.push(head, ask.at(head));
    this.#level.push(kept, judged);
    this.#moveWindows();
    const target = this.#nextTarget();
    const stated = Math.min(target, ceiling);
    this.#target.put(head, stated);
    return Number.isNaN(stated) ? ceiling : stated;
  }

  followHead(): void {
    const { head, ask } = this.#history;
    this.#pending = this.#firstPending();
    this.#lowest.clear();
    for (let block = this.#pending + 1; block <= head; block += 1) this.#lowest.push(block, ask.at(block));
    this.#moveWindows();
  }

  /** @param shorter what the next shorter horizon says. */
  forecast(shorter: Forecast | undefined): Forecast {
    const { head, sendNow } = this.#history;
    const now = sendNow.at(head);
    const target = this.#target.at(head);
    const price = Number.isNaN(target) ? (shorter?.price ?? now) : target;
    const measured = this.#probability();
    const probability =
      measured !== null && price === shorter?.price ? Math.max(measured, shorter.probability ?? 0) : measured;
    const savingRatio = Math.max(1 - feeRatio(price, now), 0);
    const lossRatio = Math.max(feeRatio(this.#misses.tally.mean ?? now, now) - 1, 0);
    return {
      horizonSec: this.horizonSec,
      price,
      probability,
      savingRatio,
      expectedSavingRatio:
        probability === null ? null : probability * savingRatio - (1 - probability) * lossRatio,
      expectedWaitSec: this.#waits.tally.mean ?? 0,
      judgedRatio: Math.min(this.#reachedShare.tally.count / this.#trailing, 1),
    };
  }

  /** The price stated at `block`, and whether it was reached; `null` while the horizon runs or if none was stated. */
  reachedAt(block: number): boolean | null {
    if (block >= this.#pending) return null;
    const reached = this.#reached.at(block);
    return Number.isNaN(reached) ? null : reached === 1;
  }

  #firstPending(): number {
    const { head, time } = this.#history;
    return this.#history.firstSince(time.at(head) - this.horizonSec);
  }

  /** Measures the horizon that began at `given` and ended before the head: 1 if its target was reached, 0 if not. */
  #settle(given: number): number {
    const { head, ask, sendNow } = this.#history;
    this.#lowest.dropBefore(given + 1);
    // A chain that stood still for the whole horizon is measured by its first block after that.
    const last = Math.max(head - 1, given + 1);
    const lowest = this.#lowest.minimum ?? ask.at(head);
    const now = sendNow.at(given);
    const target = this.#target.at(given);
    const reached = Number.isNaN(target) ? Number.NaN : lowest <= target ? 1 : 0;
    this.#best.put(given, feeRatio(lowest, now));
    this.#reached.put(given, reached);
    this.#waitSec.put(given, reached === 1 ? this.#waitFor(given, target) : Number.NaN);
    this.#missed.put(given, reached === 0 ? ask.at(last) : Number.NaN);
    return reached;
  }

  #waitFor(given: number, target: number): number {
    const { head, ask, time } = this.#history;
    let block = given + 1;
    while (block < head && ask.at(block) > target) block += 1;
    return Math.round(time.at(block) - time.at(given));
  }

  #settled(): Span {
    const from = Math.max(this.#pending - this.#trailing, this.#history.oldest);
    return { from, to: Math.max(this.#pending, from) };
  }

  #moveWindows(): void {
    const settled = this.#settled();
    this.#bestRatios.moveTo(settled);
    this.#reachedShare.moveTo(settled);
    this.#waits.moveTo(settled);
    this.#misses.moveTo(settled);
  }

  #nextTarget(): number {
    const { head, sendNow } = this.#history;
    const ratios = this.#bestRatios.tally;
    if (ratios.size < LEAST_BLOCKS || !this.#spans(ratios.size, LEAST_HORIZONS_SEEN)) return Number.NaN;
    const ratio = ratios.quantile(this.#level.value) ?? 1;
    return scaledFee(sendNow.at(head), Math.min(ratio, 1));
  }

  #probability(): number | null {
    const { count, mean } = this.#reachedShare.tally;
    if (count < LEAST_BLOCKS || !this.#spans(count, LEAST_HORIZONS_JUDGED)) return null;
    if (mean === null || Number.isNaN(this.#target.at(this.#history.head))) return null;
    // The level is steered towards the aim, so what was kept beyond it is luck and not promised on.
    return Math.min(mean, AIM);
  }

  /** Whether the last `blocks` settled blocks cover that many horizons. */
  #spans(blocks: number, horizons: number): boolean {
    const { time, oldest } = this.#history;
    const last = this.#pending - 1;
    const first = Math.max(this.#pending - blocks, oldest);
    return last > first && time.at(last) - time.at(first) >= horizons * this.horizonSec;
  }
}
