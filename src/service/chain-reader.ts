import { DeadlineError, withDeadline } from '../chain/async.ts';
import type {
  ChainBlock,
  ChainReceipt,
  ChainSource,
  ChainTransaction,
  IncludedTransaction,
} from '../chain/chain-source.ts';
import type { Block, Hex } from '../core/block.ts';
import { abortable, OnceAtATime } from './async.ts';
import { ApiFailure, unavailable } from './http/errors.ts';

/** Maximum number of cached transaction hashes: about 500 blocks of mainnet, 10 MB. */
const CACHED_HASHES = 100_000;
/** Maximum number of cached transactions, without call data: about 150 full blocks of mainnet, 20 MB. */
const CACHED_TRANSACTIONS = 40_000;
/** A full block and its receipts are two requests, which may be repeated. */
const TRANSACTIONS_WITHIN_MS = 20_000;
const BLOCK_WEIGHT = 16;

/** The fields of a block's transaction for lists, without its call data, which may be large. */
export interface MinedTransaction
  extends Pick<ChainTransaction, 'hash' | 'type' | 'from' | 'to' | 'value'>,
    Omit<ChainReceipt, 'blockNumber' | 'blockHash' | 'l1Part'> {}

type BlockClue = Pick<Block, 'number' | 'hash'> & { readonly baseFeePerGas?: bigint };

/** Reads from the source within a time limit, shares pending reads, and caches blocks with their transactions. */
export class ChainReader {
  readonly #source: ChainSource;
  readonly #ended: AbortSignal;
  readonly #blocks = new WeightedCache<number, ChainBlock>(CACHED_HASHES);
  readonly #askingBlock = new OnceAtATime<number, ChainBlock | null>();
  readonly #transactions = new WeightedCache<Hex, readonly MinedTransaction[]>(CACHED_TRANSACTIONS);
  readonly #askingTransactions = new OnceAtATime<Hex, readonly MinedTransaction[] | null>();

  constructor(source: ChainSource, ended: AbortSignal) {
    this.#source = source;
    this.#ended = ended;
  }

  get kind(): ChainSource['kind'] {
    return this.#source.kind;
  }

  /** The block at this height now; `null` when the chain has none. */
  block(number: number): Promise<ChainBlock | null> {
    return this.#askingBlock.request(number, () =>
      this.#bounded(async (signal) => {
        const block = await this.#source.block(number, { signal });
        if (block) this.#blocks.set(number, block, BLOCK_WEIGHT + block.transactionHashes.length);
        return block;
      }),
    );
  }

  /** The same, from the cache if it has the block of the clue. */
  async blockOf(clue: BlockClue): Promise<ChainBlock | null> {
    const kept = this.#blocks.get(clue.number);
    return kept !== undefined && isBlockOf(kept, clue) ? kept : this.block(clue.number);
  }

  /** In the block's order; `null` when the chain no longer has this block. */
  async transactionsOf(
    block: Pick<ChainBlock, 'number' | 'hash'>,
  ): Promise<readonly MinedTransaction[] | null> {
    const kept = this.#transactions.get(block.hash);
    if (kept !== undefined) return kept;
    return this.#askingTransactions.request(block.hash, () =>
      this.#bounded(async (signal) => {
        const found = await this.#source.transactionsOf(block, { signal });
        if (found === null) return null;
        const mined = found.map(toMined);
        this.#transactions.set(block.hash, mined, BLOCK_WEIGHT + mined.length);
        return mined;
      }, TRANSACTIONS_WITHIN_MS),
    );
  }

  transaction(hash: Hex): Promise<ChainTransaction | null> {
    return this.#bounded(() => this.#source.transaction(hash));
  }

  receipt(hash: Hex): Promise<ChainReceipt | null> {
    return this.#bounded(() => this.#source.receipt(hash));
  }

  /** The fees of a block as the source reports them; `null` when it has no such block. */
  fees(number: number): Promise<Block | null> {
    return this.#bounded(async (signal) => {
      const [block] = await this.#source.blocks(number, number, { signal });
      return block?.number === number ? block : null;
    });
  }

  #bounded<T>(work: (signal: AbortSignal) => Promise<T>, deadlineMs?: number): Promise<T> {
    return bounded(work, this.#ended, deadlineMs);
  }
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
    if (ended.aborted) throw givenUp();
    throw inner.reason instanceof DeadlineError ? late(deadlineMs) : error;
  }
}

const late = (deadlineMs: number) =>
  unavailable(
    `the node did not answer everything within ${deadlineMs / 1_000} s; ask again, what it did answer is kept`,
    RETRY_SEC,
  );

const givenUp = () => new ApiFailure('upstream_unavailable', 'the request was aborted before its response');

class WeightedCache<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  #weight = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.set(key, entry.value, entry.weight);
    return entry?.value;
  }

  /** Drops the least recently used beyond the limit, and the item itself if it is heavier. */
  set(key: Key, value: Value, weight: number): void {
    this.#delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest] of this.#entries) if (this.#weight > this.#limit) this.#delete(oldest);
  }

  #delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
