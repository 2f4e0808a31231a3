import { setImmediate, setTimeout } from 'node:timers/promises';

/** Waits, or returns at once when `signal` aborts; never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => {});
}

/** Pauses that a ring ends; one between two pauses ends the next at once. */
export class Alarm {
  #rung = new AbortController();

  readonly ring = (): void => this.#rung.abort();

  async pause(ms: number, wait: typeof sleep = sleep): Promise<void> {
    await wait(ms, this.#rung.signal);
    this.#rung = new AbortController();
  }
}

/** Waits until `signal` aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** `promise`, but rejecting at once when `signal` aborts: a node that hangs must not hold up the end. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {});
    throw signal.reason;
  }
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** `work` on every item, a few at a time, results in the items' order. Begins nothing new after a failure or the abort. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  parallel: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  let failed = false;
  const run = async () => {
    for (const [index, item] of queue) {
      signal.throwIfAborted();
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, run));
  return results;
}

/** The same question, asked again while its answer is under way, gets that answer. */
export class OnceAtATime<Key, Value> {
  readonly #underWay = new Map<Key, Promise<Value>>();

  ask(key: Key, ask: () => Promise<Value>): Promise<Value> {
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const answer = ask().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, answer);
    return answer;
  }
}

/** Long enough to get work done, short enough that keys and requests never wait for it. */
const SLICE_MS = 8;

/** Cuts long work on the event loop into slices: `if (slice.isOver()) await slice.next();` */
export class TimeSlice {
  #started = performance.now();

  isOver(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#started = performance.now();
  }
}

/** `work`, or what `late` returns when `work` takes longer than `ms`. */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  const over = Promise.withResolvers<T>();
  const timer = globalThis.setTimeout(() => over.resolve(late()), ms);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
