import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { ETHEREUM_FEE_RULE, nextBaseFee } from '../../src/core/eip1559.ts';
import { createHistory } from '../../src/core/engine/history.ts';
import { createNextBaseFee } from '../../src/core/engine/next-base-fee.ts';
import { makeBlocks, restlessSteps } from './support/made-blocks.ts';

function digested(blocks: readonly Block[], rule = ETHEREUM_FEE_RULE) {
  const history = createHistory(1_000);
  const next = createNextBaseFee(history, rule);
  for (const block of blocks) {
    history.moveHead(block.number);
    next.push(block);
  }
  return next;
}

const blocks = makeBlocks(restlessSteps(300));
const withFee = (change: (block: Block, index: number) => Partial<Block>, count = 300) =>
  blocks.slice(0, count).map((block, index) => ({ ...block, ...change(block, index) }));
const odd = (_: Block, index: number) => (index < 150 ? { baseFeePerGas: 77n } : {});

it.each<[string, Block[], boolean]>([
  ['until shown otherwise', blocks.slice(0, 1), true],
  ['on a chain that follows it', blocks, true],
  [
    'not once the node says another fee',
    withFee((block) => ({ nextBaseFee: block.baseFeePerGas * 2n }), 1),
    false,
  ],
  ['not once the first child has one', withFee((_, at) => (at === 1 ? { baseFeePerGas: 1n } : {}), 2), false],
  // The block itself comes out of nowhere, and its child follows from what it should have been.
  [
    'after one break in a hundred',
    withFee((block, at) => (at === 250 ? { baseFeePerGas: block.baseFeePerGas * 3n } : {})),
    true,
  ],
  ['not on a chain that comes round to it', withFee(odd, 200), false],
  ['but after a hundred blocks of it', withFee(odd), true],
])('whether the formula holds %s', (_, digest, holds) => expect(digested(digest).formulaHolds).toBe(holds));

describe('the gas target of a chain whose producers choose it', () => {
  const polygon = chainProfile(137).feeRule;
  const chainOf = (targetPercent: number, fills: readonly number[], forecasts = true) => {
    let baseFeePerGas = 300_000_000_000n;
    return fills.map((gasUsedRatio, index): Block => {
      const gasLimit = 45_000_000n;
      const gasUsed = BigInt(Math.round(gasUsedRatio * Number(gasLimit)));
      const fees = { baseFeePerGas, gasUsed, gasLimit };
      const next = nextBaseFee(fees, { ...polygon, targetPercent });
      const [block] = makeBlocks(restlessSteps(1));
      if (block === undefined) throw new Error('no block is made');
      baseFeePerGas = next;
      return { ...block, ...fees, number: index, gasUsedRatio, nextBaseFee: forecasts ? next : null };
    });
  };
  const fills = [0.5, 0.61, 0.9, 0.3, 0.72, 0.4];

  it.each([50, 60, 65, 70, 80])('is read from the forecasts of a node: %i %%', (percent) => {
    expect(digested(chainOf(percent, fills), polygon).rule.targetPercent).toBe(percent);
  });
  it('is 65 % where the node does not tell', () => {
    expect(digested(chainOf(80, fills, false), polygon).rule.targetPercent).toBe(65);
  });
  it('is not read from a forecast by another rule', () => {
    const odd = chainOf(65, fills).map((block) => ({ ...block, nextBaseFee: block.baseFeePerGas + 12_345n }));
    expect(digested(odd, polygon).rule.targetPercent).toBe(65);
  });
});
