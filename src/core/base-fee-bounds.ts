import { nextBaseFee } from './eip1559.ts';
import type { FeeRule } from './fee-rule.ts';

/** The highest base fee `blocks` blocks on from one that asks for `baseFeePerGas`: every block between is full. */
export function highestBaseFee(baseFeePerGas: bigint, blocks: number, rule: FeeRule): bigint {
  return extremeBaseFee(baseFeePerGas, blocks, rule, BigInt(rule.elasticity));
}

/** The lowest: every block between is empty. */
export function lowestBaseFee(baseFeePerGas: bigint, blocks: number, rule: FeeRule): bigint {
  return extremeBaseFee(baseFeePerGas, blocks, rule, 0n);
}

function extremeBaseFee(baseFeePerGas: bigint, blocks: number, rule: FeeRule, gasUsed: bigint): bigint {
  const gasLimit = BigInt(rule.elasticity);
  let fee = baseFeePerGas;
  for (let block = 0; block < blocks; block += 1) {
    fee = nextBaseFee({ baseFeePerGas: fee, gasUsed, gasLimit }, rule);
  }
  return fee;
}
