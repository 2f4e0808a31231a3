import type { AdviceScore, Settlement, TrackStore } from '../../store/advice-track.ts';
import { TimeSlice } from '../async.ts';

const SCORED = 100;
/** Judged at once: a few milliseconds at worst, each scanning the blocks of a day. */
const AT_ONCE = 16;
/** Blocks between two checks whether missing blocks have arrived or another process stored them. */
const LOOK_BACK_EVERY = 64;
const MOST_DUE = 100_000;

/**
 * Keeps the record of the service's advice: judges it by the stored blocks when its time is over, and counts the
 * results. Advice from before a downtime is judged when the blocks of that time are stored.
 */
export class AdviceJudge {
  readonly #store: TrackStore;
  readonly #onError: (error: unknown) => void;
  readonly #isWriting: () => boolean;
  #score: AdviceScore | null = null;
  /** Older advice waits for missing blocks; only `lookBack` reads it. */
  #above = -1;
  #untilLookBack = 0;
  /** Reported by the filler and not processed yet. */
  #filledUntil: number | null = null;
  #lookingBack: Promise<void> | null = null;
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

  /** Reads the results of earlier runs; never rejects. */
  async load(): Promise<void> {
    await this.#guard(() => this.#count());
  }

  /** Judges the advice that newly stored blocks have ended. Never rejects. */
  async settle(): Promise<void> {
    if (!this.#isWriting()) return this.load();
    await this.#guard(async () => {
      const due = await this.#store.due(this.#above, AT_ONCE);
      // Many end at once after a downtime.
      if (due.length >= AT_ONCE) this.#untilLookBack = 0;
      const { waiting } = await this.#store.settle(due);
      if (waiting !== null) this.#above = Math.max(this.#above, waiting);
      await this.#count();
    });
    this.#untilLookBack -= 1;
    if (this.#untilLookBack <= 0) void this.lookBack();
  }

  /** Missing blocks may have arrived: judges the advice that waits for them, in small steps. Never rejects. */
  async lookBack(): Promise<void> {
    if (this.#ended || !this.#isWriting()) return;
    this.#untilLookBack = LOOK_BACK_EVERY;
    this.#lookingBack ??= this.#guard(() => this.#settleAll()).finally(() => {
      this.#lookingBack = null;
    });
    await this.#lookingBack;
  }

  /**
   * The history has been filled up to the block of this time (Unix seconds): blocks missing before it are
   * unavailable, and advice that needed them for a day is given up. Never rejects.
   */
  async filled(until: number): Promise<void> {
    this.#filledUntil = Math.max(until, this.#filledUntil ?? until);
    // A running one may have passed blocks that arrived since.
    await this.#lookingBack;
    await this.lookBack();
  }

  /** Resolves when nothing runs; nothing starts after that. Never rejects. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#lookingBack;
  }

  async #settleAll(): Promise<void> {
    const slice = new TimeSlice();
    const filledUntil = this.#filledUntil;
    this.#filledUntil = null;
    const due = await this.#store.due(-1, MOST_DUE);
    const found: Settlement[] = [];
    for (let at = 0; at < due.length && !this.#ended; at += AT_ONCE) {
      found.push(await this.#store.settle(due.slice(at, at + AT_ONCE), filledUntil));
      if (slice.isOver()) await slice.next();
    }
    this.#above = Math.max(-1, ...found.flatMap(({ waiting }) => (waiting === null ? [] : [waiting])));
    if (found.some(({ settled }) => settled > 0)) await this.#count();
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
