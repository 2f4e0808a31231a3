import { type Chance, REACH_LEAST_TIMES, REACH_TIMES_SEC } from '../advice.ts';
import { formatDuration } from '../units.ts';
import { createCoverageError, feeRatio, type History, scaledFee, within } from './history.ts';
import { shareAtMost, WholeSum, WindowMinimum } from './rolling.ts';
import { type AlikeBlocks, doubtedShare, mostSupported, tooLittlePast, unknown } from './similar-states.ts';

/** Target share of reached prices: above the 0.8 from which waiting is advised. */
const AIM = 0.85;
/** Number of times that a target is redrawn within its horizon, at most once a block. */
const PACES = 25;
const WARM_UP_PACE = 25;
/** For a target, and for a probability: so many horizons in sequence (overlapping ones add nothing), or that much time. */
const LEAST_SEEN = { horizons: 4, sec: 86_400 } as const;
const LEAST_JUDGED = { horizons: 4, sec: 4 * 86_400 } as const;
/** The same for horizons below an hour, whose windows fill quickly. */
const LEAST_JUDGED_SHORT = { horizons: 8, sec: 4 * 86_400 } as const;
/** A few successes say little: this many misses are added when a target is drawn. */
const UNSEEN_MISSES = 8;
/** Cap of a later price, in multiples of the price at its start: one burst must not decide everything. */
const MOST_RISE = 2;
const LEAST_SAVING = 0.05;
/** Waits are chosen where the forecast is too optimistic: at most what such waits reach is stated, from this value on. */
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
  /** Mean price at the end after similar blocks that missed it, over sending in the next block, less 1. */
  readonly missRatio: number;
  /** Similar windows, one after another, and those of them in which the price came. */
  readonly windows: number;
  readonly windowsKept: number;
  readonly isCeiling: boolean;
  readonly expectedWaitSec: number;
  readonly judgedRatio: number;
}

/** Judged advice. */
export interface Outcome {
  readonly stated: number;
  readonly isKept: boolean;
  /** Against sending in the next block; a miss pays the last price of its time. */
  readonly saved: number;
}

/** A target, the share of similar blocks that reached it, and the mean price at the end for those that did not; wei per gas. */
const UNKNOWN = { target: Number.NaN, expected: Number.NaN, missed: Number.NaN };
type Draw = typeof UNKNOWN;

/** Forecasts the price that is reached within one horizon: states one at every block and learns from the outcomes. */
function createHorizon(history: History, alike: AlikeBlocks, horizonSec: number) {
  const verdicts = createVerdicts(history, horizonSec);
  const expectedShare = history.column(2);
  const missedPrice = history.column(2);
  const leastSeenSec = leastSec(LEAST_SEEN, horizonSec);
  const leastJudgedSec = leastSec(horizonSec < HOUR_SEC ? LEAST_JUDGED_SHORT : LEAST_JUDGED, horizonSec);

  function nextDraw(ceiling: number, leastPace: number): Draw {
    const { head, oldest, sendNow } = history;
    const before = head > oldest ? verdicts.target.at(head - 1) : Number.NaN;
    const pace = Math.max(Math.floor(verdicts.blocks() / PACES), leastPace);
    if (head % pace > 0 && !Number.isNaN(before)) {
      const target = Math.min(before, sendNow.at(head), ceiling);
      return { target, expected: expectedShare.at(head - 1), missed: missedPrice.at(head - 1) };
    }
    const blocks = alike.before(verdicts.pending(), horizonSec, leastSeenSec);
    return blocks === null ? UNKNOWN : draw(blocks, ceiling);
  }

  function draw(blocks: Float64Array, ceiling: number): Draw {
    const sendNow = history.sendNow.at(history.head);
    const now = Math.max(sendNow, 1);
    const best = verdicts.best.of(blocks);
    const last = verdicts.last.of(blocks);
    const falls = best.slice().sort();
    verdicts.expect(falls);
    // The less history, the nearer to certainty.
    const aim = AIM * (1 + UNSEEN_MISSES / Math.max(verdicts.seenSec() / horizonSec, 1));
    const ratio = Math.min(mostSavingRatio(best, last, falls, aim + verdicts.correction()), 1, ceiling / now);
    let reached = 0;
    let missed = 0;
    // Here and below `?? 0` is for the type checker alone: no row is missing.
    for (let row = 0; row < best.length; row += 1) {
      if ((best[row] ?? 0) <= ratio) reached += 1;
      else missed += last[row] ?? 0;
    }
    return {
      // On a free chain the target is 0.
      target: Math.min(scaledFee(now, ratio), sendNow, ceiling),
      expected: reached / best.length,
      missed: reached < best.length ? (now * missed) / (best.length - reached) : now,
    };
  }

  /** Mean, as a share of sending at once; misses cost. */
  function saving(target: number, probability: number): number {
    const now = history.sendNow.at(history.head);
    const gain = Math.max(1 - feeRatio(target, now), 0);
    const cost = Math.max(feeRatio(missedPrice.at(history.head), now) - 1, 0);
    return probability * gain - (1 - probability) * cost;
  }

  return {
    horizonSec,
    verdicts,
    /** Learns, and states a target of at most `ceiling` (the shorter horizon's); returns the next one's ceiling. */
    push(ceiling: number, waitsKept: number, isWarmUp: boolean): number {
      const { head, sendNow } = history;
      const { target, expected, missed } = nextDraw(ceiling, isWarmUp ? WARM_UP_PACE : 1);
      const most = mostSupported(verdicts.seenSec() / horizonSec);
      const likely = Math.min(Math.max(expected - verdicts.correction(), 0), most);
      const isTempting = target <= (1 - LEAST_SAVING) * sendNow.at(head) && sendNow.at(head) > 0;
      expectedShare.put(head, expected);
      missedPrice.put(head, missed);
      verdicts.put(target, isTempting ? Math.min(likely, waitsKept) : likely);
      return Number.isNaN(target) ? ceiling : target;
    },
    /** @param shorter the forecast of the next shorter horizon. */
    forecast(shorter: Forecast | undefined): Forecast {
      const { head, sendNow } = history;
      const { target: targets, stated, meanWaitSec, judgedRatio, judgedSec } = verdicts;
      const target = targets.at(head);
      const price = Number.isNaN(target) ? (shorter?.price ?? sendNow.at(head)) : target;
      const least = price === shorter?.price ? (shorter.probability ?? 0) : 0;
      const isJudged = judgedSec > 0 && judgedSec >= leastJudgedSec;
      const probability = isJudged ? Math.max(stated.at(head), least) : null;
      // Windows to draw a target from, then targets to judge, each to its end.
      const pastSec = leastSeenSec + leastJudgedSec + 2 * horizonSec;
      const windows = Math.floor(verdicts.seenSec() / horizonSec);
      return {
        horizonSec,
        price,
        probability,
        reason: probability === null ? tooLittlePast(history, pastSec).reason : null,
        savingRatio: probability === null ? null : saving(target, probability),
        missRatio: feeRatio(missedPrice.at(head), sendNow.at(head)) - 1,
        windows,
        windowsKept: Math.round(windows * expectedShare.at(head)),
        isCeiling: probability !== null && probability >= mostSupported(verdicts.seenSec() / horizonSec),
        expectedWaitSec: meanWaitSec,
        judgedRatio,
      };
    },
  };
}

const leastSec = ({ horizons, sec }: Record<'horizons' | 'sec', number>, horizonSec: number) =>
  Math.min(horizons * horizonSec, sec);

/** Waits are averaged over this many horizons, and at least this many blocks. */
const TRAILING_HORIZONS = 10;
const LEAST_TRAILING_BLOCKS = 600;
/** A coverage error is corrected over the predictions of this many horizons, by at most this much of a probability. */
const CORRECTION_HORIZONS = 5;
const MOST_CORRECTION = 0.3;

/** How far a coverage error lowers the stated probability of a horizon with this many blocks. */
const correctionFor = (coverageError: number, blocks: number) =>
  within(MOST_CORRECTION, coverageError / (CORRECTION_HORIZONS * blocks));

/** The coverage error that is corrected as far as possible: a larger one would only take longer to go. */
const mostError = (blocks: number) => MOST_CORRECTION * CORRECTION_HORIZONS * blocks;

/** The predictions of one horizon at each block, and their outcomes once its time is over. Wei per gas. */
function createVerdicts(history: History, horizonSec: number) {
  const { ask, time, sendNow, advisedWaitSec } = history;
  const target = history.column();
  const stated = history.column();
  /** Of settled blocks: lowest price within the horizon, and its last one (capped), over the price of sending at once. */
  const best = history.column();
  const last = history.column();
  /** Seconds until the target was reached; `NaN` when it was not. */
  const waitSec = history.column();
  const coverageError = createCoverageError(history);
  /** Expected coverage error of the running predictions, and of the advised waits among them. */
  const runningError = history.column(2);
  const runningWaitsError = history.column(2);
  const lowest = new WindowMinimum();
  /** The oldest block whose horizon has not ended. */
  let pending = 0;
  /** Number of blocks that a horizon had recently: a chain's pace may differ from its nominal one. */
  let blocks = 1;
  /** First block of the unbroken run of blocks with a target. */
  let since: number | null = null;

  const firstPending = () => history.firstSince(time.at(history.head) - horizonSec);
  /** The blocks whose waits are averaged: to the last settled one. */
  let waited = { from: 0, to: 0 };
  const waits = history.rolling(waitSec, new WholeSum(), () => waited);

  function measurePace(): void {
    const { oldest } = history;
    const to = Math.max(pending, oldest);
    const from = history.firstSince(time.at(to) - TRAILING_HORIZONS * horizonSec);
    const horizons = (time.at(to) - time.at(from)) / horizonSec;
    blocks = Math.max(Math.round((to - from) / horizons) || 1, 1);
    waited = { from: Math.max(Math.min(from, to - LEAST_TRAILING_BLOCKS), oldest), to };
  }

  const isAdvised = (block: number) => advisedWaitSec.at(block) === horizonSec;

  /** Measures the horizon that began at `given`. Returns stated probability minus outcome; `NaN` without a target. */
  function settle(given: number): number {
    const { head } = history;
    lowest.dropBefore(given + 1);
    const least = lowest.minimum ?? ask.at(head);
    const now = sendNow.at(given);
    const isReached = least <= target.at(given);
    let first = given + 1;
    if (isReached) while (first < head && ask.at(first) > target.at(given)) first += 1;
    best.put(given, feeRatio(least, now));
    // After a standstill over the whole horizon, the first later block counts.
    last.put(given, Math.min(feeRatio(ask.at(Math.max(head - 1, given + 1)), now), MOST_RISE));
    waitSec.put(given, isReached ? Math.round(time.at(first) - time.at(given)) : Number.NaN);
    return stated.at(given) - (isReached ? 1 : 0);
  }

  return {
    target,
    stated,
    best,
    last,
    runningWaitsError,
    pending: () => pending,
    blocks: () => blocks,
    /** Settles the horizons that end before the head; returns the coverage error of the advised waits among them. */
    push(): number {
      const { head, origin, oldest } = history;
      const end = firstPending();
      let settled = 0;
      let settledWaits = 0;
      for (let given = Math.max(pending, oldest); given < end; given += 1) {
        const missed = settle(given);
        if (Number.isNaN(missed)) continue;
        settled += missed;
        if (isAdvised(given)) settledWaits += missed;
      }
      pending = end;
      lowest.push(head, ask.at(head));
      measurePace();
      coverageError.push(settled, mostError(blocks));
      for (const column of [runningError, runningWaitsError])
        column.put(head, head > origin ? column.at(head - 1) : 0);
      return settledWaits;
    },
    followHead(): void {
      pending = firstPending();
      lowest.clear();
      for (let block = pending + 1; block <= history.head; block += 1) lowest.push(block, ask.at(block));
      measurePace();
    },
    /** Of running predictions: as many are reached as after similar blocks (`falls`, ascending), fewer with less time left. */
    expect(falls: Float64Array): void {
      const { head } = history;
      const now = sendNow.at(head);
      let least = now;
      let sum = 0;
      let sumOfWaits = 0;
      for (let given = head - 1; given >= pending; given -= 1) {
        least = Math.min(least, ask.at(given + 1));
        const aim = target.at(given);
        if (Number.isNaN(aim)) break;
        const left = 1 - (time.at(head) - time.at(given)) / horizonSec;
        const missed = stated.at(given) - (least <= aim ? 1 : left * shareAtMost(falls, feeRatio(aim, now)));
        sum += missed;
        if (isAdvised(given)) sumOfWaits += missed;
      }
      runningError.put(head, sum);
      runningWaitsError.put(head, sumOfWaits);
    },
    /** Stores the head's target and its stated probability; `NaN` when unknown. */
    put(aim: number, probability: number): void {
      const { head } = history;
      target.put(head, aim);
      stated.put(head, probability);
      since = Number.isNaN(aim) ? null : Math.min(since ?? head, head);
    },
    /** What came of the price stated at `block`; `null` while the horizon runs or if none was stated. */
    outcomeAt(block: number): Outcome | null {
      if (block >= pending || Number.isNaN(target.at(block))) return null;
      const isKept = !Number.isNaN(waitSec.at(block));
      const paid = isKept ? feeRatio(target.at(block), sendNow.at(block)) : last.at(block);
      return { stated: stated.at(block), isKept, saved: 1 - paid };
    },
    /** Seconds between the oldest and the last block whose horizon has ended. */
    seenSec: () => time.at(pending) - time.at(history.oldest),
    get judgedSec(): number {
      const { head, oldest } = history;
      const first = Math.max(since ?? head, oldest);
      return Math.max(time.at(Math.max(pending - 1, oldest)) - time.at(first), 0);
    },
    get judgedRatio(): number {
      return Math.min(this.judgedSec / (TRAILING_HORIZONS * horizonSec), 1);
    },
    /** How far the stated probability must be lowered to be calibrated. */
    correction: () => correctionFor(coverageError.at(history.head) + runningError.at(history.head), blocks),
    get meanWaitSec(): number {
      return waits.tally.mean ?? 0;
    },
  };
}

export const HORIZONS_SEC = [300, 900, 3_600, 21_600, 86_400] as const;

export type Horizons = ReturnType<typeof createHorizons>;

/** Shortest first: no price exceeds that of a shorter one, whose target is reached within the longer as well. */
export function createHorizons(history: History, alike: AlikeBlocks) {
  const horizons = HORIZONS_SEC.map((horizonSec) => createHorizon(history, alike, horizonSec));
  /** Of the advised waits. */
  const coverageError = createCoverageError(history);
  const hourBlocks = () => horizons.find(({ horizonSec }) => horizonSec === HOUR_SEC)?.verdicts.blocks() ?? 1;

  /** The share of successful waits, measured on those advised up to the block before the head. */
  function waitsKept(): number {
    const { head, origin } = history;
    if (head === origin) return USUAL_WAITS_KEPT;
    let error = coverageError.at(head - 1);
    for (const { verdicts } of horizons) error += verdicts.runningWaitsError.at(head - 1);
    return USUAL_WAITS_KEPT - correctionFor(error, hourBlocks());
  }

  return {
    push(isWarmUp: boolean): void {
      const { head, advisedWaitSec } = history;
      const most = waitsKept();
      let ceiling = Number.POSITIVE_INFINITY;
      let settled = 0;
      for (const horizon of horizons) {
        settled += horizon.verdicts.push();
        ceiling = horizon.push(ceiling, most, isWarmUp);
      }
      // Without advice to wait nothing corrects it, so it fades.
      const isStuck = coverageError.at(head - 1) > 0 && !(advisedWaitSec.at(head - 1) > 0);
      const forgiven = isStuck ? 1 / (CORRECTION_HORIZONS * hourBlocks()) : 0;
      coverageError.push(settled, mostError(hourBlocks()), forgiven);
    },
    followHead(): void {
      for (const { verdicts } of horizons) verdicts.followHead();
    },
    outcomeAt: (horizonSec: number, block: number): Outcome | null =>
      horizons.find((each) => each.horizonSec === horizonSec)?.verdicts.outcomeAt(block) ?? null,
    /** Prices never rise from one to the next; of equal prices the longer horizon's is at least as likely. */
    forecasts(): Forecast[] {
      const found: Forecast[] = [];
      for (const horizon of horizons) found.push(horizon.forecast(found.at(-1)));
      return found;
    },
  };
}

/** Over the present price: saves most of those that `share` of the rows reached (`best`: lowest, `last`: last price). */
function mostSavingRatio(best: Float64Array, last: Float64Array, falls: Float64Array, share: number): number {
  let most = Number.NEGATIVE_INFINITY;
  let found = 1;
  const least = Math.ceil(share * best.length) - 1;
  for (let at = Math.min(Math.max(least, 0), best.length - 1); at < best.length; at += 1) {
    const ratio = falls[at] ?? 1;
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

/** Seven times this much history is needed, and the engine keeps eight days. */
const LONGEST_SEC = 86_400;
/** Prices are scanned by the minimum of chunks of this many blocks. */
const CHUNK = 32;

/** How likely a price is reached within a time: as often as after the past blocks most similar to the head. */
export function createReachModel(history: History, alike: AlikeBlocks) {
  const { ask, time, sendNow } = history;
  const lowest = history.column(Math.ceil(history.capacity / CHUNK) + 1);

  /** Whether some price within `withinSec` after `since` was at or below `ratio` times that of sending at once. */
  function falls(since: number, withinSec: number, ratio: number): boolean {
    const most = ratio * Math.max(sendNow.at(since), 1);
    const until = time.at(since) + withinSec;
    const after = history.firstSince(until + 1);
    const last = time.at(after) <= until ? after : after - 1;
    for (let block = since + 1; block <= last; ) {
      const isWhole = block % CHUNK === 0 && block + CHUNK - 1 <= last;
      if (Math.max(isWhole ? lowest.at(block / CHUNK) : ask.at(block), 1) <= most) return true;
      block += isWhole ? CHUNK : 1;
    }
    return false;
  }

  return {
    followHead(): void {
      const { head, oldest } = history;
      let least = Number.POSITIVE_INFINITY;
      for (let block = Math.max(head - (head % CHUNK), oldest); block <= head; block += 1) {
        least = Math.min(least, ask.at(block));
      }
      lowest.put(Math.floor(head / CHUNK), least);
    },
    reach(price: number, withinSec: number): Chance {
      if (!(withinSec > 0)) return unknown('a time must be longer than 0 s');
      if (withinSec > LONGEST_SEC) {
        const takes = formatDuration((REACH_LEAST_TIMES + 1) * withinSec);
        return unknown(
          `it takes ${takes} of blocks to say so, more than is looked back on: up to ${formatDuration(LONGEST_SEC)} ahead can be told`,
        );
      }
      const { head, oldest } = history;
      const ratio = feeRatio(price, sendNow.at(head));
      const longest = REACH_TIMES_SEC.findIndex((timeSec) => timeSec >= withinSec);
      let probability = 0;
      // A price reached within a shorter time is reached within a longer one, whatever that time's own neighbours say.
      for (const timeSec of REACH_TIMES_SEC.slice(0, longest + 1).reverse()) {
        // The head has no later blocks to judge it by.
        const end = Math.min(history.firstSince(time.at(head) - timeSec) + 1, head);
        const blocks = alike.before(end, timeSec, REACH_LEAST_TIMES * timeSec);
        if (blocks === null) return tooLittlePast(history, (REACH_LEAST_TIMES + 1) * timeSec);
        const reached = blocks.filter((block) => falls(block, Math.min(timeSec, withinSec), ratio)).length;
        // Overlapping times count only as many as fit in sequence.
        const seen = Math.min((time.at(end - 1) - time.at(oldest)) / timeSec, blocks.length);
        probability = Math.max(probability, doubtedShare(reached / blocks.length, seen));
      }
      return { probability, reason: null };
    },
  };
}
