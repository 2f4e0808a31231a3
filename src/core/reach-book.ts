import type { AlikeBlocks } from './alike-blocks.ts';
import { type Chance, doubtedShare, tooLittlePast, unknown } from './chance.ts';
import { feeRatio } from './fee-ratio.ts';
import type { Column, History } from './history.ts';
import { formatDuration } from './units.ts';

/** How likely some block within a time asks for no more than a price. */
export type Reach = Chance;

/** For a time between two of these, past prices are chosen as for the longer one. */
const TIMES_SEC = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400] as const;
/** Seven times as much past is needed, and the engine keeps eight days of it. */
const LONGEST_SEC = 86_400;
/** Times overlap: so many of them one after another before a share means anything. */
const LEAST_TIMES = 6;
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
  readonly #alike: AlikeBlocks;
  /** Lowest price of each chunk of blocks, by chunk. */
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

  /**
   * @param price wei per gas, base fee and tip together.
   * @param withinSec seconds after the head, up to a day.
   */
  reach(price: number, withinSec: number): Reach {
    if (!(withinSec > 0)) return unknown('a time must be longer than 0 s');
    if (withinSec > LONGEST_SEC) {
      const takes = formatDuration((LEAST_TIMES + 1) * withinSec);
      return unknown(
        `it takes ${takes} of blocks to say so, more than is looked back on: up to ${formatDuration(LONGEST_SEC)} ahead can be told`,
      );
    }
    const { head, oldest, sendNow, time } = this.#history;
    const ratio = feeRatio(price, sendNow.at(head));
    const longest = TIMES_SEC.findIndex((timeSec) => timeSec >= withinSec);
    let probability = 0;
    // What is reached within a shorter time is reached within a longer one, whatever its own neighbours say.
    for (const timeSec of TIMES_SEC.slice(0, longest + 1).reverse()) {
      // The head itself has nothing after it to be judged by.
      const end = Math.min(this.#history.firstSince(time.at(head) - timeSec) + 1, head);
      const alike = this.#alike.before(end, timeSec, LEAST_TIMES * timeSec);
      if (alike === null) return tooLittlePast(this.#history, (LEAST_TIMES + 1) * timeSec);
      let reached = 0;
      for (const block of alike) if (this.#falls(block, Math.min(timeSec, withinSec), ratio)) reached += 1;
      // Times that overlap tell no more than those that fit one after another.
      const seen = Math.min((time.at(end - 1) - time.at(oldest)) / timeSec, alike.length);
      probability = Math.max(probability, doubtedShare(reached / alike.length, seen));
    }
    return { probability, reason: null };
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
