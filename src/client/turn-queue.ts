import { ClientError } from './errors.ts';

/** A question that awaits its turn. */
interface Waiting {
  readonly path: string;
  readonly go: (isTurn: boolean) => void;
}

interface TurnQueueOptions {
  readonly now: () => number;
  /** Between the starts of two questions, ms; 0: as they come. */
  readonly gapMs: () => number;
  /** The path whose questions do not wait behind all others. */
  readonly first: string;
}

/** Lets questions out one by one, a gap apart. */
export class TurnQueue {
  readonly #options: TurnQueueOptions;
  readonly #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** From when on the next question may go out, ms since epoch. */
  #free = 0;
  #lastSent = '';

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  /**
   * Waits for the turn of a question; `false`: it was let go without one.
   *
   * @throws ClientError where `signal` calls it off.
   */
  async turn(path: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { now, gapMs } = this.#options;
    if (gapMs() === 0) return true;
    if (this.#waiting.length === 0 && this.#free <= now()) {
      this.sent(path);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasTurn = false;
    const waiting: Waiting = {
      path,
      go: (isTurn) => {
        hasTurn = isTurn;
        resolve();
      },
    };
    this.#waiting.push(waiting);
    this.#arm();
    // A program that has called everything off must not stay for the rest of a gap.
    await unlessCalledOff(promise, path, signal).finally(() => this.#leave(waiting));
    return hasTurn;
  }

  /** A question went out, here or past the queue. */
  sent(path: string): void {
    this.#lastSent = path;
    this.#free = this.#options.now() + this.#options.gapMs();
  }

  /** Lets everybody go without a turn. */
  release(): void {
    for (const { go } of this.#waiting.splice(0)) go(false);
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    const { now, gapMs } = this.#options;
    // A clock that was set back must not hold anything up.
    const waitMs = Math.min(Math.max(this.#free - now(), 0), gapMs());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const next = this.#next();
      if (next === undefined) return;
      this.sent(next.path);
      this.#leave(next);
      next.go(true);
      if (this.#waiting.length > 0) this.#arm();
    }, waitMs);
  }

  /** In order; but `first` does not wait behind all others, nor they behind one that comes faster than the gap. */
  #next(): Waiting | undefined {
    const { first } = this.#options;
    const isWanted = ({ path }: Waiting) => (path === first) !== (this.#lastSent === first);
    return this.#waiting.find(isWanted) ?? this.#waiting[0];
  }

  #leave(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#waiting.length > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Waits, but no longer than until `signal` calls the question off, which throws. */
export async function unlessCalledOff(
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
