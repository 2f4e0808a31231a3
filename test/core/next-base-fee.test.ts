import { expect, it } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { createHistory } from '../../src/core/engine/history.ts';
import { createNextBaseFee } from '../../src/core/engine/next-base-fee.ts';
import { makeBlocks, restlessSteps } from './support/made-blocks.ts';

function digested(blocks: readonly Block[]) {
  const history = createHistory(1_000);
  const next = createNextBaseFee(history, ETHEREUM_FEE_RULE);
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
