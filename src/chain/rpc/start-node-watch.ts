import { ChainError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { NodePool } from './node-pool.ts';
import type { Pace } from './pace.ts';
import { askHeader, type RpcNode } from './rpc-node.ts';

const MIN_WATCH_MS = 1_000;
const MAX_WATCH_MS = 12_000;

export interface NodeWatchOptions {
  readonly pool: NodePool;
  readonly clock: Clock;
  readonly pace: Pace;
  /** The followed node is seen anyway. */
  readonly isFollowed: (node: RpcNode) => boolean;
  readonly signal: AbortSignal;
}

/** Looks at the nodes that are not followed, each at the chain's pace, so that they can be compared and returned to. */
export function startNodeWatch(options: NodeWatchOptions): void {
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
        const header = await askHeader(node, 'latest', { signal });
        if (header) {
          pool.answered(node);
          pool.observe(node, header);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ChainError && error.code === 'restarted') return;
        // Nobody waits for this: what nobody foresaw must not end the process, the node is merely not well.
        pool.failed(node, error instanceof ChainError ? error : unforeseen(node));
      }
    }
    await clock.sleep(Math.min(MAX_WATCH_MS, Math.max(MIN_WATCH_MS, pace.blockMs())), signal);
  }
}

function unforeseen(node: RpcNode): ChainError {
  return new ChainError('bad-answer', `${node.name} cannot be looked at: try another node`);
}
