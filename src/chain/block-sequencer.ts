import type { Block, Hex } from '../core/block.ts';
import type { ChainEvent, KnownBlock } from './chain-source.ts';

/** Deeper than any reorg that is followed block by block. */
const CAPACITY = 512;

/** A wider gap is not filled block by block. */
const WIDEST_GAP = 1_024;
/** Number of newest blocks that follow after a skipped gap, or without a common past. */
const AFTER_GAP = 300;
const DENIALS = 3;

export type Head = Pick<Block, 'number' | 'hash' | 'parentHash'>;

/** Reads from the node that reported a head. */
export interface BlockReader {
  /** The node, so that only the one that was ahead can go back. */
  readonly node: unknown;
  /** The header now at `number`; `null` when the node has none. */
  header(number: number): Promise<Head | null>;
  /** As `ChainSource.blocks`, with hashes where they matter. */
  blocks(from: number, to: number): Promise<readonly Block[]>;
}

/** Puts heads in order. @param mostDenials how often a node must deny its own former head before that counts */
export function createBlockSequencer(known: readonly KnownBlock[], mostDenials = DENIALS) {
  /** The newest delivered blocks, ascending; a hash of `null` is unknown. */
  const memory = [...known].sort((a, b) => a.number - b.number).slice(-CAPACITY);
  let tipSaidBy: unknown = null;
  let denials = 0;

  return {
    /**
     * A head is only a hint: each block comes out once, as child of the one before, or after a `reorg` or `gap`. If the node
     * contradicts itself (in a reorg, or as several behind one address) nothing does, until the next head. Rejects as the reader does.
     */
    async *accept(head: Head, reader: BlockReader): AsyncGenerator<ChainEvent> {
      const tip = memory.at(-1);
      if (tip === undefined) {
        yield* extend(head.number, head, reader);
        return;
      }
      const mine = memory.findLast(({ number }) => number === head.number)?.hash;
      if (head.number <= tip.number && mine !== undefined && isSameHash(mine, head.hash)) {
        if (!(await wentBack(head, tip, reader))) return;
        yield* rewind(head.number);
        return;
      }
      denials = head.number > tip.number ? 0 : denials;
      if (head.number <= tip.number && mine !== undefined) {
        // A late head of an orphaned block looks like a reorg: only the node's present block at that height counts.
        const now = await reader.header(head.number);
        if (now === null || isSameHash(now.hash, mine)) return;
      }
      if (head.number <= tip.number && mine === undefined && !(await wentBack(head, tip, reader))) return;

      const child = head.number === tip.number + 1 && isSameHash(head.parentHash, tip.hash);
      const ancestor = child ? tip.number : await commonAncestor(memory, head, reader);
      if (ancestor === null) return;
      if (ancestor < tip.number) yield* rewind(ancestor);
      yield* extend(ancestor + 1, head, reader);
    },
  };

  /** A node that repeatedly denies its former tip has gone back: a lagging node does not. */
  async function wentBack(head: Head, tip: KnownBlock, reader: BlockReader): Promise<boolean> {
    if (head.number >= tip.number || reader.node !== tipSaidBy) {
      denials = 0;
      return false;
    }
    denials = (await reader.header(tip.number)) === null ? denials + 1 : 0;
    return denials >= mostDenials;
  }

  async function* rewind(ancestor: number): AsyncGenerator<ChainEvent> {
    denials = 0;
    while ((memory.at(-1)?.number ?? ancestor) > ancestor) memory.pop();
    yield { type: 'reorg', commonAncestor: ancestor };
  }

  async function* extend(first: number, head: Head, reader: BlockReader): AsyncGenerator<ChainEvent> {
    const wide = head.number - first >= WIDEST_GAP;
    const blocks = await reader.blocks(wide ? head.number - AFTER_GAP + 1 : first, head.number);
    // Skips a gap that is too wide to fill, or that lies before the node's history.
    let next = blocks[0]?.number ?? first;
    if (next > first) yield { type: 'gap', from: first, to: next - 1 };
    for (const block of blocks) {
      if (block.number !== next || !follows(memory.at(-1), block)) return;
      memory.push({ number: block.number, hash: block.hash });
      if (memory.length > CAPACITY) memory.shift();
      tipSaidBy = reader.node;
      denials = 0;
      next++;
      yield { type: 'block', block };
    }
  }
}

function follows(tip: KnownBlock | undefined, block: Block): boolean {
  if (tip === undefined || tip.number !== block.number - 1) return true;
  return isSameHash(tip.hash, block.parentHash);
}

/** An unknown hash is taken for the same. */
const isSameHash = (one: Hex | null, other: Hex | null) => one === null || other === null || one === other;

/**
 * The newest stored block still on the node's chain: for one orphaned block without a request, for 64 with about a dozen; without
 * a common past, a block far enough below the head. `null`: the node lacks a height that it must have.
 */
async function commonAncestor(memory: readonly KnownBlock[], head: Head, reader: BlockReader) {
  const below = memory.filter(({ number }) => number < head.number);
  const shared = async (index: number): Promise<boolean | null> => {
    const mine = below[index];
    if (mine === undefined) return false;
    if (mine.hash === null) return true;
    if (mine.number === head.number - 1) return isSameHash(head.parentHash, mine.hash);
    const now = await reader.header(mine.number);
    return now === null ? null : isSameHash(now.hash, mine.hash);
  };

  // In doubling steps, then by bisection: near headers are asked for first, which every node has.
  let [same, differs] = [-1, below.length];
  for (let step = 1; differs - same > 1; step *= 2) {
    const index = same === -1 ? Math.max(0, differs - step) : Math.floor((same + differs) / 2);
    const isShared = await shared(index);
    if (isShared === null) return null;
    if (isShared) same = index;
    else differs = index;
  }
  const oldest = memory[0]?.number ?? 0;
  return below[same]?.number ?? Math.max(-1, Math.min(oldest - 1, head.number - AFTER_GAP));
}
