import { Past } from '../../../src/core/backtest/past.ts';
import type { BlockTips } from '../../../src/core/block.ts';
import { BARE_BLOCK } from '../../helpers/chain-blocks.ts';

export interface PastBlock {
  readonly baseFee: number;
  readonly tip?: number;
  readonly ladder?: readonly number[];
  readonly time?: number;
  readonly next?: number;
}

export function pastOf(made: readonly PastBlock[]): Past {
  const past = new Past();
  for (const [number, { baseFee, next, time, tip, ladder }] of made.entries()) {
    const tips = ladder ?? (tip === undefined ? null : Array<number>(7).fill(tip));
    const block = {
      ...BARE_BLOCK,
      number,
      timestamp: time ?? (past.time.at(-1) ?? 0) + 12,
      baseFeePerGas: BigInt(baseFee),
      gasUsedRatio: 0.5,
      tips: tips && (tips.map(BigInt) as unknown as BlockTips),
    };
    past.push(block, next ?? made[number + 1]?.baseFee ?? baseFee);
  }
  return past;
}
