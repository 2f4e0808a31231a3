import { TimeSlice } from '../../chain/async.ts';
import type { AdviceScore, TrackStore } from '../../store/advice-track.ts';

const SCORED = 100;
/** Judged at once: a few milliseconds at worst, each scanning the blocks of a day. */
const AT_ONCE = 16;
/** Each new block judges what ended this many blocks ago at most: deeper than any reorg of a running service. */
const RECENT_BLOCKS = 64;
const MOST_DUE = 100_000;

export type AdviceJudge = ReturnType<typeof createAdviceJudge>;

/**
 * Keeps the record of the service's advice: judges it by the stored blocks when its time is over, and counts the
 * results. Advice from before a downtime is judged when the blocks of that time are stored. No method rejects.
 * @param isWriting whether this process judges; otherwise it reads the results of another process.
 */
export function createAdviceJudge(
  store: TrackStore,
  onError: (error: unknown) => void,
  isWriting: () => boolean = () => true,
) {
  let score: AdviceScore | null = null;
  let lookingBack = Promise.resolve();
  let hasEnded = false;
  let problem: string | null = null;

  async function settleAll(filledUntil: number | null): Promise<void> {
    if (hasEnded || !isWriting()) return;
    const slice = new TimeSlice();
    const due = await store.due(Number.MAX_SAFE_INTEGER, MOST_DUE);
    let settled = 0;
    for (let at = 0; at < due.length && !hasEnded; at += AT_ONCE) {
      settled += await store.settle(due.slice(at, at + AT_ONCE), filledUntil);
      if (slice.isOver()) await slice.next();
    }
    if (settled > 0) await count();
  }

  async function count(): Promise<void> {
    const next = await store.score(SCORED);
    // Responses are cached while this object is the same.
    if (JSON.stringify(next) !== JSON.stringify(score)) score = next;
  }

  /** The record matters less than the service: if it cannot be written, everything else goes on. */
  async function guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      problem = null;
    } catch (error) {
      // A full disk fails at every block.
      if (String(error) !== problem) onError(error);
      problem = String(error);
    }
  }

  return {
    get score(): AdviceScore | null {
      return score;
    },
    /** Judges the advice that newly stored blocks have ended. */
    settle: () =>
      guard(async () => {
        if (isWriting()) await store.settle(await store.due(RECENT_BLOCKS, AT_ONCE));
        await count();
      }),
    /**
     * Missing blocks may have arrived: judges the advice that waits for them, in small steps.
     * @param filledUntil the history has been filled up to this time (Unix seconds): blocks missing before it are
     * unavailable, and advice that needed them for a day is given up.
     */
    lookBack(filledUntil: number | null = null): Promise<void> {
      lookingBack = lookingBack.then(() => guard(() => settleAll(filledUntil)));
      return lookingBack;
    },
    end(): Promise<void> {
      hasEnded = true;
      return lookingBack;
    },
  };
}
