import type { ChainSource } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import { abortable } from './abortable.ts';

/** The head and the blocks before it, `count` in all or as many as the source has. Rejects on abort, or as the source does. */
export async function newestBlocks(
  source: ChainSource,
  count: number,
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const head = await abortable(source.head(), signal);
  const from = Math.max(0, head.number - count + 1);
  const blocks = await abortable(source.blocks(from, head.number, { signal }), signal);
  return blocks.length > 0 ? blocks : [head];
}
