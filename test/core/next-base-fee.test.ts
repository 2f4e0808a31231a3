import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { History } from '../../src/core/engine/history.ts';
import { NextBaseFee } from '../../src/core/engine/next-base-fee.ts';
import { makeBlocks, restlessSteps } from './support/made-blocks.ts';

function digested(blocks: readonly Block[]): NextBaseFee {
  const history = new History(1_000);
  const next = new NextBaseFee(history, ETHEREUM_FEE_RULE);
  for (const block of blocks) {
    history.moveHead(block.number);
    next.push(block);
  }
  return next;
}

describe('whether the formula holds', () => {
  const blocks = makeBlocks(restlessSteps(300));

  it('it does on a chain that follows it, and until shown otherwise', () => {
    expect(digested(blocks.slice(0, 1)).formulaHolds).toBe(true);
    expect(digested(blocks).formulaHolds).toBe(true);
  });

  it('it does not as soon as the node says something else, or the first child does', () => {
    const disputed = blocks.slice(0, 1).map((block) => ({ ...block, nextBaseFee: block.baseFeePerGas * 2n }));
    expect(digested(disputed).formulaHolds).toBe(false);
    const contradicted = blocks
      .slice(0, 2)
      .map((block, index) => (index === 1 ? { ...block, baseFeePerGas: 1n } : block));
    expect(digested(contradicted).formulaHolds).toBe(false);
  });

  it('one break in a hundred blocks, as a fork makes, is forgiven', () => {
    // The block itself comes out of nowhere, and its child follows from what it should have been.
    const forked = blocks.map((block, index) =>
      index === 250 ? { ...block, baseFeePerGas: block.baseFeePerGas * 3n } : block,
    );
    expect(digested(forked).formulaHolds).toBe(true);
  });

  it('a chain that comes round to it is trusted again after a hundred blocks', () => {
    const odd = blocks.map((block, index) => (index < 150 ? { ...block, baseFeePerGas: 77n } : block));
    expect(digested(odd.slice(0, 200)).formulaHolds).toBe(false);
    expect(digested(odd).formulaHolds).toBe(true);
  });
});
