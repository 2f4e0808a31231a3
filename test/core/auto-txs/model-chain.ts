import type { Inclusion, Observation } from '../../../src/core/auto-txs/state-machine.ts';
import type { Hex } from '../../../src/core/block.ts';

/** The nonce that everything here is about. */
export const NONCE = 7;

/** What a block has of the nonce: the auto-tx's own bytes, other bytes of the sender, or nothing. */
export type Filling = 'ours' | 'ours-reverted' | 'another' | null;

interface ModelBlock {
  readonly hash: Hex;
  readonly filling: Filling;
}

/** A chain with one sender and one nonce, and a pool that may have the auto-tx's bytes. */
export class ModelChain {
  readonly #blocks: ModelBlock[] = [{ hash: '0xb0', filling: null }];
  #made = 0;
  hasOursInPool = false;

  get head(): number {
    return this.#blocks.length - 1;
  }

  /** What has the nonce, and how many blocks confirm it. */
  get mined(): { readonly filling: Exclude<Filling, null>; readonly confirmations: number } | null {
    const number = this.#numberOf(this.head);
    const filling = number === null ? null : this.#blocks[number]?.filling;
    return number === null || !filling ? null : { filling, confirmations: this.head - number + 1 };
  }

  /** A block takes what is asked of it as far as it can: the nonce once, and its own bytes out of the pool. */
  mine(wanted: Filling): void {
    const isFree = this.mined === null;
    const canTake = wanted === 'another' ? isFree : isFree && this.hasOursInPool;
    const filling = canTake ? wanted : null;
    this.#made += 1;
    this.#blocks.push({ hash: `0xb${this.#made}`, filling });
    if (filling !== null) this.hasOursInPool = false;
  }

  /** The last blocks are gone; a node may take what was in them into its pool again. Answers the block that is left. */
  reorg(depth: number, comesBack: boolean): number {
    const gone = this.#blocks.splice(Math.max(this.#blocks.length - depth, 1));
    const hadOurs = gone.some(({ filling }) => filling === 'ours' || filling === 'ours-reverted');
    if (hadOurs && comesBack) this.hasOursInPool = true;
    return this.head;
  }

  /** What a node says that is some blocks behind. */
  observe(behind = 0): Observation {
    const head = Math.max(this.head - behind, 0);
    const number = this.#numberOf(head);
    const filling = number === null ? null : (this.#blocks[number]?.filling ?? null);
    const isOurs = filling === 'ours' || filling === 'ours-reverted';
    return {
      head,
      inclusion: isOurs && number !== null ? this.#inclusion(number, filling) : null,
      isKnown: isOurs || this.hasOursInPool,
      nextNonce: number === null ? NONCE : NONCE + 1,
    };
  }

  #numberOf(head: number): number | null {
    const number = this.#blocks.findIndex(({ filling }) => filling !== null);
    return number === -1 || number > head ? null : number;
  }

  #inclusion(blockNumber: number, filling: 'ours' | 'ours-reverted'): Inclusion {
    return {
      blockNumber,
      blockHash: this.#blocks[blockNumber]?.hash ?? '0x',
      outcome: filling === 'ours' ? 'success' : 'reverted',
      gasUsed: 21_000n,
      effectiveGasPrice: 5n,
      otherFees: 0n,
      minedAt: blockNumber * 12_000,
    };
  }
}
