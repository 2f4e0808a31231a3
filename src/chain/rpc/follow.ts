import { chainProfile, isDevelopmentChain } from '../../core/chains.ts';
import type { TestableClock } from '../async.ts';
import { createBlockSequencer } from '../block-sequencer.ts';
import { ChainError, type ChainEvent, isRefusal, type KnownBlock } from '../chain-source.ts';
import { requestHead, requestHeader } from './client.ts';
import { baseFee, headerResponse } from './decode.ts';
import type { NodePool, PoolNode } from './node-pool.ts';
import { headerInPlace } from './null-rounds.ts';
import { readBlocks } from './read.ts';

const MIN_POLL_MS = 250;
const MAX_POLL_MS = 1_500;
const REMEMBERED = 8;

type Pace = ReturnType<typeof createPace>;

/**
 * When to poll for the next head: not before it can be due, then often. The rhythm is the shortest of the last intervals, so
 * that no block of an uneven chain is missed; `isSteady`: always often, for a node that mines on demand. Ms by `Clock.elapsed`.
 */
export function createPace(planMs: number, isSteady: boolean) {
  let last = { number: Number.POSITIVE_INFINITY, at: 0 };
  const intervals: number[] = [];
  /** Time between blocks: measured, or the chain's nominal time until then. */
  const blockMs = () => (intervals.length === 0 ? planMs : Math.min(...intervals));
  return {
    blockMs,
    heard: (number: number, at: number) => {
      if (number > last.number) intervals.push((at - last.at) / (number - last.number));
      if (intervals.length > REMEMBERED) intervals.shift();
      if (number !== last.number) last = { number, at };
    },
    wait: (now: number) => {
      const often = isSteady ? 0 : Math.min(MAX_POLL_MS, blockMs() / 8);
      // Only a measured rhythm justifies a longer pause.
      const pause = isSteady || intervals.length < 2 ? 0 : last.at + 0.8 * blockMs() - now;
      return Math.max(MIN_POLL_MS, often, pause);
    },
  };
}

const MISSES_HEADS = 'its newHeads subscription leaves blocks out: it is polled';
/** A subscription without heads for this long is checked by polling. */
const MIN_QUIET_MS = 5_000;

interface FollowOptions {
  readonly pool: NodePool;
  readonly clock: TestableClock;
  readonly known: readonly KnownBlock[];
  readonly signal: AbortSignal;
}

/**
 * One node's heads, the present one first, until it fails (rejects) or `signal` aborts; by `newHeads`, else polled. May repeat.
 * Some nodes accept `newHeads` and announce nothing, or stop to: until the first announcement, and once polling has found a head
 * that was not announced, until the next one, the node is polled at the chain's pace.
 */
async function* headStream(node: PoolNode, pace: Pace, { clock, signal }: FollowOptions) {
  let wake = () => {};
  const onAbort = () => wake();
  /** Only the newest head: a slow reader fills the gap itself. */
  let announced: unknown = null;
  let failure: ChainError | null = null;
  let newest: number | null = null;
  /** Whether anything was announced, and how many heads in a row were not. */
  let isProven = false;
  let missed = 0;
  const subscription = {
    onHead: (head: unknown) => {
      announced = head;
      wake();
    },
    onEnd: (error: ChainError) => {
      failure = error;
      wake();
    },
  };
  const unsubscribe = await node.link.subscribeHeads?.(subscription, { signal }).catch((error: unknown) => {
    if (isRefusal(error) || (error instanceof ChainError && error.code === 'unsupported')) return null;
    throw error;
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (!signal.aborted) {
      const hint = announced;
      announced = null;
      const whole = hint === null ? undefined : wholeHeader.safeParse(hint).data;
      const header = whole ?? (await requestHead(node, { signal }));
      const isNew = header.number > (newest ?? Number.POSITIVE_INFINITY);
      // An announcement that came during the request was only late.
      if (hint !== null) {
        missed = 0;
        isProven = true;
        node.notes.delete('newHeads');
      } else if (isNew && announced === null && unsubscribe) {
        missed += 1;
        // The first one may only be late.
        if (missed > 1 || isProven) node.notes.set('newHeads', MISSES_HEADS);
      }
      newest = Math.max(newest ?? 0, header.number);
      pace.heard(header.number, clock.elapsed());
      yield header;
      if (announced === null && failure === null && !signal.aborted) {
        const waiting = new AbortController();
        wake = () => waiting.abort();
        const quietMs = Math.max(MIN_QUIET_MS, 3 * pace.blockMs());
        const isPolled = !unsubscribe || !isProven || missed > 0;
        await clock.sleep(isPolled ? pace.wait(clock.elapsed()) : quietMs, waiting.signal);
      }
      if (failure !== null) throw failure;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    unsubscribe?.();
  }
}

/** Some nodes leave the base fee out of what they announce: that is only a hint of a head. */
const wholeHeader = headerResponse.extend({ baseFeePerGas: baseFee });

const MIN_WATCH_MS = 1_000;
const MAX_WATCH_MS = 12_000;
/** An unhealthy node is polled more often. */
const ILL_WATCH_MS = 2_000;

/** Polls a node while it is not followed, at the chain's pace, to compare it and to return to it. */
async function watchNode(
  node: PoolNode,
  isFollowed: () => boolean,
  pace: Pace,
  { pool, clock, signal }: FollowOptions,
): Promise<void> {
  while (!signal.aborted) {
    if (!isFollowed() && clock.elapsed() >= node.retryAt) {
      try {
        await pool.verify(node, { signal });
        const header = await requestHead(node, { signal });
        pool.responded(node);
        pool.observe(node, header);
      } catch (error) {
        if (signal.aborted || (error instanceof ChainError && error.code === 'restarted')) return;
        // This promise has no reader: an unexpected error must not end the process; the node counts as unhealthy.
        const words = `${node.name} caused an unexpected error: try another node`;
        pool.failed(node, error instanceof ChainError ? error : new ChainError('bad-response', words));
      }
    }
    const isWell = pool.health()[pool.nodes.indexOf(node)]?.state === 'ok';
    const most = isWell ? MAX_WATCH_MS : ILL_WATCH_MS;
    await clock.sleep(Math.min(most, Math.max(MIN_WATCH_MS, pace.blockMs())), signal);
  }
}

/** As `ChainSource.subscribe`, over several nodes: follows the best one until it fails or a better one is healthy. */
export async function* followChain(options: FollowOptions): AsyncGenerator<ChainEvent> {
  const { pool, clock, signal } = options;
  const sequencer = createBlockSequencer(options.known);
  let pace: Pace | null = null;
  let followed: PoolNode | null = null;
  let down = false;
  let newest = options.known.at(-1)?.number ?? -1;

  /** Healthy only once it has delivered: a node may handle all requests but the important ones. */
  function* delivered(node: PoolNode): Generator<ChainEvent> {
    pool.responded(node);
    node.failures = 0;
    if (down) yield { type: 'up' };
    down = false;
  }

  while (!signal.aborted) {
    followed = null;
    try {
      const node = await pool.pick(signal);
      followed = node;
      if (pace === null) {
        const chain = pool.chain ?? chainProfile(1);
        pace = createPace(chain.feeRule.blockTimeSec * 1_000, isDevelopmentChain(chain));
        if (pool.nodes.length > 1)
          for (const each of pool.nodes) void watchNode(each, () => each === followed, pace, options);
      }
      for await (const header of headStream(node, pace, options)) {
        // A restarted chain has a lower head, or looks like a reorg.
        await pool.verify(node, { signal, isForced: header.number < newest });
        newest = header.number;
        pool.observe(node, header);
        const reader = {
          node,
          header: (number: number) =>
            number < header.number
              ? headerInPlace(node, number, { signal })
              : requestHeader(node, number, { signal }),
          blocks: (from: number, to: number) => readBlocks(node, from, to, header, options),
        };
        for await (const event of sequencer.accept(header, reader)) {
          if (event.type === 'reorg') await pool.verify(node, { signal, isForced: true });
          yield* delivered(node);
          yield event;
        }
        yield* delivered(node);
        if (pool.hasBetterThan(node)) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ChainError) || error.code === 'restarted') throw error;
      if (followed) {
        pool.failed(followed, error);
        continue;
      }
      down = true;
      yield { type: 'down', reason: pool.reason(), retryAt: clock.now() + pool.pauseMs() };
      await clock.sleep(pool.pauseMs(), signal);
    }
  }
}
