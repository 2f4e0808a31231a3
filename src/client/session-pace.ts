import { PATHS } from '../contract/routes.ts';
import { ClientError } from './errors.ts';
import { quotaPause, waitMs } from './quota-pause.ts';
import { TurnQueue, unlessCalledOff } from './turn-queue.ts';
import type { RateLimitsView } from './views/dashboard.ts';

export interface PaceState {
  /** Why nothing is asked, and when that ends, ms since epoch (`null`: not by itself); `null`: questions go out. */
  readonly halt: { readonly error: ClientError; readonly until: number | null } | null;
  /** By how much polling is slower than wanted, for the daily quota's sake; 1: as wanted. */
  readonly slowdown: number;
  /** Between the starts of two questions, ms, once a limit per second was met; 0: as they come. */
  readonly gapMs: number;
  /** The limit that the gap is for, questions per second, where the service tells it. */
  readonly perSecond: number | null;
}

export const UNHURRIED: PaceState = { halt: null, slowdown: 1, gapMs: 0, perSecond: null };

interface SessionPaceOptions {
  readonly now: () => number;
  /** Asked once in a halt, where the refusal does not say which limit it is or somebody wants to know. */
  readonly rateLimits: () => Promise<RateLimitsView>;
}

const SLOWEST = 64;
/** So many prices in a row take back one step of the slowdown. */
const RECOVERS_AFTER = 5;
const LONGEST_GAP_MS = 8_000;
/** Longer than a second: questions that leave evenly do not arrive so. */
const SPACED_MS = 1_100;
/** One a second: nearly every limit allows that. */
const GAP_MS = SPACED_MS;
/** A gap that was too short for somebody else's questions with the same key is tried again after so long. */
const GAP_RECOVERS_MS = 60_000;
/** What tells whether the key works at all; other routes may want more than it may do. */
const HEARTBEAT = PATHS.gasCurrent;

/**
 * The pace of everything that one key is asked for. One `429` holds all questions back until the service wants to
 * hear again; then one goes first, and the others follow it only if it is answered. After a limit per second questions
 * go out one by one, as far apart as that limit wants, and polling stays as it was; after the daily quota polling is
 * slower until enough questions were answered. A refused key holds everything back until the user asks again.
 */
export class SessionPace {
  readonly #options: SessionPaceOptions;
  readonly #listeners = new Set<() => void>();
  #state: PaceState = UNHURRIED;
  /** The one question that tries whether a halt is over. */
  #probe: Promise<void> | null = null;
  /** Counts halts: the answer to a question sent before the latest one is old news. */
  #halts = 0;
  #answered = 0;
  /** How long the halt was to last when that was last said. */
  #haltMs = 0;
  readonly #queue: TurnQueue;
  #rateMetAt = 0;
  #asksForRate = true;
  /** The limits as they were told during a halt; `halts` says which halt that was. */
  #figures: { readonly halts: number; readonly answer: Promise<RateLimitsView> } | null = null;

  constructor(options: SessionPaceOptions) {
    this.#options = options;
    this.#queue = new TurnQueue({ now: options.now, gapMs: () => this.#state.gapMs, first: HEARTBEAT });
  }

  readonly read = (): PaceState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The user wants an answer now: whatever holds questions back, one may try. */
  tryNow(): void {
    const { halt } = this.#state;
    if (halt !== null) this.#set({ halt: { ...halt, until: this.#options.now() } });
  }

  /**
   * Asks when it may be asked.
   *
   * @param path The v1 route.
   * @throws ClientError of the halt, with what is left of its wait, without asking; else what `ask` throws.
   */
  async pass<T>(path: string, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const probe = await this.#turn(path, signal);
    const halts = this.#halts;
    try {
      const answer = await ask();
      if (probe !== null) this.#set({ halt: null });
      if (this.#state.gapMs > 0) void this.#learnRate();
      if (path === HEARTBEAT) this.#recover();
      return answer;
    } catch (error) {
      if (!signal?.aborted) this.#judge(error, path, halts, probe !== null);
      throw error;
    } finally {
      if (probe !== null) {
        this.#probe = null;
        probe();
      }
    }
  }

  /**
   * The limits. While one of them holds everything else back they are what is wanted most, and asking for them is
   * free by the contract: one question for each such halt goes out all the same.
   *
   * @throws ClientError as {@link pass}; of the halt where the service does not tell its limits then.
   */
  async limits(ask: () => Promise<RateLimitsView>, signal?: AbortSignal): Promise<RateLimitsView> {
    try {
      return await this.pass(PATHS.rateLimits, ask, signal);
    } catch (error) {
      const { halt } = this.#state;
      const isHeldBack = halt?.error.code === 'quota' && halt.error.endpoint !== PATHS.rateLimits;
      // The wait for a limit per second is over before anybody has read its figures.
      if (!isHeldBack || halt.error.limit === 'rate' || isRefusedItself(error)) throw error;
      return this.#askFigures().catch(() => Promise.reject(error));
    }
  }

  #askFigures(): Promise<RateLimitsView> {
    if (this.#figures?.halts !== this.#halts) {
      this.#figures = { halts: this.#halts, answer: this.#options.rateLimits() };
    }
    return this.#figures.answer;
  }

  /** Waits until a question may go out; gives the end of the trial where this one is it. */
  async #turn(path: string, signal: AbortSignal | undefined): Promise<(() => void) | null> {
    for (;;) {
      this.#heedClock();
      const { halt } = this.#state;
      if (halt === null) break;
      if (halt.until === null || halt.until > this.#options.now()) throw this.#haltError();
      if (this.#probe === null) {
        if (halt.error.code === 'key' && path !== HEARTBEAT) throw this.#haltError();
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#probe = promise;
        this.#queue.sent(path);
        return resolve;
      }
      await unlessCalledOff(this.#probe, path, signal);
    }
    const hasTurn = await this.#queue.turn(path, signal);
    // What went before may have been refused.
    return hasTurn && this.#state.halt === null ? null : this.#turn(path, signal);
  }

  #judge(error: unknown, path: string, halts: number, isProbe: boolean): void {
    const isClientError = error instanceof ClientError;
    if (isClientError && error.code === 'quota') {
      this.#hold(error, halts !== this.#halts);
    } else if (isClientError && error.code === 'key' && path === HEARTBEAT) {
      this.#halts += 1;
      this.#set({ halt: { error, until: null } });
    } else if (isProbe) {
      // The service fails in another way now, which is for each question to bear.
      this.#set({ halt: null });
    }
  }

  #hold(error: ClientError, isOldNews: boolean): void {
    const now = this.#options.now();
    const until = now + waitMs(error);
    const { halt, slowdown } = this.#state;
    if (isOldNews) {
      if (halt !== null && halt.until !== null && until > halt.until) this.#set({ halt: { ...halt, until } });
      return;
    }
    this.#halts += 1;
    this.#answered = 0;
    if (error.limit !== 'daily') this.#spread(now);
    const slower = error.limit === 'rate' ? slowdown : Math.min(slowdown * 2, SLOWEST);
    this.#set({ halt: { error, until }, slowdown: slower });
    // Whoever waits for a turn learns now why there is none.
    this.#queue.release();
    if (error.limit === null || (error.limit === 'daily' && error.retryAfterSec === null)) {
      void this.#learnLimit(error, this.#halts, slowdown);
    }
  }

  /** Questions go out one by one, and further apart if they already did. */
  #spread(now: number): void {
    const { gapMs, perSecond } = this.#state;
    this.#rateMetAt = now;
    const least = leastGapMs(perSecond);
    this.#set({ gapMs: gapMs === 0 ? least : Math.max(Math.min(gapMs * 2, LONGEST_GAP_MS), least) });
  }

  /** Asks once how many questions a second the key may ask, in its turn like everything else. */
  async #learnRate(): Promise<void> {
    if (!this.#asksForRate) return;
    this.#asksForRate = false;
    try {
      this.#tellRate(await this.pass(PATHS.rateLimits, this.#options.rateLimits));
    } catch (error) {
      this.#asksForRate = error instanceof ClientError && error.code === 'quota';
    }
  }

  #tellRate({ perSecond }: RateLimitsView): void {
    if (perSecond === null || perSecond <= 0 || this.#state.gapMs === 0) return;
    this.#asksForRate = false;
    this.#set({ perSecond, gapMs: leastGapMs(perSecond) });
  }

  async #learnLimit(error: ClientError, halts: number, slowdown: number): Promise<void> {
    const limits = await this.#askFigures().catch(() => null);
    if (limits === null || this.#halts !== halts || this.#state.halt === null) return;
    const halt = quotaPause(error, limits, this.#options.now(), this.#state.halt.until);
    this.#set({ halt });
    if (halt.error.limit !== 'rate') return;
    this.#set({ slowdown });
    this.#tellRate(limits);
  }

  #recover(): void {
    const { slowdown, gapMs, perSecond } = this.#state;
    const least = leastGapMs(perSecond);
    if (gapMs > least && this.#options.now() >= this.#rateMetAt + GAP_RECOVERS_MS)
      this.#set({ gapMs: least });
    if (slowdown === 1) return;
    this.#answered += 1;
    if (this.#answered < RECOVERS_AFTER) return;
    this.#answered = 0;
    this.#set({ slowdown: slowdown / 2 });
  }

  /** A clock that was set back makes no halt longer than it was. */
  #heedClock(): void {
    const { halt } = this.#state;
    const until = this.#options.now() + this.#haltMs;
    if (halt !== null && halt.until !== null && halt.until > until) this.#set({ halt: { ...halt, until } });
  }

  /** The reason of the halt as an error of now. */
  #haltError(): ClientError {
    const { halt } = this.#state;
    if (halt === null) throw new RangeError('nothing holds questions back');
    const { error, until } = halt;
    if (until === null) return error;
    return error.waiting(Math.max((until - this.#options.now()) / 1_000, 0));
  }

  #set(change: Partial<PaceState>): void {
    if (change.halt != null && change.halt.until !== null)
      this.#haltMs = change.halt.until - this.#options.now();
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** So far apart questions keep a limit, ms. */
function leastGapMs(perSecond: number | null): number {
  return perSecond === null ? GAP_MS : Math.min(Math.ceil(SPACED_MS / perSecond), 60_000);
}

/** Whether it is the question for the limits that failed, rather than not being asked at all. */
function isRefusedItself(error: unknown): boolean {
  return !(error instanceof ClientError) || error.code !== 'quota' || error.endpoint === PATHS.rateLimits;
}
