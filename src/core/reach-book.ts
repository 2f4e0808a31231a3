import { feeRatio } from './fee-ratio.ts';
import type { Column, History } from './history.ts';
import { takeRanked } from './median.ts';
import { formatDuration } from './units.ts';

/** How likely some block within a time asks for no more than a price; `reason` says why there is no figure. */
export interface Reach {
  readonly probability: number | null;
  readonly reason: string | null;
}

/** For a time between two of these, past prices are chosen as for the longer one. */
const TIMES_SEC = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400] as const;
const LONGEST_SEC = 86_400;
/** A state is how far the price stands from its averages over these multiples of the time in question. */
const AVERAGES = [0.2, 2, 12] as const;
/** Past states looked through, spread evenly over so many times, and how many of them count as near. */
const STATES = 500;
const LOOK_BACK_TIMES = 80;
const NEIGHBOURS = 100;
const MOST_SHARE = 0.25;
/** Times overlap: so many of them one after another, and so many blocks, before a share means anything. */
const LEAST_TIMES = 6;
const LEAST_BLOCKS = 100;
/** Nothing is certain: one more that was not seen is counted, half of it reached. */
const DOUBT = 0.5;
const LOG_SCALE = 1e4;
/** Least variance of a state: below that it is rounding. */
const LEAST_VARIANCE = 1;
/** Prices are looked through by the lowest of so many. */
const CHUNK = 32;

/** How much past it takes to say what happens within `withinSec`, in seconds; `null`: no past is enough. */
export function pastForReach(withinSec: number): number | null {
  const timeSec = TIMES_SEC.find((each) => each >= withinSec);
  return timeSec === undefined ? null : (LEAST_TIMES + 1) * timeSec;
}

/** Answers how likely a price is reached within a time: as often as after the past blocks most like the head. */
export class ReachBook {
  readonly #history: History;
  /** Sum of the logarithms of all prices up to a block, for the average over any stretch. */
  readonly #logSum: Column;
  /** Lowest price of each chunk of blocks, by chunk. */
  readonly #lowest: Column;

  constructor(history: History) {
    this.#history = history;
    this.#logSum = history.column();
    this.#lowest = history.column(Math.ceil(history.capacity / CHUNK) + 1);
  }

  /** Takes in the head; what sending at once costs must be known of it. */
  push(): void {
    const { head, origin, sendNow } = this.#history;
    const before = head > origin ? this.#logSum.at(head - 1) : 0;
    this.#logSum.put(head, before + Math.round(Math.log(Math.max(sendNow.at(head), 1)) * LOG_SCALE));
    this.followHead();
  }

  followHead(): void {
    const { head, oldest, ask } = this.#history;
    let lowest = Number.POSITIVE_INFINITY;
    for (let block = Math.max(head - (head % CHUNK), oldest); block <= head; block += 1) {
      lowest = Math.min(lowest, ask.at(block));
    }
    this.#lowest.put(Math.floor(head / CHUNK), lowest);
  }

  /**
   * @param price wei per gas, base fee and tip together.
   * @param withinSec seconds after the head, up to a day.
   */
  reach(price: number, withinSec: number): Reach {
    if (!(withinSec > 0)) return unknown('a time must be longer than 0 s');
    if (withinSec > LONGEST_SEC) {
      return unknown(`too little history is kept to look more than ${formatDuration(LONGEST_SEC)} ahead`);
    }
    const ratio = feeRatio(price, this.#history.sendNow.at(this.#history.head));
    const longest = TIMES_SEC.findIndex((timeSec) => timeSec >= withinSec);
    let probability = 0;
    // What is reached within a shorter time is reached within a longer one, whatever its own neighbours say.
    for (const timeSec of TIMES_SEC.slice(0, longest + 1).reverse()) {
      const alike = this.#alike(timeSec);
      if (alike === null) return unknown(tooShort(timeSec));
      let reached = 0;
      for (const block of alike) if (this.#falls(block, Math.min(timeSec, withinSec), ratio)) reached += 1;
      probability = Math.max(probability, (reached + DOUBT) / (alike.length + 2 * DOUBT));
    }
    return { probability, reason: null };
  }

  /** The blocks most like the head of those whose next `timeSec` seconds have passed; `null` while there are too few. */
  #alike(timeSec: number): Float64Array | null {
    const { head, oldest, time } = this.#history;
    const end = this.#history.firstSince(time.at(head) - timeSec) + 1;
    const seenSec = time.at(end - 1) - time.at(oldest);
    if (end - oldest < LEAST_BLOCKS || seenSec < LEAST_TIMES * timeSec) return null;
    const blocks = Math.max(Math.round((timeSec * (end - 1 - oldest)) / seenSec), 1);
    const from = Math.max(oldest, end - Math.max(blocks * LOOK_BACK_TIMES, STATES));
    const stride = Math.max((end - from) / STATES, 1);
    const past = Float64Array.from({ length: Math.min(end - from, STATES) }, (_, index) =>
      Math.floor(end - 1 - index * stride),
    );
    const distances = this.#distances(past, blocks);
    const wanted = Math.min(NEIGHBOURS, Math.floor(past.length * MOST_SHARE));
    const limit = takeRanked(distances.slice(), wanted - 1);
    return past.filter((_, index) => (distances[index] ?? 0) <= limit);
  }

  #distances(past: Float64Array, blocks: number): Float64Array {
    const distances = new Float64Array(past.length);
    for (const times of AVERAGES) {
      const length = Math.max(Math.round(blocks * times), 1);
      const now = this.#overAverage(this.#history.head, length);
      const states = past.map((block) => this.#overAverage(block, length));
      const scale = 1 / Math.max(variance(states), LEAST_VARIANCE);
      for (let index = 0; index < distances.length; index += 1) {
        const apart = (states[index] ?? 0) - now;
        distances[index] = (distances[index] ?? 0) + apart * apart * scale;
      }
    }
    return distances;
  }

  /** Logarithm of the price at `block` over that of the average of its last `length` blocks. */
  #overAverage(block: number, length: number): number {
    const { oldest } = this.#history;
    const from = Math.max(block - length, oldest);
    if (from === block) return 0;
    const sum = this.#logSum.at(block);
    const price = block > oldest ? sum - this.#logSum.at(block - 1) : 0;
    return price - (sum - this.#logSum.at(from)) / (block - from);
  }

  /** Whether some block of the `withinSec` after `since` asked for no more than `ratio` of what sending at once cost there. */
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

function variance(values: Float64Array): number {
  let sum = 0;
  let squares = 0;
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  return squares / values.length - (sum / values.length) ** 2;
}

function unknown(reason: string): Reach {
  return { probability: null, reason };
}

function tooShort(timeSec: number): string {
  return `too little history: it takes ${formatDuration((LEAST_TIMES + 1) * timeSec)} of blocks to say so`;
}
