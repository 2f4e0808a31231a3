import type { Clock } from '../../src/chain/async.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Time that passes when a test says so. */
export class FakeClock implements Clock {
  #now: number;
  readonly #startedAt: number;
  readonly #sleepers = new Set<Sleeper>();

  /** @param now ms since epoch */
  constructor(now: number) {
    this.#now = now;
    this.#startedAt = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now - this.#startedAt;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper: Sleeper = { until: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** How many wait for time to pass. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** Lets time pass and wakes whom it is for; what they do then takes its own course. */
  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#now) sleeper.wake();
  }
}
