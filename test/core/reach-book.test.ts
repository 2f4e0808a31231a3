import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { FeeEngine } from '../../src/core/fee-engine.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/fee-rule.ts';
import { makeBlocks, restlessSteps } from './support/made-blocks.ts';

function engineAfter(blocks: readonly Block[]): FeeEngine {
  const engine = new FeeEngine({ feeRule: ETHEREUM_FEE_RULE });
  for (const block of blocks) engine.push(block);
  return engine;
}

describe('the probability of reaching a price', () => {
  it('is unknown without a block, and says why', () => {
    const { probability, reason } = engineAfter([]).reachProbability(1n, 300);
    expect(probability).toBeNull();
    expect(reason).toBe('no block is known yet');
  });

  it.each([1, 10, 100])('is unknown after %i blocks, and says how many it takes', (count) => {
    const { probability, reason } = engineAfter(makeBlocks(restlessSteps(count))).reachProbability(1n, 300);
    expect(probability).toBeNull();
    expect(reason).toMatch(/^too little history/);
  });

  it('is next to nothing for a free ride and next to certain far above the price of now', () => {
    const engine = engineAfter(makeBlocks(restlessSteps(2_000)));
    const now = engine.advice()?.nextBaseFee ?? 0n;
    expect(engine.reachProbability(1n, 300).probability).toBeLessThan(0.02);
    expect(engine.reachProbability(now * 10n, 300).probability).toBeGreaterThan(0.98);
  });
});
