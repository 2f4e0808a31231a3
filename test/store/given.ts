import {
  ADVICE_VERSION,
  type GivenAdvice,
  type InclusionClaim,
  type PriceClaim,
} from '../../src/core/advice.ts';
import type { Block } from '../../src/core/block.ts';

export const sendWithin = (block: Block, withinBlocks: number, cap: bigint, tip = 0n): InclusionClaim => ({
  kind: 'inclusion',
  maxFeePerGas: cap,
  maxPriorityFeePerGas: tip,
  lastBlock: block.number + withinBlocks,
});

export const waitFor = (block: Block, sec: number): PriceClaim => ({
  kind: 'reached',
  until: block.timestamp + sec,
});

export function given(
  block: Block,
  promise: InclusionClaim | PriceClaim,
  more: Partial<Pick<GivenAdvice, 'targetPrice' | 'probability' | 'version'>> = {},
): GivenAdvice {
  return {
    block,
    version: ADVICE_VERSION,
    action: promise.kind === 'reached' ? 'WAIT' : 'SEND_NOW',
    targetPrice: 0n,
    promise,
    probability: 0.9,
    ...more,
  };
}
