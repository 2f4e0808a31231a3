import type { ChainSource } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';

/** A page of `eth_feeHistory`. */
const PAGE = 1_024;
const MOST_STEPS_BACK = 12;

/** The blocks of the last `pastSec` up to the head, ascending; fewer where the source's past begins later. */
export async function* pastBlocks(
  source: ChainSource,
  pastSec: number,
  signal: AbortSignal,
): AsyncGenerator<Block> {
  const [{ feeRule }, head] = await Promise.all([source.chain(), source.head()]);
  const since = head.timestamp - pastSec;
  for (
    let from = await startOf(source, head, since, feeRule.blockTimeSec);
    from <= head.number;
    from += PAGE
  ) {
    if (signal.aborted) return;
    const blocks = await source.blocks(from, Math.min(from + PAGE - 1, head.number), { signal });
    for (const block of blocks) if (block.timestamp >= since) yield block;
  }
}

/** A block at or before `since`: estimated from the chain's pace, then corrected by the pace that shows. */
async function startOf(source: ChainSource, head: Block, since: number, paceSec: number): Promise<number> {
  let back = Math.ceil((head.timestamp - since) / paceSec);
  for (let step = 0; step < MOST_STEPS_BACK; step += 1) {
    const number = Math.max(head.number - back, 0);
    const [block] = await source.blocks(number, number);
    if (number === 0 || block === undefined || block.timestamp <= since) return number;
    const reached = Math.max(head.timestamp - block.timestamp, 1);
    back = Math.ceil(back * Math.min((head.timestamp - since) / reached, 8)) + 1;
  }
  return Math.max(head.number - back, 0);
}
