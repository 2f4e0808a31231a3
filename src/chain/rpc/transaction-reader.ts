import type { ChainBlock, IncludedTransaction } from '../chain-source.ts';
import type { Clock } from './clock.ts';
import type { NodePool } from './node-pool.ts';
import { readTransactions } from './read-transactions.ts';
import { askHeader } from './rpc-node.ts';
import { SharedReads } from './shared-reads.ts';
import { TransactionMemory } from './transaction-memory.ts';

/** A hundred blocks of mainnet and more; their call data is the largest part. */
const KEPT_BYTES = 48 * 2 ** 20;
/** A full block and its receipts may be tens of megabytes on their way here. */
const PARALLEL = 4;
/** Blocks this deep below the head stay in the chain. */
const SETTLED_DEPTH = 64;

type Reads = readonly IncludedTransaction[] | null;

/** Reads blocks' transactions (see `readTransactions`) and remembers the last, so that paging through them asks once. */
export function createTransactionReader(
  pool: NodePool,
  clock: Clock,
): (block: Pick<ChainBlock, 'number' | 'hash'>, signal?: AbortSignal) => Promise<Reads> {
  const memory = new TransactionMemory(KEPT_BYTES);
  const reads = new SharedReads<Reads>(PARALLEL);

  const isSettled = (number: number) =>
    pool
      .health()
      .some(({ state, head }) => state === 'ok' && head !== null && head - number >= SETTLED_DEPTH);

  async function read(block: Pick<ChainBlock, 'number' | 'hash'>, signal: AbortSignal): Promise<Reads> {
    const kept = memory.get(keyOf(block));
    if (kept === null) {
      const included = await pool.run((node) => readTransactions(node, block, { clock, signal }), signal);
      if (included) memory.put(keyOf(block), included);
      return included;
    }
    if (isSettled(block.number)) return kept;
    // A block has the same transactions for ever, but it may have left the chain since.
    const header = await pool.run((node) => askHeader(node, block.number, { signal }), signal);
    return header?.hash === block.hash ? kept : null;
  }

  return (block, signal) => reads.share(keyOf(block), (shared) => read(block, shared), signal);
}

const keyOf = ({ number, hash }: Pick<ChainBlock, 'number' | 'hash'>): string => `${number} ${hash}`;
