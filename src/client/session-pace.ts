import { PATHS } from '../contract/routes.ts';
import { ClientError } from './client-error.ts';
import { quotaPause, waitMs } from './quota-pause.ts';
import type { RateLimitsView } from './views/dashboard.ts';

export interface PaceState {
  /** Why nothing is asked, and when that ends, ms since epoch (`null`: not by itself); `null`: questions go out. */
  readonly halt: { readonly error: ClientError; readonly until: number | null } | null;
  /** By how much polling is slower than wanted; 1: as wanted. */
  readonly slowdown: number;
}

interface SessionPaceOptions {
  readonly now: () => number;
  /** Asked once in a halt, where the refusal does not say which limit it is or somebody wants to know. */
  readonly rateLimits: () => Promise<RateLimitsView>;
}

const SLOWEST = 64;
/** So many prices in a row take back one step of the slowdown. */
const RECOVERS_AFTER = 5;
/** Two a second: the least that anybody's limit allows a key that is worth having. */
const GAP_MS = 500;
const LONGEST_GAP_MS = 2_000;
/** What tells whether the key works at all; other routes may want more than it may do. */
const HEARTBEAT = PATHS.gasCurrent;

/**
 * The pace of everything that one key is asked for. One `429` holds all questions back until the service wants to
 * hear again; then one goes first, and the others follow it only if it is answered. From then on polling is slower
 * and questions do not come in bundles, until enough of them were answered. A refused key holds everything back until
 * the user asks again.
 */
export class SessionPace {
  readonly #options: SessionPaceOptions;
  readonly #listeners = new Set<() => void>();
  #state: PaceState = { halt: null, slowdown: 1 };
  /** The one question that tries whether a halt is over. */
  #probe: Promise<void> | null = null;
  /** Counts halts: a question sent before the last one brings no news. */
  #halts = 0;
  #answered = 0;
  /** Between the starts of two questions, ms; stays once a limit was met, which bundles would only meet again. */
  #gapMs = 0;
  #free = 0;
  /** The limits as they were asked for in the halt of that number. */
  #figures: { readonly halts: number; readonly answer: Promise<RateLimitsView> } | null = null;

  constructor(options: SessionPaceOptions) {
    this.#options = options;
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
      const { halt } = this.#state;
      if (halt === null) break;
      if (halt.until === null || halt.until > this.#options.now()) throw this.#haltError();
      if (this.#probe === null) {
        if (halt.error.code === 'key' && path !== HEARTBEAT) throw this.#haltError();
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#probe = promise;
        this.#free = this.#options.now() + this.#gapMs;
        return resolve;
      }
      await unlessCalledOff(this.#probe, path, signal);
    }
    if (this.#gapMs === 0) return null;
    const now = this.#options.now();
    const at = Math.max(now, this.#free);
    this.#free = at + this.#gapMs;
    if (at > now) {
      const gap = Promise.withResolvers<void>();
      const timer = setTimeout(gap.resolve, at - now);
      // A program that has called everything off must not stay for the rest of a gap.
      await unlessCalledOff(gap.promise, path, signal).finally(() => clearTimeout(timer));
      // What went before may have been refused.
      if (this.#state.halt !== null) return this.#turn(path, signal);
    }
    return null;
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
    const until = this.#options.now() + waitMs(error);
    const { halt, slowdown } = this.#state;
    if (isOldNews && halt !== null) {
      if (halt.until !== null && until > halt.until) this.#set({ halt: { ...halt, until } });
      return;
    }
    this.#halts += 1;
    this.#answered = 0;
    if (error.limit !== 'daily') this.#gapMs = Math.min(GAP_MS * slowdown, LONGEST_GAP_MS);
    this.#set({ halt: { error, until }, slowdown: Math.min(slowdown * 2, SLOWEST) });
    if (error.limit === null || (error.limit === 'daily' && error.retryAfterSec === null)) {
      void this.#learnLimit(error, this.#halts);
    }
  }

  async #learnLimit(error: ClientError, halts: number): Promise<void> {
    const limits = await this.#askFigures().catch(() => null);
    if (limits === null || this.#halts !== halts || this.#state.halt === null) return;
    this.#set({ halt: quotaPause(error, limits, this.#options.now(), this.#state.halt.until) });
  }

  #recover(): void {
    if (this.#state.slowdown === 1) return;
    this.#answered += 1;
    if (this.#answered < RECOVERS_AFTER) return;
    this.#answered = 0;
    this.#gapMs = this.#gapMs === 0 ? 0 : Math.max(this.#gapMs / 2, GAP_MS);
    this.#set({ slowdown: this.#state.slowdown / 2 });
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
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether it is the question for the limits that failed, rather than not being asked at all. */
function isRefusedItself(error: unknown): boolean {
  return !(error instanceof ClientError) || error.code !== 'quota' || error.endpoint === PATHS.rateLimits;
}

async function unlessCalledOff(
  waiting: Promise<void>,
  endpoint: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const calledOff = Promise.withResolvers<void>();
  const abort = () => calledOff.resolve();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  await Promise.race([waiting, calledOff.promise]);
  signal?.removeEventListener('abort', abort);
  if (signal?.aborted) throw new ClientError('unreachable', 'the question was called off', { endpoint });
}
