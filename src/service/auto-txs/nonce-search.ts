import type { ChainSource, IncludedTransaction } from '../../chain/chain-source.ts';
import { ChainError } from '../../chain/errors.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { abortable } from '../async.ts';

/** Whole blocks are large: it is looked for in as many at most. */
const MOST_BLOCKS = 6;

export interface NonceSearch {
  /** What has the nonce: another transaction, or the auto-tx itself; `null`: it is in none of the blocks. */
  readonly found: IncludedTransaction | null;
  /** Whether all of the blocks could be read. */
  readonly isComplete: boolean;
}

/**
 * Looks for the transaction that has an auto-tx's nonce in the newest blocks up to `head` and after `seen`, where the nonce
 * was free or nothing was found. Does not reject where a node does
 * not say it.
 */
export async function searchNonce(
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
): Promise<NonceSearch> {
  const from = signed?.from.toLowerCase();
  const above = Math.max(seen ?? 0, head - MOST_BLOCKS);
  let isComplete = true;
  try {
    for (let number = head; number > above; number--) {
      const block = await abortable(source.block(number, { signal }), signal);
      const included = block && (await abortable(source.transactionsOf(block, { signal }), signal));
      const found = included?.find(
        ({ transaction }) => transaction.nonce === signed?.nonce && transaction.from.toLowerCase() === from,
      );
      if (found !== undefined) return { found, isComplete: true };
      // The newest one may not be whole yet where the one that has it is.
      if (!included) isComplete = false;
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return { found: null, isComplete: false };
  }
  return { found: null, isComplete };
}
