import { feeRatio } from './fee-ratio.ts';
import type { History } from './history.ts';
import { formatDuration } from './units.ts';

/** How likely some block within a time asks for no more than a price; `reason` says why there is no figure. */
export interface Reach {
  readonly probability: number | null;
  readonly reason: string | null;
}

/** Waits that began at so many past blocks are looked at, spread evenly. */
const SAMPLES = 150;
/** Waits overlap: so many of them one after another, and so many blocks, before a share means anything. */
const LEAST_WAITS = 4;
const LEAST_BLOCKS = 100;
/** Nothing is certain: this many waits that went either way are added to those that were seen. */
const DOUBT = 1;
const LONGEST_SEC = 30 * 86_400;

/** Answers how likely a price is reached within a time, from what past prices fell to within such times. */
export class ReachBook {
  readonly #history: History;

  constructor(history: History) {
    this.#history = history;
  }

  /**
   * @param price wei per gas, base fee and tip together.
   * @param withinSec seconds after the head.
   */
  reach(price: number, withinSec: number): Reach {
    const { head, oldest, time, sendNow } = this.#history;
    if (!(withinSec > 0) || withinSec > LONGEST_SEC)
      return unknown(`a time is more than 0 s and at most ${formatDuration(LONGEST_SEC)}`);
    const end = this.#history.firstSince(time.at(head) - withinSec);
    const seenSec = time.at(end) - time.at(oldest);
    const neededSec = LEAST_WAITS * withinSec;
    if (end - oldest < LEAST_BLOCKS || seenSec < neededSec) return unknown(tooShort(neededSec + withinSec));
    const ratio = feeRatio(price, sendNow.at(head));
    const step = Math.max((end - oldest) / SAMPLES, 1);
    let waits = 0;
    let reached = 0;
    for (let at = oldest; at < end; at += step) {
      waits += 1;
      if (this.#falls(Math.floor(at), withinSec, ratio)) reached += 1;
    }
    return { probability: (reached + DOUBT / 2) / (waits + DOUBT), reason: null };
  }

  #falls(since: number, withinSec: number, ratio: number): boolean {
    const { head, ask, time, sendNow } = this.#history;
    const most = ratio * Math.max(sendNow.at(since), 1);
    const until = time.at(since) + withinSec;
    for (let block = since + 1; block <= head && time.at(block) <= until; block += 1) {
      if (Math.max(ask.at(block), 1) <= most) return true;
    }
    return false;
  }
}

function unknown(reason: string): Reach {
  return { probability: null, reason };
}

function tooShort(neededSec: number): string {
  return `too little history: it takes ${formatDuration(neededSec)} of blocks to say so`;
}
