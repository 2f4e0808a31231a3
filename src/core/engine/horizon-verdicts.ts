import { Debt, within } from './debt.ts';
import { type Column, feeRatio, type History } from './history.ts';
import { Rolling, shareAtMost, WholeSum, WindowMinimum } from './rolling.ts';

/** Waits are averaged over this many horizons, and at least this many blocks. */
const TRAILING_HORIZONS = 10;
const LEAST_TRAILING_BLOCKS = 600;
/** The stated probability moves by the debt over this many horizons' predictions, at most by `MOST_MOVED`. */
const DEBT_HORIZONS = 5;
const MOST_MOVED = 0.3;

/** How far a debt lowers the stated probability of a horizon with this many blocks. */
export function lowering(debt: number, blocks: number): number {
  return within(MOST_MOVED, debt / (DEBT_HORIZONS * blocks));
}

/** The maximum of a debt, so that it can be paid off. */
export function mostDebt(blocks: number): number {
  return MOST_MOVED * DEBT_HORIZONS * blocks;
}

/** The share of a debt forgiven per block while no stated probability could reduce it. */
export function forgiveness(blocks: number): number {
  return 1 / (DEBT_HORIZONS * blocks);
}

/** The predictions of one horizon at each block, and their outcomes once its time is over. Wei per gas. */
export class HorizonVerdicts {
  readonly horizonSec: number;
  readonly #history: History;
  readonly target: Column;
  /** Stated probability of the target. */
  readonly stated: Column;
  /** Of settled blocks: lowest price within the horizon over the price of sending at once. */
  readonly best: Column;
  /** Of settled blocks: price of its last block over the price of sending at once. */
  readonly last: Column;
  /** Seconds until the target was reached; `NaN` when it was not. */
  readonly #waitSec: Column;
  readonly #waits: Rolling<WholeSum>;
  readonly #debt: Debt;
  /** Expected debt of predictions still running, and of the advised waits among them. */
  readonly #running: Column;
  readonly runningWaits: Column;
  readonly #lowest = new WindowMinimum();
  /** The oldest block whose horizon has not ended. */
  pending = 0;
  /** Number of blocks that a horizon had recently: a chain's pace may differ from its nominal one. */
  blocks = 1;
  /** First block of the unbroken run of blocks with a target. */
  #since: number | null = null;
  /** Debt that the head settled of advised waits. */
  settledWaits = 0;

  constructor(history: History, horizonSec: number) {
    this.horizonSec = horizonSec;
    this.#history = history;
    this.target = history.column();
    this.stated = history.column();
    this.best = history.column();
    this.last = history.column();
    this.#waitSec = history.column();
    this.#waits = new Rolling(this.#waitSec, new WholeSum());
    this.#debt = new Debt(history);
    this.#running = history.column(2);
    this.runningWaits = history.column(2);
  }

  /** Settles the horizons that end before the head; the head's prediction must be `put` next. */
  push(): void {
    const { head, origin, oldest, ask } = this.#history;
    const pending = this.#firstPending();
    let settled = 0;
    this.settledWaits = 0;
    for (let given = Math.max(this.pending, oldest); given < pending; given += 1) {
      const missed = this.#settle(given);
      if (Number.isNaN(missed)) continue;
      settled += missed;
      if (this.#isAdvised(given)) this.settledWaits += missed;
    }
    this.pending = pending;
    this.#lowest.push(head, ask.at(head));
    this.#moveWindows();
    this.#debt.push(settled, mostDebt(this.blocks));
    this.#running.put(head, head > origin ? this.#running.at(head - 1) : 0);
    this.runningWaits.put(head, head > origin ? this.runningWaits.at(head - 1) : 0);
  }

  followHead(): void {
    const { head, ask } = this.#history;
    this.pending = this.#firstPending();
    this.#lowest.clear();
    for (let block = this.pending + 1; block <= head; block += 1) this.#lowest.push(block, ask.at(block));
    this.#moveWindows();
  }

  /**
   * Estimates predictions still running: an unreached target is reached as often as prices fell so low after similar blocks,
   * less so the less time is left. @param falls lowest prices after those, over sending at once, ascending
   */
  expect(falls: Float64Array): void {
    const { head, ask, sendNow, time } = this.#history;
    const now = sendNow.at(head);
    let lowest = now;
    let running = 0;
    let runningWaits = 0;
    for (let given = head - 1; given >= this.pending; given -= 1) {
      lowest = Math.min(lowest, ask.at(given + 1));
      const target = this.target.at(given);
      if (Number.isNaN(target)) break;
      const left = 1 - (time.at(head) - time.at(given)) / this.horizonSec;
      const share = lowest <= target ? 1 : left * shareAtMost(falls, feeRatio(target, now));
      const missed = this.stated.at(given) - share;
      running += missed;
      if (this.#isAdvised(given)) runningWaits += missed;
    }
    this.#running.put(head, running);
    this.runningWaits.put(head, runningWaits);
  }

  /** Stores the head's target and its stated probability; `NaN` when unknown. */
  put(target: number, stated: number): void {
    const { head } = this.#history;
    this.target.put(head, target);
    this.stated.put(head, stated);
    if (Number.isNaN(target)) this.#since = null;
    else this.#since = Math.min(this.#since ?? head, head);
  }

  /** Whether the price stated at `block` was reached; `null` while the horizon runs or if none was stated. */
  reachedAt(block: number): boolean | null {
    if (block >= this.pending) return null;
    if (Number.isNaN(this.target.at(block))) return null;
    return !Number.isNaN(this.#waitSec.at(block));
  }

  /** Seconds between the oldest and the last block whose horizon has ended. */
  get seenSec(): number {
    const { time, oldest } = this.#history;
    return time.at(this.pending) - time.at(oldest);
  }

  get judgedSec(): number {
    const { head, time, oldest } = this.#history;
    const first = Math.max(this.#since ?? head, oldest);
    return Math.max(time.at(Math.max(this.pending - 1, oldest)) - time.at(first), 0);
  }

  get judgedRatio(): number {
    return Math.min(this.judgedSec / (TRAILING_HORIZONS * this.horizonSec), 1);
  }

  /** How far the stated probability must be lowered to be calibrated. */
  get lowering(): number {
    const { head } = this.#history;
    return lowering(this.#debt.at(head) + this.#running.at(head), this.blocks);
  }

  get meanWaitSec(): number {
    return this.#waits.tally.mean ?? 0;
  }

  #isAdvised(block: number): boolean {
    return this.#history.advisedWaitSec.at(block) === this.horizonSec;
  }

  #firstPending(): number {
    const { head, time } = this.#history;
    return this.#history.firstSince(time.at(head) - this.horizonSec);
  }

  /** Measures the horizon that began at `given`. Returns stated probability minus outcome; `NaN` without a target. */
  #settle(given: number): number {
    const { head, ask, sendNow, time } = this.#history;
    this.#lowest.dropBefore(given + 1);
    // After a standstill over the whole horizon, the first later block counts.
    const last = Math.max(head - 1, given + 1);
    const lowest = this.#lowest.minimum ?? ask.at(head);
    const now = sendNow.at(given);
    const target = this.target.at(given);
    const first = lowest <= target ? this.#firstReaching(given, target) : null;
    this.best.put(given, feeRatio(lowest, now));
    this.last.put(given, feeRatio(ask.at(last), now));
    this.#waitSec.put(given, first === null ? Number.NaN : Math.round(time.at(first) - time.at(given)));
    return this.stated.at(given) - (first === null ? 0 : 1);
  }

  #firstReaching(given: number, target: number): number {
    const { head, ask } = this.#history;
    let block = given + 1;
    while (block < head && ask.at(block) > target) block += 1;
    return block;
  }

  #moveWindows(): void {
    const { time, oldest } = this.#history;
    const to = Math.max(this.pending, oldest);
    const from = this.#history.firstSince(time.at(to) - TRAILING_HORIZONS * this.horizonSec);
    const horizons = (time.at(to) - time.at(from)) / this.horizonSec;
    this.blocks = Math.max(Math.round((to - from) / horizons) || 1, 1);
    this.#waits.moveTo({ from: Math.max(Math.min(from, to - LEAST_TRAILING_BLOCKS), oldest), to });
  }
}
