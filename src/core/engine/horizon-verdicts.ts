import { Debt, within } from './debt.ts';
import { type Column, feeRatio, type History } from './history.ts';
import { Rolling, shareAtMost, WholeSum, WindowMinimum } from './rolling.ts';

/** Waits are averaged over so many horizons, and at least so many blocks. */
const TRAILING_HORIZONS = 10;
const LEAST_TRAILING_BLOCKS = 600;
/** The stated probability moves by the debt over so many horizons' promises, at most by `MOST_MOVED`. */
const DEBT_HORIZONS = 5;
const MOST_MOVED = 0.3;

/** How far a debt lowers what is stated, where a horizon has so many blocks. */
export function lowering(debt: number, blocks: number): number {
  return within(MOST_MOVED, debt / (DEBT_HORIZONS * blocks));
}

/** The most that a debt may grow to, so that it is made up for in the end. */
export function mostDebt(blocks: number): number {
  return MOST_MOVED * DEBT_HORIZONS * blocks;
}

/** The share of a debt that is forgiven at a block while nothing is stated that could make up for it. */
export function forgiveness(blocks: number): number {
  return 1 / (DEBT_HORIZONS * blocks);
}

/** What was said of one horizon at each block, and what came of it once its time was over. Wei per gas. */
export class HorizonVerdicts {
  readonly horizonSec: number;
  readonly #history: History;
  readonly #target: Column;
  /** How likely the target was said to be. */
  readonly #said: Column;
  /** Lowest price within the horizon over that of sending at once. */
  readonly #best: Column;
  /** What its last block asked for, over that of sending at once. */
  readonly #last: Column;
  /** Seconds until the target was reached; `NaN` where it was not. */
  readonly #waitSec: Column;
  readonly #waits: Rolling<WholeSum>;
  readonly #debt: Debt;
  /** The debt that is expected of promises still running, and of the advised waits among them. */
  readonly #running: Column;
  readonly #runningWaits: Column;
  readonly #lowest = new WindowMinimum();
  #pending = 0;
  #blocks = 1;
  /** The first block of those that have a target without a break. */
  #since: number | null = null;
  #settledWaits = 0;

  constructor(history: History, horizonSec: number) {
    this.horizonSec = horizonSec;
    this.#history = history;
    this.#target = history.column();
    this.#said = history.column();
    this.#best = history.column();
    this.#last = history.column();
    this.#waitSec = history.column();
    this.#waits = new Rolling(this.#waitSec, new WholeSum());
    this.#debt = new Debt(history);
    this.#running = history.column(2);
    this.#runningWaits = history.column(2);
  }

  /** Settles the horizons that end before the head; what is said at the head is to be `put` next. */
  push(): void {
    const { head, origin, oldest, ask } = this.#history;
    const pending = this.#firstPending();
    let settled = 0;
    this.#settledWaits = 0;
    for (let given = Math.max(this.#pending, oldest); given < pending; given += 1) {
      const missed = this.#settle(given);
      if (Number.isNaN(missed)) continue;
      settled += missed;
      if (this.#isAdvised(given)) this.#settledWaits += missed;
    }
    this.#pending = pending;
    this.#lowest.push(head, ask.at(head));
    this.#moveWindows();
    this.#debt.push(settled, mostDebt(this.#blocks));
    this.#running.put(head, head > origin ? this.#running.at(head - 1) : 0);
    this.#runningWaits.put(head, head > origin ? this.#runningWaits.at(head - 1) : 0);
  }

  followHead(): void {
    const { head, ask } = this.#history;
    this.#pending = this.#firstPending();
    this.#lowest.clear();
    for (let block = this.#pending + 1; block <= head; block += 1) this.#lowest.push(block, ask.at(block));
    this.#moveWindows();
  }

  /**
   * Counts what is not over yet: a target that was not reached will be as often as like blocks of the head fell so low, the less
   * time is left the less.
   * @param falls how low these fell, over sending at once, ascending
   */
  expect(falls: Float64Array): void {
    const { head, ask, sendNow, time } = this.#history;
    const now = sendNow.at(head);
    let lowest = now;
    let running = 0;
    let runningWaits = 0;
    for (let given = head - 1; given >= this.#pending; given -= 1) {
      lowest = Math.min(lowest, ask.at(given + 1));
      const target = this.#target.at(given);
      if (Number.isNaN(target)) break;
      const left = 1 - (time.at(head) - time.at(given)) / this.horizonSec;
      const share = lowest <= target ? 1 : left * shareAtMost(falls, feeRatio(target, now));
      const missed = this.#said.at(given) - share;
      running += missed;
      if (this.#isAdvised(given)) runningWaits += missed;
    }
    this.#running.put(head, running);
    this.#runningWaits.put(head, runningWaits);
  }

  /** Remembers the head's target and how likely it is said to be; `NaN` for what is unknown. */
  put(target: number, said: number): void {
    const { head } = this.#history;
    this.#target.put(head, target);
    this.#said.put(head, said);
    if (Number.isNaN(target)) this.#since = null;
    else this.#since = Math.min(this.#since ?? head, head);
  }

  targetAt(block: number): number {
    return this.#target.at(block);
  }

  saidAt(block: number): number {
    return this.#said.at(block);
  }

  /** Of a settled block: the lowest price of its horizon, and its last, over what sending at once cost. */
  bestAt(block: number): number {
    return this.#best.at(block);
  }

  lastAt(block: number): number {
    return this.#last.at(block);
  }

  /** Whether the price stated at `block` was reached; `null` while the horizon runs or if none was stated. */
  reachedAt(block: number): boolean | null {
    if (block >= this.#pending) return null;
    if (Number.isNaN(this.#target.at(block))) return null;
    return !Number.isNaN(this.#waitSec.at(block));
  }

  /** The oldest block whose horizon has not ended. */
  get pending(): number {
    return this.#pending;
  }

  /** Blocks that a horizon had of late: chains keep their own pace, whatever was planned. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Seconds from the oldest block to the last whose horizon has ended. */
  get seenSec(): number {
    const { time, oldest } = this.#history;
    return time.at(this.#pending) - time.at(oldest);
  }

  /** Seconds of words that have been judged. */
  get judgedSec(): number {
    const { head, time, oldest } = this.#history;
    const first = Math.max(this.#since ?? head, oldest);
    return Math.max(time.at(Math.max(this.#pending - 1, oldest)) - time.at(first), 0);
  }

  /** How much of the past that this looks back on has been judged, 0 to 1. */
  get judgedRatio(): number {
    return Math.min(this.judgedSec / (TRAILING_HORIZONS * this.horizonSec), 1);
  }

  /** How far what is stated must be lowered for as much to come true. */
  get lowering(): number {
    const { head } = this.#history;
    return lowering(this.#debt.at(head) + this.#running.at(head), this.#blocks);
  }

  /** What the head settled of the waits that were advised, and what is to be expected of those that are not over. */
  get settledWaits(): number {
    return this.#settledWaits;
  }

  runningWaitsAt(block: number): number {
    return this.#runningWaits.at(block);
  }

  /** Mean wait of those that were reached. */
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

  /**
   * Measures the horizon that began at `given` and ended before the head. Returns how much more was said than came of its target;
   * `NaN` where it had none.
   */
  #settle(given: number): number {
    const { head, ask, sendNow, time } = this.#history;
    this.#lowest.dropBefore(given + 1);
    // A chain that stood still for the whole horizon is measured by its first block after that.
    const last = Math.max(head - 1, given + 1);
    const lowest = this.#lowest.minimum ?? ask.at(head);
    const now = sendNow.at(given);
    const target = this.#target.at(given);
    const first = lowest <= target ? this.#firstReaching(given, target) : null;
    this.#best.put(given, feeRatio(lowest, now));
    this.#last.put(given, feeRatio(ask.at(last), now));
    this.#waitSec.put(given, first === null ? Number.NaN : Math.round(time.at(first) - time.at(given)));
    return this.#said.at(given) - (first === null ? 0 : 1);
  }

  #firstReaching(given: number, target: number): number {
    const { head, ask } = this.#history;
    let block = given + 1;
    while (block < head && ask.at(block) > target) block += 1;
    return block;
  }

  #moveWindows(): void {
    const { time, oldest } = this.#history;
    const to = Math.max(this.#pending, oldest);
    const from = this.#history.firstSince(time.at(to) - TRAILING_HORIZONS * this.horizonSec);
    const horizons = (time.at(to) - time.at(from)) / this.horizonSec;
    this.#blocks = Math.max(Math.round((to - from) / horizons) || 1, 1);
    this.#waits.moveTo({ from: Math.max(Math.min(from, to - LEAST_TRAILING_BLOCKS), oldest), to });
  }
}
