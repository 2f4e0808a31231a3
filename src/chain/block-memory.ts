import type { Hex } from '../core/block.ts';
import type { KnownBlock } from './chain-source.ts';

/** Deeper than any reorg that is followed block by block. */
const CAPACITY = 512;

/** The newest blocks that were handed on, by number. */
export interface BlockMemory {
  tip(): KnownBlock | null;
  oldest(): KnownBlock | null;
  /** `undefined`: never seen; `null`: seen, hash unknown. */
  hashAt(number: number): Hex | null | undefined;
  /** Numbers up to `limit`, ascending. */
  numbersUpTo(limit: number): number[];
  add(block: KnownBlock): void;
  forgetAbove(number: number): void;
}

export function createBlockMemory(known: readonly KnownBlock[]): BlockMemory {
  const blocks = [...known].sort((a, b) => a.number - b.number).slice(-CAPACITY);
  const find = (number: number) => blocks.findLast((block) => block.number === number);
  return {
    tip: () => blocks.at(-1) ?? null,
    oldest: () => blocks[0] ?? null,
    hashAt: (number) => find(number)?.hash,
    numbersUpTo: (limit) => blocks.map((block) => block.number).filter((number) => number <= limit),
    add: ({ number, hash }) => {
      blocks.push({ number, hash });
      if (blocks.length > CAPACITY) blocks.shift();
    },
    forgetAbove: (number) => {
      while ((blocks.at(-1)?.number ?? number) > number) blocks.pop();
    },
  };
}
