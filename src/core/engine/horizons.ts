import { type Chance, HORIZONS_SEC, LANE_PROMISES, REACH_LEAST_TIMES, REACH_TIMES_SEC } from '../advice.ts';
import { formatDuration } from '../units.ts';
import { type Column, feeRatio, type History, REWIND_DEPTH, wholeWei } from './history.ts';
import { createPastStates, type PastStates, QUANTILES } from './past-states.ts';
import { SortedValues, WholeSum, WindowMinimum } from './rolling.ts';
import { type AlikeBlocks, nextShare, tooLittlePast, unknownChance } from './similar-states.ts';

/** The prices of one horizon, of so many blocks at least. */
const LEAST_PRICED_BLOCKS = 50;
/** A price is chosen anew so many times a horizon; between, what is stated of it follows the price of now. */
const DRAWS_A_HORIZON = 8;
/** At most once in so many blocks while nobody reads the advice. */
const WARM_UP_PACE = 25;
/** So many windows, one after another, must have ended before a probability is stated. */
const LEAST_WINDOWS = 4;
/** Cap of a later price, in multiples of the price at its start: one burst must not decide everything. */
const MOST_RISE = 2;
/** A price is a candidate only if it comes three times in five, and worth a correction if it saves so much. */
export const LEAST_PROBABILITY = 0.6;
export const LEAST_SAVING = 0.005;
/** The best of several estimates is too good (the winner's curse): by as much as measured over this time and so many horizons. */
const EXCESS_SEC = 86_400;
const EXCESS_HORIZONS = 4;
/** Waits are averaged over this many horizons, and at least this many blocks. */
const TRAILING_HORIZONS = 10;
const LEAST_TRAILING_BLOCKS = 600;

/** The forecast of one horizon at the head. Wei per gas. */
export interface Forecast {
  readonly horizonSec: number;
  /** Without enough history, the price of a shorter horizon, or of sending at once. */
  readonly price: number;
  readonly probability: number | null;
  /** Why there is no probability. Worded only where it is read: a block that is taken in reads none. */
  readonly reason: () => string | null;
  /** Against sending in the next block; a miss pays what similar blocks did at the end. `null` until measured. */
  readonly savingRatio: number | null;
  /** Mean price at the end after similar blocks that missed it, over sending in the next block, less 1. */
  readonly missRatio: number;
  /** Similar windows, one after another, and those of them in which the price came. */
  readonly windows: number;
  readonly windowsKept: number;
  readonly isCeiling: boolean;
  /** What came of earlier ones, worked out only where it is read. */
  readonly record: { readonly meanWaitSec: number; readonly judgedRatio: number };
}

/** Judged advice. */
export interface Outcome {
  readonly stated: number;
  readonly isKept: boolean;
  /** Against sending in the next block; a miss pays the last price of its time. */
  readonly saved: number;
}

/** What is stated of one price: ratios over sending at once, shares 0 to 1. */
interface Estimate {
  /** Wei per gas. */
  readonly price: number;
  /** Of similar windows, before any correction; `null` where the price is a shorter horizon's. */
  readonly share: number | null;
  readonly probability: number;
  readonly saving: number;
  readonly miss: number;
  readonly windows: number;
  readonly windowsKept: number;
  readonly isCeiling: boolean;
  /** Index of the quantile that the price is; `null`: it is that of now. */
  readonly quantile: number | null;
}

/** What is stated of a price by what came after similar states. @param present price of sending at once at the head */
function createEstimates(verdicts: Verdicts, states: PastStates, horizonSec: number, present: () => number) {
  return {
    of(price: number, quantile: number): Estimate | null {
      const now = present();
      const found = states.similarTo(quantile, Math.log(feeRatio(now, price)));
      if (found === null) return null;
      const { similar, reached, missed, windows, windowsKept } = found;
      const share = reached / similar;
      const most = nextShare(windows, windows);
      const likely = nextShare(share * windows, windows) - verdicts.excess();
      const probability = Math.max(Math.min(likely, most), 0);
      const miss = reached < similar ? missed / (similar - reached) - 1 : 0;
      const isCeiling = reached === similar && likely >= most;
      return withSaving(
        { price, share, probability, saving: 0, miss, windows, windowsKept, isCeiling, quantile },
        now,
      );
    },
    /** Sending at once saves nothing, and is as likely as anything can be. */
    ofSendingNow(): Estimate {
      const windows = Math.floor(verdicts.seenSec() / horizonSec);
      return {
        ...{ price: present(), share: 1, probability: nextShare(windows, windows), saving: 0, miss: 0 },
        ...{ windows, windowsKept: windows, isCeiling: true, quantile: null },
      };
    },
  };
}

/** Finds the best price of one horizon at each block, and learns what came of it. @param soon lowest prices within the shorter horizon */
function createHorizon(history: History, horizonSec: number, blockSec: number, soon: Column | null) {
  const verdicts = createVerdicts(history, horizonSec);
  const { ask, sendNow, time } = history;
  const horizonBlocks = horizonSec / blockSec;
  const drawPace = Math.max(Math.round(horizonBlocks / DRAWS_A_HORIZON), 1);
  const span = () => {
    const { head, oldest } = history;
    const since = history.firstSince(time.at(head) - horizonSec);
    return { from: Math.max(Math.min(since, head - LEAST_PRICED_BLOCKS + 1), oldest), to: head + 1 };
  };
  const prices = history.rolling(ask, new SortedValues(), span);
  /** No price beyond the range of JSON integers is told from another. */
  const present = () => wholeWei(sendNow.at(history.head));
  const quantileOf = (share: number) => prices.tally.quantile(share) ?? present();
  const states = createPastStates(history, { horizonSec, horizonBlocks, verdicts, soon });
  const estimates = createEstimates(verdicts, states, horizonSec, present);
  /** By block in a ring, so that a rewind finds them. */
  const drawn: (Estimate | null | undefined)[] = new Array(REWIND_DEPTH + 1).fill(undefined);

  /** The price of the largest mean saving among those that are likely, at most `ceiling`; `null` for none. */
  function draw(ceiling: number): Estimate | null {
    const now = present();
    let found: Estimate | null = now <= ceiling ? estimates.ofSendingNow() : null;
    let before = 0;
    for (const [quantile, share] of QUANTILES.entries()) {
      const price = quantileOf(share);
      if (price === before || price > ceiling) continue;
      // A higher price saves less even if it always comes.
      if (price >= now || (found !== null && 1 - feeRatio(price, now) <= found.saving)) break;
      before = price;
      const each = estimates.of(price, quantile);
      if (each === null || each.probability < LEAST_PROBABILITY) continue;
      if (found === null || each.saving > found.saving) found = each;
    }
    return found;
  }

  /** What is stated of a price that was chosen before; `null` where it is no longer likely, or to be chosen anew. */
  function again(before: Estimate, leastPace: number): Estimate | null {
    const now = present();
    const { price, quantile } = before;
    if (quantile === null || price >= now) return null;
    // Between states nothing new is known, and in a warm-up it is not read.
    const isRough = !states.isKept(history.head) || leastPace > 1;
    const found = isRough ? withSaving(before, now) : estimates.of(price, quantile);
    return found !== null && found.probability >= LEAST_PROBABILITY ? found : null;
  }

  return {
    horizonSec,
    verdicts,
    pastSec: (LEAST_WINDOWS + 1) * horizonSec,
    /** Learns from the windows that end before the head. */
    settle(): void {
      const from = Math.max(verdicts.pending(), history.oldest);
      verdicts.push();
      states.learnSince(from);
    },
    get isKnown(): boolean {
      return verdicts.seenSec() >= LEAST_WINDOWS * horizonSec;
    },
    /** The estimate at the head, drawn at this block or shortly before; `null` where no likely price is that low. */
    best(ceiling: number, leastPace: number): Estimate | null {
      const { head } = history;
      const pace = Math.max(drawPace, leastPace);
      states.choose();
      const before = drawn[(head - 1) % drawn.length];
      const isKept = head % pace > 0 && before && before.price <= ceiling;
      const found = (isKept ? again(before, leastPace) : null) ?? draw(ceiling);
      drawn[head % drawn.length] = found;
      // The price stands, but for now a wait for it costs more than it saves.
      return found !== null && found.saving < 0 && present() <= ceiling ? estimates.ofSendingNow() : found;
    },
    /** Keeps the head's state. */
    keepState: () => states.keep(present(), quantileOf),
    /** How likely a price that did not come within the shorter horizon still comes within this one. */
    laterShare: states.laterShare,
    /** After a rewind: windows that had ended may end otherwise. */
    followHead(): void {
      verdicts.followHead();
      states.forget();
    },
  };
}

type Horizon = ReturnType<typeof createHorizon>;

/** The estimate against another price of sending at once: no miss ends below the price that it missed. */
function withSaving(estimate: Estimate, now: number): Estimate {
  const { price, probability } = estimate;
  const saved = 1 - feeRatio(price, now);
  const miss = Math.max(estimate.miss, -saved);
  return { ...estimate, miss, saving: probability * saved - (1 - probability) * miss };
}

type Verdicts = ReturnType<typeof createVerdicts>;

/** The predictions of one horizon at each block, and their outcomes once its time is over. Wei per gas. */
function createVerdicts(history: History, horizonSec: number) {
  const { ask, time, sendNow } = history;
  const target = history.column();
  const stated = history.column();
  /** The share of its own similar windows behind a price worth a wait; `NaN` for none: it is corrected by what came of it. */
  const share = history.column();
  /** By how much such shares exceed what comes true. */
  const excess = history.column(2);
  /** Of settled blocks: lowest price within the horizon, and its last one (capped), over the price of sending at once. */
  const best = history.column();
  const last = history.column();
  /** Seconds until the target was reached; `NaN` when it was not. */
  const waitSec = history.column();
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

  /** Measures the horizon that began at `given`. Returns the price's share minus its outcome; `NaN` where it had none. */
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
    return share.at(given) - (isReached ? 1 : 0);
  }

  return {
    best,
    last,
    pending: () => pending,
    excess: () => excess.at(history.head),
    /** Settles the horizons that end before the head, and learns from them. */
    push(): void {
      const { head, oldest, origin } = history;
      const end = firstPending();
      const rate = 1 / Math.max(blocks * Math.max(EXCESS_SEC / horizonSec, EXCESS_HORIZONS), 100);
      let known = head > origin ? excess.at(head - 1) : 0;
      for (let given = Math.max(pending, oldest); given < end; given += 1) {
        const missed = settle(given);
        if (!Number.isNaN(missed)) known += rate * (missed - known);
      }
      excess.put(head, known);
      pending = end;
      lowest.push(head, ask.at(head));
      measurePace();
    },
    followHead(): void {
      pending = firstPending();
      lowest.clear();
      for (let block = pending + 1; block <= history.head; block += 1) lowest.push(block, ask.at(block));
      measurePace();
    },
    /** Stores the head's price and its probability; `null` when unknown. */
    put(found: Estimate | null): void {
      const { head } = history;
      target.put(head, found?.price ?? Number.NaN);
      stated.put(head, found?.probability ?? Number.NaN);
      share.put(head, (found !== null && found.saving >= LEAST_SAVING ? found.share : null) ?? Number.NaN);
      since = found === null ? null : Math.min(since ?? head, head);
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
    get judgedRatio(): number {
      const { head, oldest } = history;
      const first = Math.max(since ?? head, oldest);
      const judgedSec = Math.max(time.at(Math.max(pending - 1, oldest)) - time.at(first), 0);
      return Math.min(judgedSec / (TRAILING_HORIZONS * horizonSec), 1);
    },
    get meanWaitSec(): number {
      return waits.tally.mean ?? 0;
    },
  };
}

/** A cap, wei per gas, and how likely it is included in time. */
interface SlowPromise {
  readonly price: number;
  readonly probability: number;
}

export type Horizons = ReturnType<typeof createHorizons>;

/**
 * What each horizon promises. A user who can wait longer can stop after the shorter time: a price never rises from one to the next,
 * a mean saving never falls, and of one price the longer horizon is the likelier. @param blockSec the chain's nominal pace
 */
export function createHorizons(history: History, blockSec: number) {
  const horizons: Horizon[] = [];
  for (const horizonSec of HORIZONS_SEC) {
    horizons.push(createHorizon(history, horizonSec, blockSec, horizons.at(-1)?.verdicts.best ?? null));
  }
  /** Of the head. */
  let found: readonly (Estimate | null)[] = [];
  /** Of the latest blocks in a ring, so that a rewind finds them. */
  const recent: (readonly (Estimate | null)[])[] = new Array(REWIND_DEPTH + 1).fill([]);

  /** The same price as within the shorter horizon, where no lower one saves more; it may still come later. */
  function longer(shorter: Estimate, horizon: Horizon): Estimate {
    if (shorter.isCeiling) return { ...shorter, share: null };
    const later = horizon.laterShare(feeRatio(shorter.price, history.sendNow.at(history.head)));
    return { ...shorter, share: null, probability: 1 - (1 - shorter.probability) * (1 - later) };
  }

  /** Slow waits too: of two prices for the same time the higher one is the likelier. */
  function besideSlow(estimate: Estimate | null, slow: SlowPromise | null): Estimate | null {
    if (estimate === null || slow === null) return estimate;
    const slowSec = LANE_PROMISES.slow.withinBlocks * blockSec;
    const least = slowSec <= HORIZONS_SEC[0] && estimate.price >= slow.price ? slow.probability : 0;
    const most = slowSec >= HORIZONS_SEC[0] && estimate.price <= slow.price ? slow.probability : 1;
    const probability = Math.min(Math.max(estimate.probability, least), most);
    const isCeiling = estimate.isCeiling && probability === estimate.probability;
    return withSaving({ ...estimate, probability, isCeiling }, history.sendNow.at(history.head));
  }

  function findAll(slow: SlowPromise | null, leastPace: number): (Estimate | null)[] {
    const all: (Estimate | null)[] = [];
    for (const [index, horizon] of horizons.entries()) {
      if (!horizon.isKnown) return [...all, ...horizons.slice(index).map(() => null)];
      const shorter = all.at(-1) ?? null;
      const own = horizon.best(shorter?.price ?? Number.POSITIVE_INFINITY, leastPace);
      if (shorter === null) all.push(besideSlow(own, slow));
      else {
        const isBetter = own !== null && own.price < shorter.price && own.saving > shorter.saving;
        all.push(isBetter ? own : longer(shorter, horizon));
      }
    }
    return all;
  }

  return {
    /** @param slow what the head's Slow lane promises; `null` for nothing */
    push(slow: SlowPromise | null, isWarmUp: boolean): void {
      for (const horizon of horizons) horizon.settle();
      found = findAll(slow, isWarmUp ? WARM_UP_PACE : 1);
      recent[history.head % recent.length] = found;
      for (const [index, horizon] of horizons.entries()) {
        horizon.verdicts.put(found[index] ?? null);
        horizon.keepState();
      }
    },
    /** After a rewind. */
    followHead(): void {
      for (const horizon of horizons) horizon.followHead();
      found = recent[history.head % recent.length] ?? [];
    },
    outcomeAt: (horizonSec: number, block: number): Outcome | null =>
      horizons.find((each) => each.horizonSec === horizonSec)?.verdicts.outcomeAt(block) ?? null,
    /**
     * Of the head; read at each block, so one object each. @param floor no price is below it, and no wait saves more than what lies
     * above it, wei per gas @param unknownTips why nothing has a probability; `null` where it may
     */
    forecasts(floor = 0, unknownTips: Chance | null = null): Forecast[] {
      const now = history.sendNow.at(history.head);
      const mostSaving = 1 - floor / Math.max(now, 1);
      let price = now;
      return horizons.map(({ horizonSec, verdicts, pastSec }, index) => {
        const estimate = found[index] ?? null;
        price = estimate?.price ?? price;
        const isKnown = estimate !== null && unknownTips === null;
        return {
          horizonSec,
          price: Math.max(price, floor),
          probability: isKnown ? estimate.probability : null,
          reason: isKnown ? NO_REASON : () => (unknownTips ?? tooLittlePast(history, pastSec)).reason,
          savingRatio: isKnown ? Math.min(estimate.saving, mostSaving) : null,
          missRatio: estimate?.miss ?? 0,
          windows: estimate?.windows ?? 0,
          windowsKept: estimate?.windowsKept ?? 0,
          isCeiling: estimate?.isCeiling ?? false,
          record: verdicts,
        };
      });
    },
  };
}

const NO_REASON = () => null;

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
      if (!(withinSec > 0)) return unknownChance('a time must be longer than 0 s');
      if (withinSec > LONGEST_SEC) {
        const takes = formatDuration((REACH_LEAST_TIMES + 1) * withinSec);
        return unknownChance(
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
        probability = Math.max(probability, nextShare((reached / blocks.length) * seen, seen));
      }
      return { probability, reason: null };
    },
  };
}
