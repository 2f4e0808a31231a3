import { Past } from '../../../src/core/backtest/past.ts';
import type { Block, BlockTips } from '../../../src/core/block.ts';

/** What a hand-made block says of itself: wei, shares. */
export interface PastBlock {
  readonly baseFee: number;
  /** p10 tip; the whole ladder where given; unknown where absent. */
  readonly tip?: number;
  readonly ladder?: readonly [number, number, number, number, number, number, number];
  /** Seconds; 12 after the one before where absent. */
  readonly time?: number;
  readonly used?: number;
  /** The next block's base fee as known here; the following block's where absent. */
  readonly next?: number;
}

/** A past that holds exactly these blocks. */
export function pastOf(made: readonly PastBlock[]): Past {
  const past = new Past(made.length);
  let time = 0;
  for (const [index, { baseFee, next, ...rest }] of made.entries()) {
    time = rest.time ?? time + 12;
    const block: Block = {
      number: index,
      hash: null,
      parentHash: null,
      timestamp: time,
      baseFeePerGas: BigInt(baseFee),
      gasUsed: null,
      gasLimit: null,
      gasUsedRatio: rest.used ?? 0.5,
      blobBaseFee: null,
      nextBaseFee: null,
      nextBlobBaseFee: null,
      tips: ladderOf(rest),
    };
    past.push(block, next ?? made[index + 1]?.baseFee ?? baseFee);
  }
  return past;
}

function ladderOf({ tip, ladder }: Pick<PastBlock, 'tip' | 'ladder'>): BlockTips | null {
  if (ladder === undefined && tip === undefined) return null;
  const [a, b, c, d, e, f, g] = ladder ?? [tip, tip, tip, tip, tip, tip, tip];
  const wei = (value: number | undefined) => BigInt(value ?? 0);
  return [wei(a), wei(b), wei(c), wei(d), wei(e), wei(f), wei(g)];
}

/** `count` times the same block. */
export const repeated = (count: number, block: PastBlock): PastBlock[] =>
  Array.from({ length: count }, () => block);
