import type {
  ChainBlock,
  ChainReceipt,
  ChainSource,
  ChainTransaction,
  IncludedTransaction,
} from '../chain/chain-source.ts';
import type { Block, Hex } from '../core/block.ts';
import { bounded } from './bounded.ts';
import { OnceAtATime } from './once-at-a-time.ts';
import { WeightedCache } from './weighted-cache.ts';

/** Hashes of blocks' transactions that are kept: about 500 blocks of mainnet, 10 MB. */
const KEPT_HASHES = 100_000;
/** What a block counts beside its transactions. */
const BLOCK_WEIGHT = 16;

/** What is known of a block beforehand, to tell whether another is the same. */
export type BlockClue = Pick<Block, 'number' | 'hash'> & { readonly baseFeePerGas?: bigint };

/**
 * Asks the source on behalf of many questions: each answer has its time, and blocks, which never change, are kept.
 * (Their transactions the source keeps itself.) Rejects with `ChainError` as the source does, or `ApiFailure`.
 */
export class ChainReader {
  readonly #source: ChainSource;
  readonly #ended: AbortSignal;
  readonly #kept = new WeightedCache<number, ChainBlock>(KEPT_HASHES);
  readonly #asking = new OnceAtATime<number, ChainBlock | null>();

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
    return this.#asking.ask(number, () =>
      this.#bounded(async (signal) => {
        const block = await this.#source.block(number, { signal });
        if (block) this.#kept.set(number, block, BLOCK_WEIGHT + block.transactionHashes.length);
        return block;
      }),
    );
  }

  /** The same, from what is kept where that is the block of the clue. */
  async blockOf(clue: BlockClue): Promise<ChainBlock | null> {
    const kept = this.#kept.get(clue.number);
    return kept !== undefined && isBlockOf(kept, clue) ? kept : this.block(clue.number);
  }

  /** In the block's order; `null` when the chain no longer holds this block. */
  transactionsOf(block: Pick<ChainBlock, 'number' | 'hash'>): Promise<readonly IncludedTransaction[] | null> {
    return this.#bounded((signal) => this.#source.transactionsOf(block, { signal }));
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

  #bounded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return bounded(work, this.#ended);
  }
}

/** Whether both are the same block: by hash, or by base fee where the clue comes from a page of fees. */
export function isBlockOf(block: ChainBlock, clue: BlockClue): boolean {
  return clue.hash === null ? block.baseFeePerGas === clue.baseFeePerGas : block.hash === clue.hash;
}
