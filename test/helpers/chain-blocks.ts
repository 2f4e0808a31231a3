import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, nextBaseFee } from '../../src/core/eip1559.ts';

/** All that a node may leave out. */
export const BARE_BLOCK = {
  ...{ hash: null, parentHash: null, gasUsed: null, gasLimit: null, tips: null },
  ...{ blobBaseFee: null, nextBaseFee: null, nextBlobBaseFee: null },
};

export function makeBlock(number: number, overrides: Partial<Block> = {}): Block {
  const wave = Math.round(1e9 * (1 + 0.5 * Math.sin(number / 40)) + (number % 7) * 1e6);
  const tip = (share: number) => BigInt(Math.round(1e7 * share * (1 + (number % 5))));
  const ratio = ((number * 37) % 101) / 100;
  return {
    number,
    hash: blockHash(number),
    parentHash: blockHash(number - 1),
    timestamp: BLOCK_ZERO_TIME + number * 12,
    baseFeePerGas: BigInt(wave),
    gasUsed: BigInt(Math.round(30_000_000 * ratio)),
    gasLimit: 30_000_000n,
    gasUsedRatio: ratio,
    blobBaseFee: 1n,
    nextBaseFee: null,
    nextBlobBaseFee: 1n,
    tips: [tip(1), tip(2), tip(3), tip(4), tip(5), tip(6), tip(7)],
    ...overrides,
  };
}

/** 1 January 2026, 00:00 UTC: a whole day, so that bucket borders are easy to see. */
export const BLOCK_ZERO_TIME = 1_767_225_600;

export const blockHash = (number: number, fork = 0): `0x${string}` =>
  `0x${fork.toString(16).padStart(8, '0')}${Math.max(number, 0).toString(16).padStart(56, '0')}`;

export function makeBlocks(from: number, to: number): Block[] {
  return Array.from({ length: to - from + 1 }, (_, index) => makeBlock(from + index));
}

/** From block 1 on with the base fees of EIP-1559, so that lanes are judged. */
export function makeRuledBlocks(count: number): Block[] {
  const blocks: Block[] = [];
  let baseFeePerGas = 1_000_000_000n;
  for (let number = 1; number <= count; number += 1) {
    // Less is sent while gas is dear; now and then a few full blocks come in a row.
    const usual = baseFeePerGas > 1_000_000_000n ? 0.2 : 0.4;
    const ratio = number % 97 < 5 ? 1 : usual + ((number * 37) % 41) / 100;
    const gasUsed = BigInt(Math.round(30_000_000 * ratio));
    const block = makeBlock(number, { baseFeePerGas, gasUsed, gasUsedRatio: ratio });
    blocks.push(block);
    baseFeePerGas = nextBaseFee({ baseFeePerGas, gasUsed, gasLimit: 30_000_000n }, ETHEREUM_FEE_RULE);
  }
  return blocks;
}
