import { PATHS } from '../contract/routes.ts';
import { ClientError } from './errors.ts';

const SHORTEST_MS = 1_000;
/** Every daily quota resets within this time, whatever `Retry-After` says. */
const LONGEST_MS = 25 * 3_600_000;
const DEFAULT_MS = 60_000;

/** Pause after a 429: its `Retry-After`, within limits, or else a minute. */
export function pauseMs({ retryAfterSec }: ClientError): number {
  if (retryAfterSec === null) return DEFAULT_MS;
  return Math.min(Math.max(retryAfterSec * 1_000, SHORTEST_MS), LONGEST_MS);
}

/** Why no request is sent, and until when, ms since epoch; `until` is `null` for a refused key: the user must retry. */
export interface Pause {
  readonly error: ClientError;
  readonly until: number | null;
}

/** Pauses all requests of one key after a 429, and after the key was refused. The first success ends the pause. */
export class RateLimit {
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #pause: Pause | null = null;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  readonly read = (): Pause | null => this.#pause;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Allows requests again before the pause is over. */
  readonly tryNow = (): void => {
    if (this.#pause !== null) this.#set({ ...this.#pause, until: this.#now() });
  };

  /** @throws ClientError of the pause. Rate limits may always be requested. @internal */
  check(path: string): void {
    if (this.#pause === null) return;
    const { error, until } = this.#pause;
    if (until === null) throw error;
    const leftMs = until - this.#now();
    // A clock that was set back does not prolong the pause.
    if (leftMs <= 0 || leftMs > LONGEST_MS) return;
    if (error.code === 'quota' && path === PATHS.rateLimits) return;
    throw new ClientError(error.code, error.message, { ...error, retryAfterSec: leftMs / 1_000 });
  }

  /** @internal */
  succeeded(): void {
    const { until = null } = this.#pause ?? {};
    if (this.#pause !== null && (until === null || until <= this.#now())) this.#set(null);
  }

  /** @internal */
  failed(error: unknown): void {
    if (!(error instanceof ClientError)) return;
    if (error.code === 'quota') {
      this.#set({ error, until: this.#now() + pauseMs(error) });
    } else if (error.code === 'key' && error.endpoint === PATHS.gasCurrent) {
      // Other routes may exceed the key's plan; the prices tell whether the key works at all.
      this.#set({ error, until: null });
    } else if ((this.#pause?.until ?? Number.POSITIVE_INFINITY) <= this.#now()) {
      this.#set(null);
    }
  }

  #set(pause: Pause | null): void {
    this.#pause = pause;
    for (const listener of this.#listeners) listener();
  }
}
