import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '../core/time.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import { pauseMs } from './rate-limit.ts';
import { updateSecOf } from './views/chain-status.ts';
import type { SnapshotView } from './views/gas.ts';

/** Each try to open a stream may cost a request of the quota. */
const STREAM_BACK_OFF = [1_000, 300_000] as const;
/** A service without a stream, or a key without access, will have none in a minute either. */
const FINAL: readonly ClientErrorCode[] = ['not-found', 'plan', 'key', 'invalid'];

/** How long to wait, ms, before the next try after `failures` (0: this is the first); rejects where no try helps. */
export type RetryRule = (error: unknown, failures: number) => number;

interface Following<Prices> {
  /** Left out: the caller polls by itself while no stream is open. */
  readonly poll?: {
    readonly read: (signal: AbortSignal) => Promise<Prices>;
    readonly everyMs: (prices: Prices) => number;
    /** @throws the error, where no waiting helps */
    readonly retryMs: RetryRule;
  };
  /** Prices as they change, until the connection breaks; left out: they are polled only. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<Prices>;
  /** Whether prices arrive by the stream now. */
  readonly onStream?: (isOpen: boolean) => void;
  readonly signal: AbortSignal;
}

/**
 * Current prices: by the stream while it is open, otherwise polled; the same ones may come twice. A stream that breaks
 * is opened again, with back-off. Ends where there is neither a stream nor a `poll`; rejects on abort.
 */
export async function* followPrices<Prices>(following: Following<Prices>): AsyncGenerator<Prices, void> {
  const { poll, stream, onStream, signal } = following;
  let failures = 0;
  let streamDueAt = stream === undefined ? Number.POSITIVE_INFINITY : 0;
  for (;;) {
    let pollInMs = Number.POSITIVE_INFINITY;
    if (poll !== undefined) {
      const prices = await untilItWorks(poll.read, poll.retryMs, signal);
      yield prices;
      pollInMs = poll.everyMs(prices);
    }
    if (stream !== undefined && performance.now() >= streamDueAt) {
      let isOpen = false;
      let retryMs = 0;
      try {
        for await (const prices of stream(signal)) {
          if (!isOpen) onStream?.(true);
          isOpen = true;
          failures = 0;
          yield prices;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ClientError)) throw error;
        if (FINAL.includes(error.code)) retryMs = Number.POSITIVE_INFINITY;
        else if (error.code === 'quota') retryMs = pauseMs(error);
      } finally {
        if (isOpen) onStream?.(false);
      }
      streamDueAt =
        performance.now() + Math.max(retryMs, withJitter(backOffMs(failures, ...STREAM_BACK_OFF)));
      failures += 1;
      // What came since it broke is not waited for.
      if (isOpen) pollInMs = 0;
    }
    const waitMs = poll === undefined ? streamDueAt - performance.now() : pollInMs;
    if (waitMs === Number.POSITIVE_INFINITY) return;
    await sleep(Math.max(waitMs, 0), undefined, { signal });
  }
}

/** Repeats `work` until it succeeds, or until `retryMs` throws. Rejects on abort. */
export async function untilItWorks<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  retryMs: RetryRule,
  signal: AbortSignal,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work(signal);
    } catch (error) {
      signal.throwIfAborted();
      await sleep(retryMs(error, failures), undefined, { signal });
    }
  }
}

/** So that many that lost one service do not return in step. */
export const withJitter = (ms: number): number => Math.round(ms * (0.75 + Math.random() / 2));

const SHORTEST_MS = 500;
const SHORTEST_GUESS_MS = 2_000;

/** How often a service is polled for something new, ms: as it says, else by its chain's block time. */
export function pollEveryMs(snapshot: SnapshotView): number {
  const isStated = (snapshot.updateFrequencySec ?? 0) > 0;
  return Math.max(updateSecOf(snapshot) * 1_000, isStated ? SHORTEST_MS : SHORTEST_GUESS_MS);
}
