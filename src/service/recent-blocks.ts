import type { KnownBlock } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';

const KEPT = 128;

/** The last blocks digested, ascending: what a new subscription starts from, and where a rewind lands. */
export class RecentBlocks {
  #blocks: Block[] = [];

  get head(): Block | null {
    return this.#blocks.at(-1) ?? null;
  }

  get known(): readonly KnownBlock[] {
    return this.#blocks.slice(-KEPT).map(({ number, hash }) => ({ number, hash }));
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
