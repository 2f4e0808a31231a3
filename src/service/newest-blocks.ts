import { ChainError, type ChainSource, isRefusal } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import { abortable } from './async.ts';

/** The newest blocks, ascending. */
export interface NewestBlocks {
  readonly blocks: readonly Block[];
  /** `false`: only the last is whole, and those before it are good for prices but not for the history. */
  readonly isWhole: boolean;
}

/**
 * The head and the blocks before it, `count` in all or as many as the source has, in as few requests as the source can.
 * Rejects on abort, or as the source does.
 */
export async function newestBlocks(
  source: ChainSource,
  count: number,
  signal: AbortSignal,
): Promise<NewestBlocks> {
  if (source.newest !== undefined) {
    try {
      const blocks = await abortable(source.newest(count, { signal }), signal);
      if (blocks.length > 0) return { blocks, isWhole: false };
    } catch (error) {
      // A node may have no `eth_feeHistory`, or allow shorter pages only.
      if (!(error instanceof ChainError && (isRefusal(error) || error.code === 'unsupported'))) throw error;
    }
  }
  const head = await abortable(source.head(), signal);
  const from = Math.max(0, head.number - count + 1);
  const blocks = await abortable(source.blocks(from, head.number, { signal }), signal);
  return { blocks: blocks.length > 0 ? blocks : [head], isWhole: true };
}
