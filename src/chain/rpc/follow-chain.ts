import { createBlockSequencer } from '../block-sequencer.ts';
import type { ChainEvent, KnownBlock } from '../chain-source.ts';
import { ChainError } from '../errors.ts';
import type { Header } from './answers.ts';
import type { Clock } from './clock.ts';
import { headStream } from './head-stream.ts';
import type { NodePool } from './node-pool.ts';
import type { Pace } from './pace.ts';
import { readBlocks } from './read-blocks.ts';
import { askHeader, type RpcNode } from './rpc-node.ts';
import { startNodeWatch } from './start-node-watch.ts';

export interface FollowOptions {
  readonly pool: NodePool;
  readonly clock: Clock;
  readonly createPace: () => Pace;
  readonly known: readonly KnownBlock[];
  readonly signal: AbortSignal;
}

/** The chain's events out of several nodes: the best one is followed until it fails or a better one is well. */
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
        // A chain that began anew has a lower head, or looks like a reorg.
        await pool.verify(node, { signal, isForced: header.number < newest });
        newest = header.number;
        pool.observe(node, header);
        for await (const event of sequencer.accept(header, reader)) {
          if (event.type === 'reorg') await pool.verify(node, { signal, isForced: true });
          // Well again only now: a node may answer all questions but the ones that matter.
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
    header: (number: number) => askHeader(node, number, { signal }),
    blocks: (from: number, to: number, head: Header) =>
      readBlocks(node, from, to, head.number, { clock, signal, headers: [head] }),
  };
}
