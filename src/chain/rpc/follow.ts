import type { Clock } from '../async.ts';
import { createBlockSequencer } from '../block-sequencer.ts';
import { ChainError, type ChainEvent, isRefusal, type KnownBlock } from '../chain-source.ts';
import { type RpcNode, requestHead, requestHeader } from './client.ts';
import { type Header, headerResponse, readResponse } from './decode.ts';
import type { NodePool } from './node-pool.ts';
import { readBlocks } from './read.ts';

const MIN_POLL_MS = 250;
const MAX_POLL_MS = 1_500;
const REMEMBERED = 8;

export type Pace = ReturnType<typeof createPace>;

/**
 * When to poll for the next head, in the chain's rhythm: after a block it does not poll until the next can be due, then polls often. The rhythm
 * is the shortest of the last intervals, so that an uneven chain's blocks are not missed. Times in ms by
 * `Clock.elapsed`.
 *
 * @param fixedMs poll at this interval instead (at least 250 ms)
 */
export function createPace(planMs: number, fixedMs: number | null) {
  let last: { number: number; at: number } | null = null;
  const intervals: number[] = [];
  const blockMs = () => (intervals.length === 0 ? planMs : Math.min(...intervals));
  return {
    /** Records a head; repeated ones change nothing. */
    heard: (number: number, at: number) => {
      if (last && number > last.number) {
        intervals.push((at - last.at) / (number - last.number));
        if (intervals.length > REMEMBERED) intervals.shift();
      }
      if (!last || number !== last.number) last = { number, at };
    },
    /** Time between blocks: measured, or the chain's nominal time until then. */
    blockMs,
    /** How long to wait from `now`. */
    wait: (now: number) => {
      if (fixedMs !== null) return Math.max(MIN_POLL_MS, fixedMs);
      const often = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, blockMs() / 8));
      // Only a measured rhythm justifies a longer pause.
      if (!last || intervals.length < 2) return often;
      return Math.max(often, last.at + 0.8 * blockMs() - now);
    },
  };
}

/** A subscription without heads for this long is checked by polling. */
const MIN_QUIET_MS = 5_000;

interface HeadStreamOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/**
 * The heads of one node, the present one first, until the node fails (rejects) or `signal` aborts. Uses `newHeads` if
 * transport and node support it, otherwise polls. The same head may come again.
 */
async function* headStream(node: RpcNode, options: HeadStreamOptions): AsyncGenerator<Header> {
  const inbox = createInbox();
  const unsubscribe = await subscribed(node, inbox, options.signal);
  try {
    while (!options.signal.aborted) {
      const header = await requestHead(node, { signal: options.signal });
      options.pace.heard(header.number, options.clock.elapsed());
      yield header;
      if (!unsubscribe) {
        await options.clock.sleep(options.pace.wait(options.clock.elapsed()), options.signal);
        continue;
      }
      const quietMs = Math.max(MIN_QUIET_MS, 3 * options.pace.blockMs());
      for (;;) {
        const told = await inbox.next(quietMs, options);
        if (told === null) break;
        const head = readResponse(headerResponse, told, node.name, 'newHeads');
        options.pace.heard(head.number, options.clock.elapsed());
        yield head;
      }
    }
  } finally {
    unsubscribe?.();
  }
}

async function subscribed(
  node: RpcNode,
  inbox: ReturnType<typeof createInbox>,
  signal: AbortSignal,
): Promise<(() => void) | null> {
  if (!node.link.subscribeHeads) return null;
  try {
    return await node.link.subscribeHeads(inbox.put, inbox.end, { signal });
  } catch (error) {
    const refused = isRefusal(error) || (error instanceof ChainError && error.code === 'unsupported');
    if (refused) return null;
    throw error;
  }
}

/** Holds only the newest head: a slow reader fills the gap itself. */
function createInbox() {
  let head: unknown = null;
  let failure: ChainError | null = null;
  let wake: () => void = () => {};
  return {
    put: (value: unknown) => {
      head = value;
      wake();
    },
    end: (error: ChainError) => {
      failure = error;
      wake();
    },
    /** The next head; `null` after `quietMs` without one, or on abort. Rejects when the subscription broke. */
    next: async (quietMs: number, { clock, signal }: HeadStreamOptions) => {
      if (head === null && failure === null && !signal.aborted) {
        const waiting = new AbortController();
        const stop = () => waiting.abort();
        wake = stop;
        signal.addEventListener('abort', stop, { once: true });
        await clock.sleep(quietMs, waiting.signal);
        signal.removeEventListener('abort', stop);
      }
      if (failure !== null) throw failure;
      const told = signal.aborted ? null : head;
      head = null;
      return told;
    },
  };
}

const MIN_WATCH_MS = 1_000;
const MAX_WATCH_MS = 12_000;
/** An unhealthy node is polled more often. */
const ILL_WATCH_MS = 2_000;

interface NodeWatchOptions {
  readonly pool: NodePool;
  readonly clock: Clock;
  readonly pace: Pace;
  /** The followed node needs no polling. */
  readonly isFollowed: (node: RpcNode) => boolean;
  readonly signal: AbortSignal;
}

/** Polls the other nodes, each at the chain's pace, to compare them and to return to them. */
function startNodeWatch(options: NodeWatchOptions): void {
  if (options.pool.nodes.length < 2) return;
  for (const node of options.pool.nodes) void watchNode(node, options);
}

async function watchNode(
  node: RpcNode,
  { pool, clock, pace, isFollowed, signal }: NodeWatchOptions,
): Promise<void> {
  while (!signal.aborted) {
    if (!isFollowed(node) && pool.isDue(node)) {
      try {
        await pool.verify(node, { signal });
        const header = await requestHeader(node, 'latest', { signal });
        if (header) {
          pool.responded(node);
          pool.observe(node, header);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ChainError && error.code === 'restarted') return;
        // This promise has no reader: an unexpected error must not end the process; the node counts as unhealthy.
        pool.failed(node, error instanceof ChainError ? error : unforeseen(node));
      }
    }
    const isWell = pool.health()[pool.nodes.indexOf(node)]?.state === 'ok';
    const most = isWell ? MAX_WATCH_MS : ILL_WATCH_MS;
    await clock.sleep(Math.min(most, Math.max(MIN_WATCH_MS, pace.blockMs())), signal);
  }
}

function unforeseen(node: RpcNode): ChainError {
  return new ChainError('bad-response', `${node.name} caused an unexpected error: try another node`);
}

interface FollowOptions {
  readonly pool: NodePool;
  readonly clock: Clock;
  readonly createPace: () => Pace;
  readonly known: readonly KnownBlock[];
  readonly signal: AbortSignal;
}

/** The chain's events from several nodes: follows the best one until it fails or a better one is healthy. */
export async function* followChain(options: FollowOptions): AsyncGenerator<ChainEvent> {
  const { pool, clock, signal } = options;
  const sequencer = createBlockSequencer(options.known);
  let pace: Pace | null = null;
  let followed: RpcNode | null = null;
  let down = false;
  let newest = options.known.at(-1)?.number ?? -1;

  while (!signal.aborted) {
    followed = null;
    try {
      const node = await pool.pick(signal);
      followed = node;
      if (pace === null) {
        pace = options.createPace();
        startNodeWatch({ pool, clock, pace, isFollowed: (each) => each === followed, signal });
      }
      const reader = readerOf(node, options);
      for await (const header of headStream(node, { clock, pace, signal })) {
        // A restarted chain has a lower head, or looks like a reorg.
        await pool.verify(node, { signal, isForced: header.number < newest });
        newest = header.number;
        pool.observe(node, header);
        for await (const event of sequencer.accept(header, reader)) {
          if (event.type === 'reorg') await pool.verify(node, { signal, isForced: true });
          // Healthy only now: a node may handle all requests but the important ones.
          pool.worked(node);
          if (down) yield { type: 'up' };
          down = false;
          yield event;
        }
        pool.worked(node);
        if (down) yield { type: 'up' };
        down = false;
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

function readerOf(node: RpcNode, { clock, signal }: FollowOptions) {
  return {
    node,
    header: (number: number) => requestHeader(node, number, { signal }),
    blocks: (from: number, to: number, head: Header) =>
      readBlocks(node, from, to, head.number, { clock, signal, headers: [head] }),
  };
}
