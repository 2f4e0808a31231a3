import type { AlikeBlocks } from './alike-blocks.ts';
import { mostSupported, tooLittlePast } from './chance.ts';
import { feeRatio, scaledFee } from './fee-ratio.ts';
import type { History } from './history.ts';
import { HorizonVerdicts } from './horizon-verdicts.ts';
import { mostSavingRatio } from './most-saving-ratio.ts';

/**
 * The share of targets that is meant to be reached at least: some way above the 0.8 that waiting is advised at, since one
 * waits where the forecast looks best and that is where it flatters most.
 */
const AIM = 0.85;
/** Times that a target is drawn anew within its horizon, at most once a block. */
const PACES = 25;
/**
 * How much must have been seen before a target is drawn, and how much judged before a probability is stated: that
 * many horizons one after another (windows that overlap tell no more), or that much time, whichever is less.
 */
const LEAST_SEEN = { horizons: 4, sec: 86_400 } as const;
const LEAST_JUDGED = { horizons: 4, sec: 4 * 86_400 } as const;
/** The same of horizons below an hour, whose windows are soon had. */
const LEAST_JUDGED_SHORT = { horizons: 8, sec: 4 * 86_400 } as const;
const SHORT_SEC = 3_600;
/**
 * That all of a few horizons were kept says little: so many more are counted, as missed, when a target is drawn (the
 * rule of three: what never failed in n tries may yet fail three times in n).
 */
const UNSEEN_MISSES = 3;
/**
 * The most that a later price counts as, in multiples of the one at its start: one burst must not decide everything.
 */
const MOST_RISE = 2;

/** What one horizon says at the head. Wei per gas. */
export interface Forecast {
  readonly horizonSec: number;
  /**
   * Reached within the horizon with `probability`. Until something is known it is the price of a shorter horizon, or
   * that of sending at once.
   */
  readonly price: number;
  readonly probability: number | null;
  /** Why there is no probability; `null` where there is one. */
  readonly reason: string | null;
  /**
   * The probability for whoever waits because it looks worth it: there the forecast flatters, so it is no more than
   * `probability`.
   */
  readonly waitProbability: number | null;
  /** Of `price` against sending in the next block. */
  readonly savingRatio: number;
  /**
   * What waiting saves, by what was paid where targets were reached, and with misses counted at what the last block of the
   * horizon asks for; `null` until measured.
   */
  readonly expectedSavingRatio: number | null;
  /** Mean wait of those that were reached. */
  readonly expectedWaitSec: number;
  /** How much of the past that this looks back on has been judged, 0 to 1. */
  readonly judgedRatio: number;
}

/** The price that is reached within one horizon: states one at every block and learns from what came of it. */
export class HorizonForecast {
  readonly horizonSec: number;
  readonly #history: History;
  readonly #alike: AlikeBlocks;
  readonly #verdicts: HorizonVerdicts;

  constructor(history: History, alike: AlikeBlocks, horizonSec: number) {
    this.horizonSec = horizonSec;
    this.#history = history;
    this.#alike = alike;
    this.#verdicts = new HorizonVerdicts(history, horizonSec);
  }

  /**
   * Settles the horizons that end before the head, learns from them and states a new target, no higher than `ceiling`
   * (what reaches a shorter horizon's target reaches it within this one too). Returns the ceiling for the next longer one.
   */
  push(ceiling: number): number {
    this.#verdicts.push();
    const { target, expected } = this.#nextWord(ceiling);
    this.#verdicts.put(target, expected);
    return Number.isNaN(target) ? ceiling : target;
  }

  followHead(): void {
    this.#verdicts.followHead();
  }

  /** @param shorter what the next shorter horizon says. */
  forecast(shorter: Forecast | undefined): Forecast {
    const { head, sendNow } = this.#history;
    const { correction, doubt, meanWaitSec, judgedRatio } = this.#verdicts;
    const now = sendNow.at(head);
    const target = this.#verdicts.targetAt(head);
    const price = Number.isNaN(target) ? (shorter?.price ?? now) : target;
    const isSame = price === shorter?.price;
    const probability = noLess(this.#chance(correction), isSame ? shorter.probability : null);
    const waitProbability = noLess(this.#chance(doubt), isSame ? shorter.waitProbability : null);
    const savingRatio = Math.max(1 - feeRatio(price, now), 0);
    return {
      horizonSec: this.horizonSec,
      price,
      probability,
      reason:
        probability === null ? tooLittlePast(this.#history, this.#pastSec, 'judge such prices').reason : null,
      waitProbability,
      savingRatio,
      expectedSavingRatio: waitProbability === null ? null : this.#verdicts.expectedSaving(waitProbability),
      expectedWaitSec: meanWaitSec,
      judgedRatio,
    };
  }

  /** Whether the price stated at `block` was reached; `null` while the horizon runs or if none was stated. */
  reachedAt(block: number): boolean | null {
    return this.#verdicts.reachedAt(block);
  }

  /** What it takes until a probability is stated: past, to its end, to draw a target from, then targets to judge, to their end. */
  get #pastSec(): number {
    const { horizonSec } = this;
    return atLeast(LEAST_SEEN, horizonSec) + atLeast(leastJudged(horizonSec), horizonSec) + 2 * horizonSec;
  }

  /** What the target's price is, at most `ceiling`, and the share of like blocks that reached it; `NaN` while unknown. */
  #nextWord(ceiling: number): { target: number; expected: number } {
    const { head, oldest, sendNow } = this.#history;
    const verdicts = this.#verdicts;
    const now = Math.max(sendNow.at(head), 1);
    const before = head > oldest ? verdicts.targetAt(head - 1) : Number.NaN;
    const pace = Math.max(Math.floor(verdicts.blocks / PACES), 1);
    if (head % pace > 0 && !Number.isNaN(before)) {
      const target = Math.min(before, sendNow.at(head), ceiling);
      return { target, expected: verdicts.expectedAt(head - 1) };
    }
    const alike = this.#alike.before(verdicts.pending, this.horizonSec, atLeast(LEAST_SEEN, this.horizonSec));
    if (alike === null) return { target: Number.NaN, expected: Number.NaN };
    const best = alike.map((block) => verdicts.bestAt(block));
    const last = alike.map((block) => Math.min(verdicts.lastAt(block), MOST_RISE));
    const ratio = Math.min(mostSavingRatio(best, last, this.#aim - verdicts.correction), 1, ceiling / now);
    let reached = 0;
    for (const each of best) if (each <= ratio) reached += 1;
    // Where sending costs nothing, nothing is less.
    const target = Math.min(scaledFee(now, ratio), sendNow.at(head), ceiling);
    return { target, expected: reached / best.length };
  }

  /** Nearer to certainty the fewer horizons have been seen. */
  get #aim(): number {
    const seen = this.#verdicts.seenSec / this.horizonSec;
    return AIM * (1 + UNSEEN_MISSES / Math.max(seen, 1));
  }

  #chance(correction: number): number | null {
    const expected = this.#verdicts.expectedAt(this.#history.head);
    if (Number.isNaN(expected) || !this.#isJudged) return null;
    const most = mostSupported(this.#verdicts.seenSec / this.horizonSec);
    return Math.min(Math.max(expected + correction, 0), most);
  }

  /** Whether enough has been judged for a promise. */
  get #isJudged(): boolean {
    const { judgedSec } = this.#verdicts;
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
