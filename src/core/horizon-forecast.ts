import type { AlikeBlocks } from './alike-blocks.ts';
import { tooLittlePast } from './chance.ts';
import { ExactSum } from './exact-sum.ts';
import { feeRatio, fromPpm, scaledFee, toPpm } from './fee-ratio.ts';
import type { Column, History, Span } from './history.ts';
import { mostSavingRatio } from './most-saving-ratio.ts';
import { Rolling, WholeSum } from './rolling.ts';
import { WindowMinimum } from './window-minimum.ts';

/**
 * The share of targets that is meant to be reached at least: some way above the 0.8 that waiting is advised at, since one
 * waits where the forecast looks best and that is where it flatters most.
 */
const AIM = 0.85;
/** Verdicts look back this many horizons; those on what a miss costs and how long a wait takes at least so many blocks. */
const TRAILING_HORIZONS = 10;
const LEAST_TRAILING_BLOCKS = 600;
/** Times that a target is drawn anew within its horizon, at most once a block. */
const PACES = 25;
/** Words and verdicts are believed to differ once they did so for longer than this many horizons. */
const DOUBTED_HORIZONS = 1;
/**
 * Windows overlap: that many horizons one after another, or that much time, before a target is drawn from them, and then
 * before a probability is stated.
 */
const LEAST_SEEN = { horizons: 4, sec: 86_400 } as const;
const LEAST_JUDGED = { horizons: 4, sec: 4 * 86_400 } as const;
/** The same of horizons below an hour, whose windows are soon had. */
const LEAST_JUDGED_SHORT = { horizons: 8, sec: 4 * 86_400 } as const;
const SHORT_SEC = 3_600;
/**
 * Of few horizons not even those that all were kept say much: so many more are counted, as missed, when a target is drawn
 * (the rule of three: what never failed in n tries may yet fail three times in n).
 */
const UNSEEN_MISSES = 3;
/** Share that a target must save to be worth a wait. */
const LEAST_SAVING = 0.05;
/**
 * One waits where the forecast looks best, and there words flatter: by so much, until the verdicts of more than so many
 * horizons say otherwise. What is stated of a horizon as such, block after block, is not doubted.
 */
const FLATTERY = 0.15;
const FLATTERED_HORIZONS = 4;
/** A price that rose beyond this many times that of then counts as this much: one burst must not decide everything. */
const MOST_RISE = 2;

/** What one horizon says at the head. Wei per gas. */
export interface Forecast {
  readonly horizonSec: number;
  /** Reached within the horizon with `probability`; until something is known a shorter one's, or that of sending at once. */
  readonly price: number;
  readonly probability: number | null;
  /** Why there is no probability; `null` where there is one. */
  readonly reason: string | null;
  /** The same for who waits because it looks worth it; no more than `probability`. */
  readonly waitProbability: number | null;
  /** Of `price` against sending in the next block. */
  readonly savingRatio: number;
  /**
   * What waiting saves, with misses counted at what the last block of a missed horizon asked for on average, or at the price of
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
  readonly #alike: AlikeBlocks;
  /** Lowest price within the horizon over that of sending at once. */
  readonly #best: Column;
  /** What its last block asked for, over that of sending at once. */
  readonly #last: Column;
  /** Share of like blocks that reached the target; and 1 or 0 for whether it was, less that share, in whole millionths. */
  readonly #expected: Column;
  readonly #surprise: Column;
  /** The same where waiting looked worth it, and not known elsewhere. */
  readonly #temptedSurprise: Column;
  readonly #target: Column;
  readonly #reached: Column;
  readonly #waitSec: Column;
  /**
   * What the horizon's last block asked for where the target was missed. As a price and not as a multiple of the one
   * before: misses begin at low prices, and what they cost says little of how far a high one may still rise.
   */
  readonly #missed: Column;
  readonly #surprises: Rolling<WholeSum>;
  readonly #tempted: Rolling<WholeSum>;
  readonly #waits: Rolling<WholeSum>;
  readonly #misses: Rolling<ExactSum>;
  readonly #lowest = new WindowMinimum();
  /** The oldest block whose horizon has not ended. */
  #pending = 0;
  /** Blocks that a horizon had of late: chains keep their own pace, whatever was planned. */
  #blocks = 1;

  constructor(history: History, alike: AlikeBlocks, horizonSec: number) {
    this.horizonSec = horizonSec;
    this.#history = history;
    this.#alike = alike;
    this.#best = history.column();
    this.#last = history.column();
    this.#expected = history.column();
    this.#surprise = history.column();
    this.#temptedSurprise = history.column();
    this.#target = history.column();
    this.#reached = history.column();
    this.#waitSec = history.column();
    this.#missed = history.column();
    this.#surprises = new Rolling(this.#surprise, new WholeSum());
    this.#tempted = new Rolling(this.#temptedSurprise, new WholeSum());
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
    for (let given = Math.max(this.#pending, oldest); given < pending; given += 1) this.#settle(given);
    this.#pending = pending;
    this.#lowest.push(head, ask.at(head));
    this.#moveWindows();
    const stated = this.#nextTarget(ceiling);
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
    const isSame = price === shorter?.price;
    const probability = noLess(this.#chance(this.#correction), isSame ? shorter.probability : null);
    const waitProbability = noLess(this.#chance(this.#doubt), isSame ? shorter.waitProbability : null);
    const savingRatio = Math.max(1 - feeRatio(price, now), 0);
    const lossRatio = Math.max(feeRatio(this.#misses.tally.mean ?? now, now) - 1, 0);
    return {
      horizonSec: this.horizonSec,
      price,
      probability,
      reason: probability === null ? tooLittlePast(this.#history, this.#pastSec).reason : null,
      waitProbability,
      savingRatio,
      expectedSavingRatio:
        waitProbability === null ? null : waitProbability * savingRatio - (1 - waitProbability) * lossRatio,
      expectedWaitSec: this.#waits.tally.mean ?? 0,
      judgedRatio: Math.min(this.#surprises.tally.count / (TRAILING_HORIZONS * this.#blocks), 1),
    };
  }

  /** What it takes until a probability is stated: past, to its end, to draw a target from, then targets to judge, to their end. */
  get #pastSec(): number {
    const { horizonSec } = this;
    return atLeast(LEAST_SEEN, horizonSec) + atLeast(leastJudged(horizonSec), horizonSec) + 2 * horizonSec;
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

  /** Measures the horizon that began at `given` and ended before the head, and whether its target was reached. */
  #settle(given: number): void {
    const { head, ask, sendNow } = this.#history;
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
    this.#surprise.put(given, surprise);
    this.#temptedSurprise.put(given, this.#isTempting(given) ? surprise : Number.NaN);
    this.#reached.put(given, reached);
    this.#waitSec.put(given, reached === 1 ? this.#waitFor(given, target) : Number.NaN);
    this.#missed.put(given, reached === 0 ? ask.at(last) : Number.NaN);
  }

  #waitFor(given: number, target: number): number {
    const { head, ask, time } = this.#history;
    let block = given + 1;
    while (block < head && ask.at(block) > target) block += 1;
    return Math.round(time.at(block) - time.at(given));
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
    this.#misses.moveTo(long);
  }

  /** What the target's price is, at most `ceiling`; `NaN` while that is unknown. */
  #nextTarget(ceiling: number): number {
    const { head, oldest, sendNow } = this.#history;
    const now = Math.max(sendNow.at(head), 1);
    const before = head > oldest ? this.#target.at(head - 1) : Number.NaN;
    const pace = Math.max(Math.floor(this.#blocks / PACES), 1);
    if (head % pace > 0 && !Number.isNaN(before)) {
      this.#expected.put(head, this.#expected.at(head - 1));
      return Math.min(before, sendNow.at(head), ceiling);
    }
    this.#expected.put(head, Number.NaN);
    const alike = this.#alike.before(this.#pending, this.horizonSec, atLeast(LEAST_SEEN, this.horizonSec));
    if (alike === null) return Number.NaN;
    const best = alike.map((block) => this.#best.at(block));
    const last = alike.map((block) => Math.min(this.#last.at(block), MOST_RISE));
    const ratio = Math.min(mostSavingRatio(best, last, this.#aim - this.#correction), 1, ceiling / now);
    let reached = 0;
    for (const each of best) if (each <= ratio) reached += 1;
    this.#expected.put(head, reached / best.length);
    // Where sending costs nothing, nothing is less.
    return Math.min(scaledFee(now, ratio), sendNow.at(head), ceiling);
  }

  /** Nearer to certainty the fewer horizons have been seen. */
  get #aim(): number {
    const { time, oldest } = this.#history;
    const seen = (time.at(this.#pending) - time.at(oldest)) / this.horizonSec;
    return AIM * (1 + UNSEEN_MISSES / Math.max(seen, 1));
  }

  /** The correction for who waits, at the head. */
  get #doubt(): number {
    if (!this.#isTempting(this.#history.head)) return this.#correction;
    const { sum, count } = this.#tempted.tally;
    const doubted = FLATTERED_HORIZONS * this.#blocks;
    return Math.min((fromPpm(sum) - FLATTERY * doubted) / (count + doubted), this.#correction);
  }

  /** Whether the target given at `block` is so low that waiting looks worth it: that is where words flatter. */
  #isTempting(block: number): boolean {
    const now = this.#history.sendNow.at(block);
    return now > 0 && this.#target.at(block) <= (1 - LEAST_SAVING) * now;
  }

  /** How far targets were reached more often than like blocks had it. */
  get #correction(): number {
    const { sum, count } = this.#surprises.tally;
    return fromPpm(sum) / (count + DOUBTED_HORIZONS * this.#blocks);
  }

  #chance(correction: number): number | null {
    const expected = this.#expected.at(this.#history.head);
    if (Number.isNaN(expected) || !this.#spans(this.#surprises.tally.count)) return null;
    return Math.min(Math.max(expected + correction, 0), 1);
  }

  /** Whether the last `blocks` settled blocks cover enough for a promise. */
  #spans(blocks: number): boolean {
    const { time, oldest } = this.#history;
    const last = this.#pending - 1;
    const first = Math.max(this.#pending - blocks, oldest);
    return (
      last > first && time.at(last) - time.at(first) >= atLeast(leastJudged(this.horizonSec), this.horizonSec)
    );
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
