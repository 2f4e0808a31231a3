import type { KnownBlock } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import { isSameBlock } from './same-block.ts';

const KEPT = 128;

/** The last blocks digested, ascending: what a new subscription starts from, and where a rewind lands. */
export class RecentBlocks {
  #blocks: Block[] = [];

  get head(): Block | null {
    return this.#blocks.at(-1) ?? null;
  }

  /** A copy, ascending. */
  get all(): readonly Block[] {
    return [...this.#blocks];
  }

  /** Whether this very block is among them. */
  has(block: Block): boolean {
    const head = this.head;
    if (head === null || block.number > head.number) return false;
    const found = this.#blocks.find(({ number }) => number === block.number);
    return found !== undefined && isSameBlock(found, block);
  }

  /** Whether none of `others` is another block than the one of its number here. */
  agreesWith(others: readonly Block[]): boolean {
    const own = new Map(this.#blocks.map((block) => [block.number, block]));
    return others.every((other) => {
      const block = own.get(other.number);
      return block === undefined || isSameBlock(block, other);
    });
  }

  /** Those whose hashes are known, where the source has hashes: what a subscription compares heads with. */
  get known(): readonly KnownBlock[] {
    const newest = this.#blocks.slice(-KEPT);
    const unknown = this.head?.hash == null ? -1 : newest.findLastIndex(({ hash }) => hash === null);
    return newest.slice(unknown + 1).map(({ number, hash }) => ({ number, hash }));
  }

  /** Puts stored blocks in the place of those of which hash and time are not known. */
  complete(stored: readonly Block[]): void {
    const whole = new Map(stored.map((block) => [block.number, block]));
    this.#blocks = this.#blocks.map((block) => {
      const found = block.hash === null ? whole.get(block.number) : undefined;
      return found !== undefined && isSameBlock(found, block) ? found : block;
    });
  }

  push(block: Block): void {
    this.#blocks.push(block);
    // Trimmed rarely: a burst brings tens of thousands per second.
    if (this.#blocks.length >= KEPT * 8) this.#blocks = this.#blocks.slice(-KEPT);
  }

  rewindTo(number: number): void {
    while ((this.#blocks.at(-1)?.number ?? number) > number) this.#blocks.pop();
  }

  replace(blocks: readonly Block[]): void {
    this.#blocks = [...blocks];
  }
}
