import { concat, fromRlp, keccak256, toRlp } from 'viem/utils';
import type { Hex } from '../../core/block.ts';

/**
 * The hash of a signed transaction. A blob transaction goes out wrapped with its sidecar (EIP-4844), which is not
 * part of what is hashed.
 */
export function transactionHash(signed: Hex): Hex {
  if (!signed.startsWith('0x03')) return keccak256(signed);
  const wrapped = fromRlp(`0x${signed.slice(4)}`, 'hex');
  const payload = Array.isArray(wrapped) && Array.isArray(wrapped[0]) ? wrapped[0] : wrapped;
  return keccak256(concat(['0x03', toRlp(payload)]));
}
