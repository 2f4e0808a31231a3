import { REACH_LEAST_TIMES, REACH_TIMES_SEC } from '../advice.ts';
import { formatDuration } from '../units.ts';
import { Debt } from './debt.ts';
import { type Column, feeRatio, type History, scaledFee } from './history.ts';
import { forgiveness, HorizonVerdicts, lowering, mostDebt } from './horizon-verdicts.ts';
import {
  type AlikeBlocks,
  type Chance,
  doubtedShare,
  mostSupported,
  tooLittlePast,
  unknown,
} from './similar-states.ts';

/** Target share of reached prices: above the 0.8 from which waiting is advised. */
const AIM = 0.85;
/** Number of times that a target is redrawn within its horizon, at most once a block. */
const PACES = 25;
/** Minimum number of blocks that a warm-up uses one target for. */
const WARM_UP_PACE = 25;
/**
 * Needed to draw a target, and to state a probability: this many horizons in sequence (overlapping windows add no
 * information), or this much time, whichever is less.
 */
const LEAST_SEEN = { horizons: 4, sec: 86_400 } as const;
const LEAST_JUDGED = { horizons: 4, sec: 4 * 86_400 } as const;
/** The same for horizons below an hour, whose windows fill quickly. */
const LEAST_JUDGED_SHORT = { horizons: 8, sec: 4 * 86_400 } as const;
const SHORT_SEC = 3_600;
/** A few successes say little: this many misses are added when a target is drawn. */
const UNSEEN_MISSES = 8;
/** Cap of a later price, in multiples of the price at its start: one burst must not decide everything. */
const MOST_RISE = 2;
/** Minimum saving of a target that is worth a wait. */
const LEAST_SAVING = 0.05;
/**
 * Waits are chosen where the forecast looks best, where it is too optimistic: no more is stated than the share that such
 * waits reach, which starts at this value and is then measured.
 */
const USUAL_WAITS_KEPT = 0.867;
const HOUR_SEC = 3_600;

/** The forecast of one horizon at the head. Wei per gas. */
export interface Forecast {
  readonly horizonSec: number;
  /** Without enough history, the price of a shorter horizon, or of sending at once. */
  readonly price: number;
  /** At most the measured share of successful waits, when waiting looks worth it. */
  readonly probability: number | null;
  readonly reason: string | null;
  /** Against sending in the next block; a miss pays what similar blocks did at the end. `null` until measured. */
  readonly savingRatio: number | null;
  readonly expectedWaitSec: number;
  readonly judgedRatio: number;
}

/** One horizon's target and its statistics, wei per gas; `NaN` while unknown. */
interface Draw {
  readonly target: number;
  /** Share of similar blocks that reached it. */
  readonly expected: number;
  /** Mean price at the end of the horizon after those that did not reach it. */
  readonly missed: number;
}

const UNKNOWN: Draw = { target: Number.NaN, expected: Number.NaN, missed: Number.NaN };

/** Forecasts the price that is reached within one horizon: states one at every block and learns from the outcomes. */
export class HorizonForecast {
  readonly horizonSec: number;
  readonly #history: History;
  readonly #alike: AlikeBlocks;
  readonly verdicts: HorizonVerdicts;
  readonly #expected: Column;
  readonly #missed: Column;

  constructor(history: History, alike: AlikeBlocks, horizonSec: number) {
    this.horizonSec = horizonSec;
    this.#history = history;
    this.#alike = alike;
    this.verdicts = new HorizonVerdicts(history, horizonSec);
    this.#expected = history.column(2);
    this.#missed = history.column(2);
  }

  /**
   * Settles the horizons that end before the head, learns from them and states a new target, at most `ceiling` (a shorter
   * horizon's target), and with at most `waitsKept` when waiting looks worth it. Returns the next longer horizon's ceiling.
   */
  push(ceiling: number, waitsKept: number, isWarmUp: boolean): number {
    const { head, sendNow } = this.#history;
    this.verdicts.push();
    const { target, expected, missed } = this.#nextDraw(ceiling, isWarmUp ? WARM_UP_PACE : 1);
    const most = mostSupported(this.verdicts.seenSec / this.horizonSec);
    const likely = Math.min(Math.max(expected - this.verdicts.lowering, 0), most);
    const isTempting = target <= (1 - LEAST_SAVING) * sendNow.at(head) && sendNow.at(head) > 0;
    this.#expected.put(head, expected);
    this.#missed.put(head, missed);
    this.verdicts.put(target, isTempting ? Math.min(likely, waitsKept) : likely);
    return Number.isNaN(target) ? ceiling : target;
  }

  /** @param shorter the forecast of the next shorter horizon. */
  forecast(shorter: Forecast | undefined): Forecast {
    const { head, sendNow } = this.#history;
    const { meanWaitSec, judgedRatio } = this.verdicts;
    const target = this.verdicts.target.at(head);
    const price = Number.isNaN(target) ? (shorter?.price ?? sendNow.at(head)) : target;
    const own = this.#isJudged ? this.verdicts.stated.at(head) : null;
    const probability = noLess(own, price === shorter?.price ? shorter.probability : null);
    return {
      horizonSec: this.horizonSec,
      price,
      probability,
      reason: probability === null ? tooLittlePast(this.#history, this.#pastSec).reason : null,
      savingRatio: probability === null ? null : this.#saving(target, probability),
      expectedWaitSec: meanWaitSec,
      judgedRatio,
    };
  }

  /** History needed to state a probability: windows to draw a target from, then targets to judge, each to its end. */
  get #pastSec(): number {
    const { horizonSec } = this;
    return atLeast(LEAST_SEEN, horizonSec) + atLeast(leastJudged(horizonSec), horizonSec) + 2 * horizonSec;
  }

  #nextDraw(ceiling: number, leastPace: number): Draw {
    const { head, oldest, sendNow } = this.#history;
    const { verdicts } = this;
    const before = head > oldest ? verdicts.target.at(head - 1) : Number.NaN;
    const pace = Math.max(Math.floor(verdicts.blocks / PACES), leastPace);
    if (head % pace > 0 && !Number.isNaN(before)) {
      const target = Math.min(before, sendNow.at(head), ceiling);
      return { target, expected: this.#expected.at(head - 1), missed: this.#missed.at(head - 1) };
    }
    const alike = this.#alike.before(verdicts.pending, this.horizonSec, atLeast(LEAST_SEEN, this.horizonSec));
    return alike === null ? UNKNOWN : this.#draw(alike, ceiling);
  }

  #draw(alike: Float64Array, ceiling: number): Draw {
    const { head, sendNow } = this.#history;
    const { verdicts } = this;
    const now = Math.max(sendNow.at(head), 1);
    const best = new Float64Array(alike.length);
    const last = new Float64Array(alike.length);
    for (let row = 0; row < alike.length; row += 1) {
      best[row] = verdicts.best.at(alike[row] ?? 0);
      last[row] = Math.min(verdicts.last.at(alike[row] ?? 0), MOST_RISE);
    }
    const falls = best.slice().sort();
    verdicts.expect(falls);
    const ratio = Math.min(
      mostSavingRatio(best, last, falls, this.#aim + verdicts.lowering),
      1,
      ceiling / now,
    );
    let reached = 0;
    let missed = 0;
    for (let row = 0; row < best.length; row += 1) {
      if ((best[row] ?? 0) <= ratio) reached += 1;
      else missed += last[row] ?? 0;
    }
    return {
      // On a free chain the target is 0.
      target: Math.min(scaledFee(now, ratio), sendNow.at(head), ceiling),
      expected: reached / best.length,
      missed: reached < best.length ? (now * missed) / (best.length - reached) : now,
    };
  }

  /** The less history, the nearer to certainty. */
  get #aim(): number {
    const seen = this.verdicts.seenSec / this.horizonSec;
    return AIM * (1 + UNSEEN_MISSES / Math.max(seen, 1));
  }

  /** Mean saving of waiting for the target, as a share of sending at once; misses cost. */
  #saving(target: number, probability: number): number {
    const now = this.#history.sendNow.at(this.#history.head);
    const gain = Math.max(1 - feeRatio(target, now), 0);
    const cost = Math.max(feeRatio(this.#missed.at(this.#history.head), now) - 1, 0);
    return probability * gain - (1 - probability) * cost;
  }

  get #isJudged(): boolean {
    const { judgedSec } = this.verdicts;
    return judgedSec > 0 && judgedSec >= atLeast(leastJudged(this.horizonSec), this.horizonSec);
  }
}

function noLess(probability: number | null, than: number | null): number | null {
  return probability === null ? null : Math.max(probability, than ?? 0);
}

function leastJudged(horizonSec: number): typeof LEAST_JUDGED | typeof LEAST_JUDGED_SHORT {
  return horizonSec < SHORT_SEC ? LEAST_JUDGED_SHORT : LEAST_JUDGED;
}

function atLeast(
  { horizons, sec }: { readonly horizons: number; readonly sec: number },
  horizonSec: number,
): number {
  return Math.min(horizons * horizonSec, sec);
}

const HORIZONS_SEC = [300, 900, 3_600, 21_600, 86_400] as const;

/** Shortest first: no price exceeds that of a shorter one, whose target is reached within the longer as well. */
export class HorizonForecasts {
  readonly horizons: readonly HorizonForecast[];
  readonly #history: History;
  /** Debt of the advised waits over all horizons. */
  readonly #debt: Debt;

  constructor(history: History, alike: AlikeBlocks) {
    this.horizons = HORIZONS_SEC.map((horizonSec) => new HorizonForecast(history, alike, horizonSec));
    this.#history = history;
    this.#debt = new Debt(history);
  }

  push(isWarmUp: boolean): void {
    const { head, advisedWaitSec } = this.#history;
    const waitsKept = this.#waitsKept;
    let ceiling = Number.POSITIVE_INFINITY;
    let settled = 0;
    for (const horizon of this.horizons) {
      ceiling = horizon.push(ceiling, waitsKept, isWarmUp);
      settled += horizon.verdicts.settledWaits;
    }
    // Without advice to wait, the debt cannot be paid off.
    const isStuck = this.#debt.at(head - 1) > 0 && !(advisedWaitSec.at(head - 1) > 0);
    this.#debt.push(settled, mostDebt(this.#hourBlocks), isStuck ? forgiveness(this.#hourBlocks) : 0);
  }

  /** The share of successful waits, measured on those advised up to the block before the head. */
  get #waitsKept(): number {
    const { head, origin } = this.#history;
    if (head === origin) return USUAL_WAITS_KEPT;
    let debt = this.#debt.at(head - 1);
    for (const { verdicts } of this.horizons) debt += verdicts.runningWaits.at(head - 1);
    return USUAL_WAITS_KEPT - lowering(debt, this.#hourBlocks);
  }

  get #hourBlocks(): number {
    return this.horizons.find(({ horizonSec }) => horizonSec === HOUR_SEC)?.verdicts.blocks ?? 1;
  }

  followHead(): void {
    for (const { verdicts } of this.horizons) verdicts.followHead();
  }

  /** Prices never rise from one to the next; of equal prices the longer horizon's is at least as likely. */
  forecasts(): Forecast[] {
    const found: Forecast[] = [];
    for (const horizon of this.horizons) found.push(horizon.forecast(found.at(-1)));
    return found;
  }
}

/**
 * The price, over the present one, with the highest saving among those that at least `share` of the rows reached: `best`
 * has each row's lowest (`sorted`: ascending), `last` its last.
 */
function mostSavingRatio(
  best: Float64Array,
  last: Float64Array,
  sorted: Float64Array,
  share: number,
): number {
  let most = Number.NEGATIVE_INFINITY;
  let found = 1;
  const least = Math.ceil(share * best.length) - 1;
  for (let at = Math.min(Math.max(least, 0), best.length - 1); at < best.length; at += 1) {
    const ratio = sorted[at] ?? 1;
    let saved = 0;
    for (let row = 0; row < best.length; row += 1) {
      saved += 1 - ((best[row] ?? 0) <= ratio ? ratio : (last[row] ?? 0));
    }
    if (saved <= most) continue;
    most = saved;
    found = ratio;
  }
  return found;
}

export type Reach = Chance;

/** Seven times this much history is needed, and the engine keeps eight days. */
const LONGEST_SEC = 86_400;
/** Prices are scanned by the minimum of chunks of this many blocks. */
const CHUNK = 32;

/** How likely a price is reached within a time: as often as after the past blocks most similar to the head. */
export class ReachModel {
  readonly #history: History;
  readonly #alike: AlikeBlocks;
  readonly #lowest: Column;

  constructor(history: History, alike: AlikeBlocks) {
    this.#history = history;
    this.#alike = alike;
    this.#lowest = history.column(Math.ceil(history.capacity / CHUNK) + 1);
  }

  followHead(): void {
    const { head, oldest, ask } = this.#history;
    let lowest = Number.POSITIVE_INFINITY;
    for (let block = Math.max(head - (head % CHUNK), oldest); block <= head; block += 1) {
      lowest = Math.min(lowest, ask.at(block));
    }
    this.#lowest.put(Math.floor(head / CHUNK), lowest);
  }

  /** @param price wei per gas, base fee and tip together */
  reach(price: number, withinSec: number): Reach {
    if (!(withinSec > 0)) return unknown('a time must be longer than 0 s');
    if (withinSec > LONGEST_SEC) {
      const takes = formatDuration((REACH_LEAST_TIMES + 1) * withinSec);
      return unknown(
        `it takes ${takes} of blocks to say so, more than is looked back on: up to ${formatDuration(LONGEST_SEC)} ahead can be told`,
      );
    }
    const { head, oldest, sendNow, time } = this.#history;
    const ratio = feeRatio(price, sendNow.at(head));
    const longest = REACH_TIMES_SEC.findIndex((timeSec) => timeSec >= withinSec);
    let probability = 0;
    // A price reached within a shorter time is reached within a longer one, whatever that time's own neighbours say.
    for (const timeSec of REACH_TIMES_SEC.slice(0, longest + 1).reverse()) {
      // The head has no later blocks to judge it by.
      const end = Math.min(this.#history.firstSince(time.at(head) - timeSec) + 1, head);
      const alike = this.#alike.before(end, timeSec, REACH_LEAST_TIMES * timeSec);
      if (alike === null) return tooLittlePast(this.#history, (REACH_LEAST_TIMES + 1) * timeSec);
      let reached = 0;
      for (const block of alike) if (this.#falls(block, Math.min(timeSec, withinSec), ratio)) reached += 1;
      // Overlapping times count only as many as fit in sequence.
      const seen = Math.min((time.at(end - 1) - time.at(oldest)) / timeSec, alike.length);
      probability = Math.max(probability, doubtedShare(reached / alike.length, seen));
    }
    return { probability, reason: null };
  }

  /** Whether some price within `withinSec` after `since` was at or below `ratio` times that of sending at once. */
  #falls(since: number, withinSec: number, ratio: number): boolean {
    const { ask, time, sendNow } = this.#history;
    const most = ratio * Math.max(sendNow.at(since), 1);
    const until = time.at(since) + withinSec;
    const after = this.#history.firstSince(until + 1);
    const last = time.at(after) <= until ? after : after - 1;
    for (let block = since + 1; block <= last; ) {
      const isWhole = block % CHUNK === 0 && block + CHUNK - 1 <= last;
      const lowest = isWhole ? this.#lowest.at(block / CHUNK) : ask.at(block);
      if (Math.max(lowest, 1) <= most) return true;
      block += isWhole ? CHUNK : 1;
    }
    return false;
  }
}
