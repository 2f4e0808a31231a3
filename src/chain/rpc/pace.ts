const MIN_POLL_MS = 250;
const MAX_POLL_MS = 1_500;
const REMEMBERED = 8;

/** When to ask for the next head. Pure but for what it remembers; times in ms by `Clock.elapsed`. */
export interface Pace {
  /** A head was heard; repeated ones are no news. */
  heard(number: number, at: number): void;
  /** Time between blocks, measured, or the chain's plan until then. */
  blockMs(): number;
  /** How long to wait from `now`. */
  wait(now: number): number;
}

/**
 * Follows the chain's own rhythm: after a block nothing is asked while none can be due, then often. The rhythm is
 * the shortest of the last intervals, so that a chain that hurries now and then is not missed.
 *
 * @param fixedMs poll at this interval instead (at least 250 ms)
 */
export function createPace(planMs: number, fixedMs: number | null): Pace {
  let last: { number: number; at: number } | null = null;
  const intervals: number[] = [];
  const blockMs = () => (intervals.length === 0 ? planMs : Math.min(...intervals));
  return {
    heard: (number, at) => {
      if (last && number > last.number) {
        intervals.push((at - last.at) / (number - last.number));
        if (intervals.length > REMEMBERED) intervals.shift();
      }
      if (!last || number !== last.number) last = { number, at };
    },
    blockMs,
    wait: (now) => {
      if (fixedMs !== null) return Math.max(MIN_POLL_MS, fixedMs);
      const often = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, blockMs() / 8));
      // Only a measured rhythm is worth sleeping through.
      if (!last || intervals.length < 2) return often;
      return Math.max(often, last.at + 0.8 * blockMs() - now);
    },
  };
}
