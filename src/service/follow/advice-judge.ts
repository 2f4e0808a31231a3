import type { AdviceScore, Settlement, TrackStore } from '../../store/advice-track.ts';
import { TimeSlice } from '../async.ts';

/** Advice that the published record is taken over. */
const SCORED = 100;
/** Judged at once: a few milliseconds at worst, each looking through the blocks of a day. */
const AT_ONCE = 16;
/** Blocks that were missing may have come by themselves or by another process. */
const LOOK_BACK_EVERY = 64;
const MOST_DUE = 100_000;

/**
 * Keeps the record of what the service advised: judges it when its time is over, by the blocks that came, and counts
 * what was kept. What is still open from before a downtime is judged when the blocks of that time are there.
 */
export class AdviceJudge {
  readonly #store: TrackStore;
  readonly #onError: (error: unknown) => void;
  readonly #isWriting: () => boolean;
  #score: AdviceScore | null = null;
  /** Older advice waits for missing blocks; only a look back asks for it. */
  #above = -1;
  #untilLookBack = 0;
  /** Told by the filler and not acted upon yet. */
  #filledUntil: number | null = null;
  #lookingBack: Promise<void> | null = null;
  #ended = false;
  /** What was told last, until something works again. */
  #problem: string | null = null;

  /** @param isWriting whether this process judges; else it reads what another one has judged. */
  constructor(store: TrackStore, onError: (error: unknown) => void, isWriting: () => boolean = () => true) {
    this.#store = store;
    this.#onError = onError;
    this.#isWriting = isWriting;
  }

  /** How what was said was kept; `null` until it has been read. */
  get score(): AdviceScore | null {
    return this.#score;
  }

  /** Reads the record of earlier runs; never rejects. */
  async load(): Promise<void> {
    await this.#guard(() => this.#count());
  }

  /** New blocks are stored: judges what they have ended. Never rejects. */
  async settle(): Promise<void> {
    if (!this.#isWriting()) return this.load();
    await this.#guard(async () => {
      const due = await this.#store.due(this.#above, AT_ONCE);
      // More than one block ends at once: there was a downtime.
      if (due.length >= AT_ONCE) this.#untilLookBack = 0;
      const { waiting } = await this.#store.settle(due);
      if (waiting !== null) this.#above = Math.max(this.#above, waiting);
      await this.#count();
    });
    this.#untilLookBack -= 1;
    if (this.#untilLookBack <= 0) void this.lookBack();
  }

  /** Missing blocks may be there now: judges what waited for them, a little at a time. Never rejects. */
  async lookBack(): Promise<void> {
    if (this.#ended || !this.#isWriting()) return;
    this.#untilLookBack = LOOK_BACK_EVERY;
    this.#lookingBack ??= this.#guard(() => this.#settleAll()).finally(() => {
      this.#lookingBack = null;
    });
    await this.#lookingBack;
  }

  /**
   * The history has been filled up to the block of this time (Unix seconds): what is missing before it is not to be
   * had, and what waited a day for it is given up. Never rejects.
   */
  async filled(until: number): Promise<void> {
    this.#filledUntil = Math.max(until, this.#filledUntil ?? until);
    // One that runs already may have passed what has come since.
    await this.#lookingBack;
    await this.lookBack();
  }

  /** Resolves when nothing runs any more; nothing begins after that. Never rejects. */
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
    // Answers are kept while what they were made of is the same.
    if (JSON.stringify(score) !== JSON.stringify(this.#score)) this.#score = score;
  }

  /** The record is worth less than the service: where it cannot be kept everything else goes on. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#problem = null;
    } catch (error) {
      // A full disk is full at every block.
      const problem = String(error);
      if (problem !== this.#problem) this.#onError(error);
      this.#problem = problem;
    }
  }
}
