import type { FeedRound } from './feed-round.ts';

/** Rounds that one search may ask for; a phase of a million rounds needs about forty. */
const MOST_READS = 48;
/** Rounds that are remembered, so that the next search begins near its end. */
const REMEMBERED = 1_000;
const AGGREGATOR_BITS = 64n;

/**
 * Searches a feed's rounds by time. Rounds never change, so what was read stays known; only the phase of `latest`
 * is searched, since an older aggregator's rounds do not continue the new one's.
 *
 * @param read one round by its id; `null` or a rejection where the feed does not have it
 */
export class RoundFinder {
  readonly #read: (id: bigint) => Promise<FeedRound | null>;
  readonly #known = new Map<bigint, FeedRound>();

  constructor(read: (id: bigint) => Promise<FeedRound | null>) {
    this.#read = read;
  }

  /**
   * The round in force at `timestampSec`: the last one written by then; `null` where the phase began later or the
   * search is too long. Rejects where a round cannot be read.
   *
   * @param spacingSec no two rounds are further apart: tells how far back to look at least
   */
  async at(timestampSec: number, latest: FeedRound, spacingSec: number): Promise<FeedRound | null> {
    this.#remember(latest);
    const first = ((latest.id >> AGGREGATOR_BITS) << AGGREGATOR_BITS) + 1n;
    let { before, after } = this.#bracket(timestampSec, latest, first);
    let step = BigInt(Math.max(1, Math.ceil((after.updatedAt - timestampSec) / spacingSec)));
    for (let reads = 0; after.updatedAt > timestampSec; reads++) {
      if (before?.id === after.id - 1n) return before;
      if (reads === MOST_READS || after.id === first) return null;
      const id = before ? (before.id + after.id) / 2n : max(first, after.id - step);
      const round = await this.#round(id);
      if (round.updatedAt <= timestampSec) before = round;
      else after = round;
      step *= 2n;
    }
    return after;
  }

  /** The nearest known rounds on either side; `before` only where one is known. */
  #bracket(timestampSec: number, latest: FeedRound, first: bigint) {
    let before: FeedRound | null = null;
    let after = latest;
    for (const round of this.#known.values()) {
      if (round.id < first || round.id > latest.id) continue;
      if (round.updatedAt > timestampSec) {
        if (round.id < after.id) after = round;
      } else if (before === null || round.id > before.id) before = round;
    }
    return { before, after };
  }

  async #round(id: bigint): Promise<FeedRound> {
    const known = this.#known.get(id);
    if (known) return known;
    const round = await this.#read(id);
    // Asked for a round that is not there, some aggregators answer zeros.
    if (round === null || round.id !== id || round.updatedAt === 0) throw new Error('no such round');
    this.#remember(round);
    return round;
  }

  #remember(round: FeedRound): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(round.id, round);
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
