import type { Block } from '../core/block.ts';
import type { ChainEvent, KnownBlock } from './chain-source.ts';

/** A wider hole is told as a gap and only its end delivered. */
const WIDEST_GAP = 1_024;
const AFTER_GAP = 300;

export interface ResumePoint {
  /** What a subscriber must hear before the next block. */
  readonly events: readonly ChainEvent[];
  /** The first block to deliver. */
  readonly from: number;
}

/**
 * Where a subscription goes on that already has `known` (ascending) of a chain whose head is `head`. With
 * nothing known it begins with the head. `read` answers the chain's own blocks, as `ChainSource.blocks`.
 */
export async function findResumePoint(
  known: readonly KnownBlock[],
  head: Block,
  read: (from: number, to: number) => Promise<readonly Block[]>,
): Promise<ResumePoint> {
  const lowest = known[0];
  const highest = known.at(-1);
  if (lowest === undefined || highest === undefined) return { events: [], from: head.number };

  const blocks = lowest.number <= head.number ? await read(lowest.number, head.number) : [];
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  const isShared = ({ number, hash }: KnownBlock) => {
    const mine = hashes.get(number);
    return mine !== undefined && (mine === null || hash === null || mine === hash);
  };
  const shared = known.findLast(isShared)?.number ?? Math.min(lowest.number, head.number) - 1;

  const events: ChainEvent[] = [];
  if (shared < highest.number) events.push({ type: 'reorg', commonAncestor: shared });
  if (head.number - shared <= WIDEST_GAP) return { events, from: shared + 1 };
  const from = head.number - AFTER_GAP + 1;
  events.push({ type: 'gap', from: shared + 1, to: from - 1 });
  return { events, from };
}
