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
import { ApiFailure } from './http/errors.ts';

/** Hashes of blocks' transactions that are kept: about 500 blocks of mainnet, 10 MB. */
const KEPT_HASHES = 100_000;
/** Transactions that are kept, without call data: about 150 full blocks of mainnet, 20 MB. */
const KEPT_TRANSACTIONS = 40_000;
/** Longer than a question has: a node that gives receipts one by one needs it, and the next question finds them. */
const TRANSACTIONS_WITHIN_MS = 20_000;
/** What a block counts beside its transactions. */
const BLOCK_WEIGHT = 16;

/** A transaction of a block, as far as one may wish to show it among others: its call data may be large. */
export interface MinedTransaction
  extends Pick<ChainTransaction, 'hash' | 'type' | 'from' | 'to' | 'value'>,
    Omit<ChainReceipt, 'blockNumber' | 'blockHash'> {}

/** What is known of a block beforehand, to tell whether another is the same. */
type BlockClue = Pick<Block, 'number' | 'hash'> & { readonly baseFeePerGas?: bigint };

/**
 * Asks the source on behalf of many questions: each answer has its time, the same one at once is asked once,
 * and blocks with their transactions, which never change, are kept. Rejects with `ChainError` as the source does, or `ApiFailure`.
 */
export class ChainReader {
  readonly #source: ChainSource;
  readonly #ended: AbortSignal;
  readonly #blocks = new WeightedCache<number, ChainBlock>(KEPT_HASHES);
  readonly #askingBlock = new OnceAtATime<number, ChainBlock | null>();
  readonly #transactions = new WeightedCache<Hex, readonly MinedTransaction[]>(KEPT_TRANSACTIONS);
  readonly #askingTransactions = new OnceAtATime<Hex, readonly MinedTransaction[] | null>();

  /** @param ended ends everything that is under way */
  constructor(source: ChainSource, ended: AbortSignal) {
    this.#source = source;
    this.#ended = ended;
  }

  get kind(): ChainSource['kind'] {
    return this.#source.kind;
  }

  /** The block that is now at this height; `null` where the chain has none. */
  block(number: number): Promise<ChainBlock | null> {
    return this.#askingBlock.ask(number, () =>
      this.#bounded(async (signal) => {
        const block = await this.#source.block(number, { signal });
        if (block) this.#blocks.set(number, block, BLOCK_WEIGHT + block.transactionHashes.length);
        return block;
      }),
    );
  }

  /** The same, from what is kept where that is the block of the clue. */
  async blockOf(clue: BlockClue): Promise<ChainBlock | null> {
    const kept = this.#blocks.get(clue.number);
    return kept !== undefined && isBlockOf(kept, clue) ? kept : this.block(clue.number);
  }

  /** In the block's order; `null` when the chain no longer holds this block. */
  async transactionsOf(
    block: Pick<ChainBlock, 'number' | 'hash'>,
  ): Promise<readonly MinedTransaction[] | null> {
    const kept = this.#transactions.get(block.hash);
    if (kept !== undefined) return kept;
    return this.#askingTransactions.ask(block.hash, () =>
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

  /** The fees of a block in the source's own words; `null` where it has no such block. */
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

/** Whether both are the same block: by hash, or by base fee where the clue comes from a page of fees. */
export function isBlockOf(block: ChainBlock, clue: BlockClue): boolean {
  return clue.hash === null ? block.baseFeePerGas === clue.baseFeePerGas : block.hash === clue.hash;
}

function toMined({ transaction, receipt }: IncludedTransaction): MinedTransaction {
  const { hash, type, from, to, value } = transaction;
  const { status, transactionIndex, gasUsed, effectiveGasPrice, blobFee, dataFee } = receipt;
  return {
    hash,
    type,
    from,
    to,
    value,
    status,
    transactionIndex,
    gasUsed,
    effectiveGasPrice,
    blobFee,
    dataFee,
  };
}

/** Less than the ten seconds that our own client waits, so that it hears why. */
const DEADLINE_MS = 8_000;
const RETRY_SEC = 5;

/**
 * `work`, at most until the deadline of one question or until `ended`. Its signal is how it hears of either.
 * @throws {ApiFailure} `upstream_unavailable` when time is up
 */
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
    // A part of the work that stops at the signal may say so in its own words, and first.
    if (ended.aborted) throw givenUp();
    throw inner.reason instanceof DeadlineError ? late(deadlineMs) : error;
  }
}

const late = (deadlineMs: number) =>
  new ApiFailure(
    'upstream_unavailable',
    `the node did not answer everything within ${deadlineMs / 1_000} s; ask again, what it did answer is kept`,
    { headers: { 'Retry-After': String(RETRY_SEC) } },
  );

const givenUp = () => new ApiFailure('upstream_unavailable', 'the question was given up before its answer');

/** Keeps what was used last, up to a total weight. */
export class WeightedCache<Key, Value> {
  readonly #limit: number;
  /** In the order of their last use. */
  readonly #entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  #weight = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** What is heavier than everything together may be is not kept. */
  set(key: Key, value: Value, weight: number): void {
    this.delete(key);
    if (weight > this.#limit) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest] of this.#entries) {
      if (this.#weight <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
