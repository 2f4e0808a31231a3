import { abortable, DeadlineError, withDeadline } from '../chain/async.ts';
import {
  type ChainBlock,
  ChainError,
  type ChainReceipt,
  type ChainSource,
  type ChainTransaction,
  type IncludedTransaction,
} from '../chain/chain-source.ts';
import type { Block, Hex } from '../core/block.ts';
import { ApiFailure, abandoned, unavailable } from './http/errors.ts';

/** Blocks with their transactions' hashes, 5 MB of mainnet. */
const CACHED_BLOCKS = 256;
/** Blocks with their transactions, without call data, 8 MB of mainnet. */
const CACHED_LISTS = 64;
/** A full block and its receipts are two requests, which may be repeated. */
const TRANSACTIONS_WITHIN_MS = 20_000;

/** The fields of a block's transaction for lists, without its call data, which may be large. */
export interface MinedTransaction
  extends Pick<ChainTransaction, 'hash' | 'type' | 'from' | 'to' | 'value'>,
    Omit<ChainReceipt, 'blockNumber' | 'blockHash' | 'l1Part'> {}

type BlockClue = Pick<Block, 'number' | 'hash'> & { readonly baseFeePerGas?: bigint };

/** Reads from the source within a time limit, shares pending reads, and caches blocks with their transactions. */
export type ChainReader = ReturnType<typeof createChainReader>;

export function createChainReader(source: ChainSource, ended: AbortSignal) {
  const blocks = new LastReads<number, ChainBlock>(CACHED_BLOCKS);
  const transactions = new LastReads<Hex, readonly MinedTransaction[]>(CACHED_LISTS);
  const limited = <T>(work: (signal: AbortSignal) => Promise<T>, deadlineMs?: number) =>
    bounded(work, ended, deadlineMs);

  /** The block at this height now; `null` when the chain has none. */
  const block = (number: number) =>
    blocks.renew(number, () => limited((signal) => source.block(number, { signal })));

  return {
    kind: source.kind,
    block,

    /** The same, from the cache if it has the block of the clue. */
    async blockOf(clue: BlockClue): Promise<ChainBlock | null> {
      const stored = await blocks.get(clue.number);
      return stored && isBlockOf(stored, clue) ? stored : block(clue.number);
    },

    /** In the block's order; `null` when the chain no longer has this block. */
    transactionsOf(block: Pick<ChainBlock, 'number' | 'hash'>): Promise<readonly MinedTransaction[] | null> {
      const read = async (signal: AbortSignal) =>
        (await source.transactionsOf(block, { signal }))?.map(toMined) ?? null;
      const known = transactions.get(block.hash);
      return known ?? transactions.renew(block.hash, () => limited(read, TRANSACTIONS_WITHIN_MS));
    },

    transaction: (hash: Hex) => limited(() => source.transaction(hash)),
    receipt: (hash: Hex) => limited(() => source.receipt(hash)),

    /** The fees of a block as the source reports them; `null` when it has no such block. */
    fees: (number: number): Promise<Block | null> =>
      limited(async (signal) => {
        const [block] = await source.blocks(number, number, { signal });
        return block?.number === number ? block : null;
      }),
  };
}

/** Whether both are the same block: by hash, or by base fee when the clue comes from a page of fees. */
export function isBlockOf(block: ChainBlock, clue: BlockClue): boolean {
  return clue.hash === null ? block.baseFeePerGas === clue.baseFeePerGas : block.hash === clue.hash;
}

function toMined({ transaction, receipt }: IncludedTransaction): MinedTransaction {
  const { hash, type, from, to, value } = transaction;
  const { blockNumber: _, blockHash: __, l1Part: ___, ...paid } = receipt;
  return { ...paid, hash, type, from, to, value };
}

/** Less than our own client's timeout of ten seconds, so that it gets the reason. */
const DEADLINE_MS = 8_000;
const RETRY_SEC = 5;

/** Runs `work` with a signal that aborts at `ended` or when time is up. @throws {ApiFailure} `upstream_unavailable` */
export async function bounded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ended: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  let inner = ended;
  try {
    return await withDeadline(deadlineMs, ended, (signal) => {
      inner = signal;
      return abortable(work(signal), signal);
    });
  } catch (error) {
    // Work that stops at the signal may reject first, with its own error.
    if (ended.aborted) throw abandoned();
    throw inner.reason instanceof DeadlineError ? late(deadlineMs) : error;
  }
}

const late = (deadlineMs: number) =>
  unavailable(
    `the node did not answer everything within ${deadlineMs / 1_000} s; ask again, what it did answer is kept`,
    RETRY_SEC,
  );

/** Much less than the time limit of a request: two of these in sequence leave time for the response itself. */
const COMPLETED_WITHIN_MS = 2_000;

/** For optional parts of a response: `null` when the node fails or is slow; the next request finds a late result cached. */
export async function ifAvailable<T>(request: Promise<T>): Promise<T | null> {
  const late = AbortSignal.timeout(COMPLETED_WITHIN_MS);
  try {
    return await abortable(request, late);
  } catch (error) {
    if (late.aborted || error instanceof ChainError || error instanceof ApiFailure) return null;
    throw error;
  }
}

/** The last `most` reads that found something. */
class LastReads<Key, Value> {
  readonly #most: number;
  readonly #reads = new Map<Key, { readonly result: Promise<Value | null>; isPending: boolean }>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key): Promise<Value | null> | undefined {
    return this.#reads.get(key)?.result;
  }

  /** Reads again, unless that is under way. */
  renew(key: Key, read: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.#reads.get(key);
    if (known?.isPending) return known.result;
    const made = { result: read(), isPending: true };
    this.#reads.delete(key);
    this.#reads.set(key, made);
    const [oldest] = this.#reads.keys();
    if (oldest !== undefined && this.#reads.size > this.#most) this.#reads.delete(oldest);
    const forget = () => this.#reads.get(key) === made && this.#reads.delete(key);
    made.result.then((found) => {
      made.isPending = false;
      if (found === null) forget();
    }, forget);
    return made.result;
  }
}
