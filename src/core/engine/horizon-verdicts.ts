import { type Column, feeRatio, fromPpm, type History, type Span, toPpm } from './history.ts';
import { ExactSum, Rolling, WholeSum, WindowMinimum } from './rolling.ts';

/** Verdicts look back this many horizons; those on what a miss costs and how long a wait takes at least so many blocks. */
const TRAILING_HORIZONS = 10;
const LEAST_TRAILING_BLOCKS = 600;
/**
 * So many horizons without a surprise are counted beside those that were judged: what is stated is not corrected by
 * the first few misses.
 */
const DOUBTED_HORIZONS = 1;
/** Share that a target must save to be worth a wait. */
const LEAST_SAVING = 0.05;
/**
 * One waits where the forecast looks best, and there it flatters: it is taken to be this much too high, as if so many
 * horizons had shown that, until real verdicts outweigh them.
 */
const FLATTERY = 0.15;
const FLATTERED_HORIZONS = 4;
/** Share of tempting targets that is missed, more or less. */
const USUAL_MISSES = 0.15;

/** What was said of one horizon at each block, and what came of it once its time was over. Wei per gas. */
export class HorizonVerdicts {
  readonly horizonSec: number;
  readonly #history: History;
  readonly #target: Column;
  /** Share of like blocks that reached the target; and 1 or 0 for whether it was, less that share, in whole millionths. */
  readonly #expected: Column;
  readonly #surprise: Column;
  /** The same where waiting looked worth it, and not known elsewhere. */
  readonly #temptedSurprise: Column;
  /** Lowest price within the horizon over that of sending at once. */
  readonly #best: Column;
  /** What its last block asked for, over that of sending at once. */
  readonly #last: Column;
  /** Seconds until the target was reached; `NaN` where it was not. */
  readonly #waitSec: Column;
  readonly #savings: WaitSavings;
  readonly #surprises: Rolling<WholeSum>;
  readonly #tempted: Rolling<WholeSum>;
  readonly #waits: Rolling<WholeSum>;
  readonly #lowest = new WindowMinimum();
  #pending = 0;
  #blocks = 1;

  constructor(history: History, horizonSec: number) {
    this.horizonSec = horizonSec;
    this.#history = history;
    this.#target = history.column();
    this.#expected = history.column();
    this.#surprise = history.column();
    this.#temptedSurprise = history.column();
    this.#best = history.column();
    this.#last = history.column();
    this.#waitSec = history.column();
    this.#savings = new WaitSavings(history);
    this.#surprises = new Rolling(this.#surprise, new WholeSum());
    this.#tempted = new Rolling(this.#temptedSurprise, new WholeSum());
    this.#waits = new Rolling(this.#waitSec, new WholeSum());
  }

  /** Settles the horizons that end before the head; what is said at the head is to be `put` next. */
  push(): void {
    const { head, oldest, ask } = this.#history;
    const pending = this.#firstPending();
    for (let given = Math.max(this.#pending, oldest); given < pending; given += 1) this.#settle(given);
    this.#pending = pending;
    this.#lowest.push(head, ask.at(head));
    this.#moveWindows();
  }

  followHead(): void {
    const { head, ask } = this.#history;
    this.#pending = this.#firstPending();
    this.#lowest.clear();
    for (let block = this.#pending + 1; block <= head; block += 1) this.#lowest.push(block, ask.at(block));
    this.#moveWindows();
  }

  /** Remembers the head's target and the share of like blocks that reached it; `NaN` for what is unknown. */
  put(target: number, expected: number): void {
    this.#target.put(this.#history.head, target);
    this.#expected.put(this.#history.head, expected);
    this.#savings.push();
  }

  targetAt(block: number): number {
    return this.#target.at(block);
  }

  expectedAt(block: number): number {
    return this.#expected.at(block);
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

  /** Seconds of words that have been judged, of those that still count. */
  get judgedSec(): number {
    const { time, oldest } = this.#history;
    const last = this.#pending - 1;
    const first = Math.max(this.#pending - this.#surprises.tally.count, oldest);
    return last > first ? time.at(last) - time.at(first) : 0;
  }

  /** How much of the past that this looks back on has been judged, 0 to 1. */
  get judgedRatio(): number {
    return Math.min(this.#surprises.tally.count / (TRAILING_HORIZONS * this.#blocks), 1);
  }

  /** How far targets were reached more often than like blocks had it. */
  get correction(): number {
    const { sum, count } = this.#surprises.tally;
    return fromPpm(sum) / (count + DOUBTED_HORIZONS * this.#blocks);
  }

  /** The correction for who waits, at the head. */
  get doubt(): number {
    if (!this.#isTempting(this.#history.head)) return this.correction;
    const { sum, count } = this.#tempted.tally;
    const doubted = FLATTERED_HORIZONS * this.#blocks;
    return Math.min((fromPpm(sum) - FLATTERY * doubted) / (count + doubted), this.correction);
  }

  /** Mean wait of those that were reached. */
  get meanWaitSec(): number {
    return this.#waits.tally.mean ?? 0;
  }

  /** What waiting for the head's target saves on average, if that is reached with this probability; misses counted. */
  expectedSaving(probability: number): number {
    const { head } = this.#history;
    const unseen = USUAL_MISSES * FLATTERED_HORIZONS * this.#blocks;
    return this.#savings.expected(this.#target.at(head), probability, this.#isTempting(head), unseen);
  }

  #firstPending(): number {
    const { head, time } = this.#history;
    return this.#history.firstSince(time.at(head) - this.horizonSec);
  }

  /** Measures the horizon that began at `given` and ended before the head, and whether its target was reached. */
  #settle(given: number): void {
    const { head, ask, sendNow, time } = this.#history;
    this.#lowest.dropBefore(given + 1);
    // A chain that stood still for the whole horizon is measured by its first block after that.
    const last = Math.max(head - 1, given + 1);
    const lowest = this.#lowest.minimum ?? ask.at(head);
    const now = sendNow.at(given);
    const target = this.#target.at(given);
    const reached = Number.isNaN(target) ? Number.NaN : lowest <= target ? 1 : 0;
    this.#best.put(given, feeRatio(lowest, now));
    this.#last.put(given, feeRatio(ask.at(last), now));
    const surprise = toPpm(reached) - toPpm(this.#expected.at(given));
    const isTempted = this.#isTempting(given);
    this.#surprise.put(given, surprise);
    this.#temptedSurprise.put(given, isTempted ? surprise : Number.NaN);
    const first = reached === 1 ? this.#firstReaching(given, target) : null;
    this.#waitSec.put(given, first === null ? Number.NaN : Math.round(time.at(first) - time.at(given)));
    this.#savings.settle({ given, target, first, last, isTempted });
  }

  #firstReaching(given: number, target: number): number {
    const { head, ask } = this.#history;
    let block = given + 1;
    while (block < head && ask.at(block) > target) block += 1;
    return block;
  }

  /** Whether the target given at `block` is so low that waiting looks worth it: that is where words flatter. */
  #isTempting(block: number): boolean {
    const now = this.#history.sendNow.at(block);
    return now > 0 && this.#target.at(block) <= (1 - LEAST_SAVING) * now;
  }

  /** What ended in the last ten horizons before the head's own. */
  #trailing(): Span {
    const { time, oldest } = this.#history;
    const to = Math.max(this.#pending, oldest);
    return { from: this.#history.firstSince(time.at(to) - TRAILING_HORIZONS * this.horizonSec), to };
  }

  #moveWindows(): void {
    const { time, oldest } = this.#history;
    const trailing = this.#trailing();
    const { from, to } = trailing;
    const horizons = (time.at(to) - time.at(from)) / this.horizonSec;
    this.#blocks = Math.max(Math.round((to - from) / horizons) || 1, 1);
    this.#surprises.moveTo(trailing);
    this.#tempted.moveTo(trailing);
    const long = { from: Math.max(Math.min(from, to - LEAST_TRAILING_BLOCKS), oldest), to };
    this.#waits.moveTo(long);
    this.#savings.moveTo(long);
  }
}

/**
 * A price falls a little where it is waited for, and rises by more where that fails: until misses have been seen, one is
 * taken to cost so many times what the target would have saved, beyond what is expected.
 */
const UNSEEN_COST = 3;

/** A wait whose time is over. */
interface EndedWait {
  readonly given: number;
  /** Wei per gas. */
  readonly target: number;
  /** The first block that asked for no more than the target; `null`: none did. */
  readonly first: number | null;
  /** The last block before its time was over. */
  readonly last: number;
  /** Whether waiting looked worth it. */
  readonly isTempted: boolean;
}

/** What waiting for one horizon's targets saves: what was paid where they were reached, and what misses cost. */
class WaitSavings {
  readonly #history: History;
  /**
   * What the horizon's last block asked for where the target was missed. As a price and not as a multiple of the one
   * before: misses begin at low prices, and what they cost says little of how far a high one may still rise.
   */
  readonly #missed: Column;
  /** What a miss was expected to cost at a block, as a share of sending at once there. */
  readonly #cost: Column;
  /** Where waiting looked worth it: what was paid, over the target; and what a miss cost beyond what was expected. Millionths. */
  readonly #paid: Column;
  readonly #excess: Column;
  readonly #misses: Rolling<ExactSum>;
  readonly #payments: Rolling<WholeSum>;
  readonly #excesses: Rolling<WholeSum>;

  constructor(history: History) {
    this.#history = history;
    this.#missed = history.column();
    this.#cost = history.column();
    this.#paid = history.column();
    this.#excess = history.column();
    this.#misses = new Rolling(this.#missed, new ExactSum());
    this.#payments = new Rolling(this.#paid, new WholeSum());
    this.#excesses = new Rolling(this.#excess, new WholeSum());
  }

  /** Remembers what a miss is expected to cost at the head. */
  push(): void {
    this.#cost.put(this.#history.head, this.#usualCost);
  }

  settle({ given, target, first, last, isTempted }: EndedWait): void {
    const { ask, sendNow } = this.#history;
    const isMissed = first === null && !Number.isNaN(target);
    const cost = feeRatio(ask.at(last), sendNow.at(given)) - 1;
    this.#missed.put(given, isMissed ? ask.at(last) : Number.NaN);
    this.#excess.put(given, isMissed && isTempted ? toPpm(cost - this.#cost.at(given)) : Number.NaN);
    this.#paid.put(given, first !== null && isTempted ? toPpm(feeRatio(ask.at(first), target)) : Number.NaN);
  }

  /** Looks back on what was given at the blocks of `span`. */
  moveTo(span: Span): void {
    this.#misses.moveTo(span);
    this.#payments.moveTo(span);
    this.#excesses.moveTo(span);
  }

  /**
   * What waiting for `target` (wei per gas) saves on average if it is reached with `probability`, as a share of
   * sending at once; misses cost. Where waiting looks worth it (`isTempting`), what was paid and what misses cost at
   * such blocks of the past counts.
   * @param unseen how many misses have to be seen before they weigh more than what is assumed of them
   */
  expected(target: number, probability: number, isTempting: boolean, unseen: number): number {
    const now = this.#history.sendNow.at(this.#history.head);
    const paid = isTempting ? fromPpm(this.#payments.tally.mean ?? toPpm(1)) : 1;
    const saving = Math.max(1 - feeRatio(target * paid, now), 0);
    const excess = isTempting ? this.#excessCost(UNSEEN_COST * saving, unseen) : 0;
    return probability * saving - (1 - probability) * Math.max(this.#usualCost + excess, 0);
  }

  /** How far the last blocks of missed horizons lie above what sending costs now, on average. */
  get #usualCost(): number {
    const now = this.#history.sendNow.at(this.#history.head);
    return Math.max(feeRatio(this.#misses.tally.mean ?? now, now) - 1, 0);
  }

  #excessCost(unseenCost: number, unseen: number): number {
    const { sum, count } = this.#excesses.tally;
    return (fromPpm(sum) + unseenCost * unseen) / (count + unseen);
  }
}
