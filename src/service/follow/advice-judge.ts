import type { AdviceScore, TrackStore } from '../../store/advice-track.ts';
import { TimeSlice } from '../async.ts';

const SCORED = 100;
/** Judged at once: a few milliseconds at worst, each scanning the blocks of a day. */
const AT_ONCE = 16;
/** Each new block judges what ended this many blocks ago at most: deeper than any reorg of a running service. */
const RECENT_BLOCKS = 64;
const MOST_DUE = 100_000;

/**
 * Keeps the record of the service's advice: judges it by the stored blocks when its time is over, and counts the
 * results. Advice from before a downtime is judged when the blocks of that time are stored. No method rejects.
 */
export class AdviceJudge {
  readonly #store: TrackStore;
  readonly #onError: (error: unknown) => void;
  readonly #isWriting: () => boolean;
  #score: AdviceScore | null = null;
  #lookingBack: Promise<void> = Promise.resolve();
  #ended = false;
  #problem: string | null = null;

  /** @param isWriting whether this process judges; otherwise it reads the results of another process. */
  constructor(store: TrackStore, onError: (error: unknown) => void, isWriting: () => boolean = () => true) {
    this.#store = store;
    this.#onError = onError;
    this.#isWriting = isWriting;
  }

  get score(): AdviceScore | null {
    return this.#score;
  }

  load(): Promise<void> {
    return this.#guard(() => this.#count());
  }

  /** Judges the advice that newly stored blocks have ended. */
  settle(): Promise<void> {
    return this.#guard(async () => {
      if (this.#isWriting()) await this.#store.settle(await this.#store.due(RECENT_BLOCKS, AT_ONCE));
      await this.#count();
    });
  }

  /**
   * Missing blocks may have arrived: judges the advice that waits for them, in small steps.
   * @param filledUntil the history has been filled up to this time (Unix seconds): blocks missing before it are
   * unavailable, and advice that needed them for a day is given up.
   */
  lookBack(filledUntil: number | null = null): Promise<void> {
    this.#lookingBack = this.#lookingBack.then(() => this.#guard(() => this.#settleAll(filledUntil)));
    return this.#lookingBack;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#lookingBack;
  }

  async #settleAll(filledUntil: number | null): Promise<void> {
    if (this.#ended || !this.#isWriting()) return;
    const slice = new TimeSlice();
    const due = await this.#store.due(Number.MAX_SAFE_INTEGER, MOST_DUE);
    let settled = 0;
    for (let at = 0; at < due.length && !this.#ended; at += AT_ONCE) {
      settled += await this.#store.settle(due.slice(at, at + AT_ONCE), filledUntil);
      if (slice.isOver()) await slice.next();
    }
    if (settled > 0) await this.#count();
  }

  async #count(): Promise<void> {
    const score = await this.#store.score(SCORED);
    // Responses are cached while this object is the same.
    if (JSON.stringify(score) !== JSON.stringify(this.#score)) this.#score = score;
  }

  /** The record matters less than the service: if it cannot be written, everything else goes on. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#problem = null;
    } catch (error) {
      // A full disk fails at every block.
      const problem = String(error);
      if (problem !== this.#problem) this.#onError(error);
      this.#problem = problem;
    }
  }
}
