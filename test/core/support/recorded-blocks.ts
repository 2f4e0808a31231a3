import { readFileSync } from 'node:fs';
import type { Block } from '../../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, gasUsedRatioFromBaseFees } from '../../../src/core/eip1559.ts';
import { BARE_BLOCK } from '../../helpers/chain-blocks.ts';

const FILE = new URL(
  '../../fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv',
  import.meta.url,
);

/** The 2,001 recorded mainnet blocks of October 2024 (see the README beside the file), as if none had asked for a tip. */
export function recordedBlocks(): Block[] {
  const [, ...lines] = readFileSync(FILE, 'utf8').trim().split('\n');
  const rows = lines.map((line) => line.split(','));
  const baseFees = rows.map((row) => BigInt(row[2] ?? ''));
  return rows.map(([number, timestamp, , blobBaseFee], index) => {
    const baseFeePerGas = baseFees[index] ?? 0n;
    const next = baseFees[index + 1];
    return {
      ...BARE_BLOCK,
      number: Number(number),
      timestamp: Number(timestamp),
      baseFeePerGas,
      gasUsedRatio:
        next === undefined ? 0.5 : gasUsedRatioFromBaseFees(baseFeePerGas, next, ETHEREUM_FEE_RULE),
      blobBaseFee: BigInt(blobBaseFee ?? ''),
      tips: [0n, 0n, 0n, 0n, 0n, 0n, 0n],
    };
  });
}
