import type { ChainSource } from '../../chain/chain-source.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import { abortable } from '../abortable.ts';

/** Whole blocks are large: it is looked for in as many at most. */
const MOST_BLOCKS = 4;

export interface Replacement {
  readonly hash: Hex;
  readonly blockNumber: number;
}

/**
 * The transaction that has an auto-tx's nonce, looked for in the newest blocks up to `head` and after `seen`, where it was
 * free; `null` where it is in none of them, or the node does not say.
 */
export async function findReplacement(
  { signed }: KeptAutoTx,
  {
    source,
    seen,
    head,
    signal,
  }: {
    readonly source: ChainSource;
    readonly seen: number | null;
    readonly head: number;
    readonly signal: AbortSignal;
  },
): Promise<Replacement | null> {
  if (signed === null) return null;
  const from = signed.from.toLowerCase();
  const above = Math.max(seen ?? 0, head - MOST_BLOCKS);
  try {
    for (let number = head; number > above; number--) {
      const block = await abortable(source.block(number, { signal }), signal);
      const included = block && (await abortable(source.transactionsOf(block, { signal }), signal));
      const found = included?.find(
        ({ transaction }) => transaction.nonce === signed.nonce && transaction.from.toLowerCase() === from,
      );
      if (found !== undefined) return { hash: found.transaction.hash, blockNumber: number };
    }
  } catch {
    // It is only told by its name.
  }
  return null;
}
