import type { Block, Hex } from '../core/block.ts';
import type { ChainEvent, KnownBlock } from './chain-source.ts';

/** Deeper than any reorg that is followed block by block. */
const CAPACITY = 512;

/** The newest blocks that were handed on, by number. */
interface BlockMemory {
  tip(): KnownBlock | null;
  oldest(): KnownBlock | null;
  /** `undefined`: never seen; `null`: seen, hash unknown. */
  hashAt(number: number): Hex | null | undefined;
  /** Numbers up to `limit`, ascending. */
  numbersUpTo(limit: number): number[];
  add(block: KnownBlock): void;
  forgetAbove(number: number): void;
}

function createBlockMemory(known: readonly KnownBlock[]): BlockMemory {
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

/** A wider gap is not filled here. */
const WIDEST_GAP = 1_024;
/** So many of the newest blocks follow after a gap that was jumped over, or where no past is shared. */
const AFTER_GAP = 300;
/** How often a node must deny its own former head before that is believed. */
const DENIALS = 3;

export interface Head {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
}

/** The node that said a head, asked for what lies behind it. */
export interface BlockReader<H extends Head> {
  /** The node, so that going back is only believed from the one that had gone ahead. */
  readonly node: unknown;
  /** The header now at `number`; `null` where the node has none. */
  header(number: number): Promise<Head | null>;
  /** As `ChainSource.blocks`, with hashes where they matter. `head` needs not be asked for again. */
  blocks(from: number, to: number, head: H): Promise<readonly Block[]>;
}

interface BlockSequencer {
  /**
   * What a newly heard head means. A head is a hint only: repeated, late, orphaned or far ahead, what comes out is
   * each block once, in order, each the child of the one before or after a `reorg` or `gap` that says otherwise.
   * Where the node contradicts itself (it is being reorganised, or several stand behind one address) nothing comes
   * and the next head settles it. Rejects as the reader does; what was yielded before stays true.
   */
  accept<H extends Head>(head: H, reader: BlockReader<H>): AsyncGenerator<ChainEvent>;
}

/** Puts heads in order, beginning after the blocks that the subscriber knows. */
export function createBlockSequencer(known: readonly KnownBlock[]): BlockSequencer {
  const memory = createBlockMemory(known);
  let tipSaidBy: unknown = null;
  let denials = 0;

  return {
    async *accept(head, reader) {
      const tip = memory.tip();
      if (tip === null) {
        yield* extend(head.number, head, reader);
        return;
      }
      const mine = memory.hashAt(head.number);
      if (head.number <= tip.number && (mine === head.hash || mine === null)) {
        if (!(await wentBack(head, tip, reader))) return;
        yield* rewind(head.number);
        return;
      }
      denials = head.number > tip.number ? 0 : denials;
      if (head.number <= tip.number && mine !== undefined) {
        // A late word about an orphan looks like a reorg: only what the node now has at that height counts.
        const now = await reader.header(head.number);
        if (now === null || now.hash === mine) return;
      }
      if (head.number <= tip.number && mine === undefined && !(await wentBack(head, tip, reader))) return;

      const child = head.number === tip.number + 1 && head.parentHash === tip.hash;
      const ancestor = child ? tip.number : await commonAncestor(memory, head, reader);
      if (ancestor === null) return;
      if (ancestor < tip.number) yield* rewind(ancestor);
      yield* extend(ancestor + 1, head, reader);
    },
  };

  /** A node that had the tip and now denies it, again and again, has gone back: no lagging one does that. */
  async function wentBack<H extends Head>(
    head: H,
    tip: KnownBlock,
    reader: BlockReader<H>,
  ): Promise<boolean> {
    if (head.number >= tip.number || reader.node !== tipSaidBy) {
      denials = 0;
      return false;
    }
    denials = (await reader.header(tip.number)) === null ? denials + 1 : 0;
    return denials >= DENIALS;
  }

  async function* rewind(ancestor: number): AsyncGenerator<ChainEvent> {
    denials = 0;
    memory.forgetAbove(ancestor);
    yield { type: 'reorg', commonAncestor: ancestor };
  }

  async function* extend<H extends Head>(
    first: number,
    head: H,
    reader: BlockReader<H>,
  ): AsyncGenerator<ChainEvent> {
    const wide = head.number - first >= WIDEST_GAP;
    const blocks = await reader.blocks(wide ? head.number - AFTER_GAP + 1 : first, head.number, head);
    // What is too wide to fill, or lies before the node's past, is jumped over.
    let next = blocks[0]?.number ?? first;
    if (next > first) yield { type: 'gap', from: first, to: next - 1 };
    for (const block of blocks) {
      if (block.number !== next || !follows(memory.tip(), block)) return;
      memory.add(block);
      tipSaidBy = reader.node;
      denials = 0;
      next++;
      yield { type: 'block', block };
    }
  }
}

function follows(tip: KnownBlock | null, block: Block): boolean {
  if (tip === null || tip.number !== block.number - 1) return true;
  return tip.hash === null || block.parentHash === null || tip.hash === block.parentHash;
}

/**
 * The newest remembered block that is still on the node's chain. Looked for in doubling steps, then by halves: a
 * reorg of one costs two questions, one of 64 a dozen. `null`: the node has none at a height it must have, so it
 * contradicts itself. Where no past is shared at all: so far below the head that what follows is worth having.
 */
async function commonAncestor<H extends Head>(
  memory: BlockMemory,
  head: H,
  reader: BlockReader<H>,
): Promise<number | null> {
  const tip = memory.tip()?.number ?? -1;
  const numbers = memory.numbersUpTo(Math.min(tip, head.number - 1));
  const shared = async (index: number): Promise<boolean | null> => {
    const number = numbers[index];
    const mine = number === undefined ? undefined : memory.hashAt(number);
    if (number === undefined || mine === undefined) return false;
    if (mine === null) return true;
    if (number === head.number - 1) return head.parentHash === mine;
    const now = await reader.header(number);
    return now === null ? null : now.hash === mine;
  };

  let differs = numbers.length;
  let same = -1;
  for (let step = 1; differs > 0; step *= 2) {
    const index = Math.max(0, differs - step);
    const answer = await shared(index);
    if (answer === null) return null;
    if (answer) {
      same = index;
      break;
    }
    differs = index;
  }
  if (same === -1) {
    return Math.max(-1, Math.min((memory.oldest()?.number ?? 0) - 1, head.number - AFTER_GAP));
  }
  while (differs - same > 1) {
    const middle = same + Math.floor((differs - same) / 2);
    const answer = await shared(middle);
    if (answer === null) return null;
    if (answer) same = middle;
    else differs = middle;
  }
  return numbers[same] ?? null;
}
