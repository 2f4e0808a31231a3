import type { ChainBlock } from '../../chain/chain-source.ts';
import type { Block } from '../../core/block.ts';
import { formatDuration } from '../../core/units.ts';
import { findLast } from '../find-last.ts';
import { ApiFailure, invalidParameter } from '../http/api-failure.ts';
import { mapBounded } from '../map-bounded.ts';
import { type LookupContext, reorganised } from './lookup-context.ts';
import { isoFromSec } from './wire.ts';

/** Blocks that one question may read (contract, part 3). */
const BLOCKS_MAX = 100;
const PARALLEL = 8;
/** A block this deep that the node does not give has not been reorganised: it has been pruned. */
const SETTLED_DEPTH = 64;

/** Times in Unix seconds, both inclusive. */
export interface AskedWindow {
  readonly from: number;
  readonly to: number;
  /** Whether `from` was asked for; otherwise it gives way to the limit. */
  readonly isChosen: boolean;
}

/**
 * The blocks of a window as the chain holds them, ascending, and where it really begins: asked for by these times,
 * the same window comes again.
 * @throws {ApiFailure} that names `from` where the window was chosen and holds too many blocks
 */
export async function blocksOfWindow(
  { from, to, isChosen }: AskedWindow,
  context: LookupContext,
  signal: AbortSignal,
): Promise<{ readonly from: number; readonly blocks: readonly ChainBlock[] }> {
  const newest = await context.blocks.latestAt(to);
  const oldest = await context.blocks.oldest();
  if (newest === null || oldest === null) return { from, blocks: [] };
  const last = await lastWithin(newest, oldest, { to, context, signal });
  // One more than may be read: it tells whether the window holds more.
  const first = Math.max(last - BLOCKS_MAX, oldest.number);
  if (last < first) return { from, blocks: [] };
  const clues = new Map(
    (await context.blocks.page(first, last - first + 1)).map((block) => [block.number, block]),
  );
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const read = (wanted: readonly number[]) =>
    mapBounded(wanted, PARALLEL, signal, (number) => readBlock(number, clues.get(number), context));
  // Times that the store only estimates are the chain's to say.
  const timed = numbers.every((number) => clues.get(number)?.hash)
    ? [...clues.values()]
    : await read(numbers);
  const begin = limitedFrom(timed, from);
  if (begin > from && isChosen) {
    const { blockTimeSec } = context.profile.feeRule;
    throw invalidParameter(
      'from',
      `begins more than ${BLOCKS_MAX} blocks (about ${formatDuration(BLOCKS_MAX * blockTimeSec)}) before the end of the window; the earliest that can be read is ${isoFromSec(begin)}`,
    );
  }
  const within = timed.filter(({ timestamp }) => timestamp >= begin && timestamp <= to);
  const blocks = await read(within.slice(-BLOCKS_MAX).map(({ number }) => number));
  return { from: begin, blocks };
}

/** `from`, or the first second of which, with all after it, no more blocks are read than may be. */
function limitedFrom(timed: readonly { readonly timestamp: number }[], from: number): number {
  const beyond = timed.length > BLOCKS_MAX ? timed[0] : undefined;
  if (beyond === undefined || beyond.timestamp < from) return from;
  const later = timed.find(({ timestamp }) => timestamp > beyond.timestamp);
  // So many blocks in one second: the newest of them must do.
  return later?.timestamp ?? beyond.timestamp;
}

/** The last block not after `to`; `newest` is it by the store's word, which far back is an estimate. */
async function lastWithin(
  newest: Block,
  oldest: Block,
  {
    to,
    context,
    signal,
  }: { readonly to: number; readonly context: LookupContext; readonly signal: AbortSignal },
): Promise<number> {
  if (newest.hash !== null) return newest.number;
  const range = { low: oldest.number, high: context.head.number, guess: newest.number };
  return findLast(range, async (number) => {
    signal.throwIfAborted();
    return (await readBlock(number, undefined, context)).timestamp <= to;
  });
}

async function readBlock(
  number: number,
  clue: Block | undefined,
  context: LookupContext,
): Promise<ChainBlock> {
  const { reader, head, problem } = context;
  const block = await (clue === undefined ? reader.block(number) : reader.blockOf(clue));
  if (block !== null) return block;
  if (problem !== null || head.number - number < SETTLED_DEPTH) throw reorganised(number, context);
  throw new ApiFailure(
    'not_found',
    `the node no longer holds block ${number} of this window; ask for a later one`,
  );
}
