import type { Block } from '../core/block.ts';

/** Whether two of the same number are one block. Sources without hashes tell by the base fee. */
export function isSameBlock(a: Block, b: Block): boolean {
  if (a.hash !== null && b.hash !== null) return a.hash === b.hash;
  return a.baseFeePerGas === b.baseFeePerGas;
}
