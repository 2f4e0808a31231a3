import { createSimulatedBlocks } from '../../../src/chain/simulated-source.ts';
import type { Block } from '../../../src/core/block.ts';

const FIRST_NUMBER = 26_000_000;

export async function simulatedBlocks(seed: number, count: number): Promise<Block[]> {
  const blockAt = createSimulatedBlocks(seed);
  const blocks: Block[] = [];
  for (let number = FIRST_NUMBER; blocks.length < count; number += 1) blocks.push(await blockAt(number));
  return blocks;
}
