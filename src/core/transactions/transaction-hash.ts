import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import type { Hex } from '../block.ts';
import { decodeRlp } from './rlp.ts';

const BLOBS = 3;

/**
 * The hash of a signed transaction. A blob transaction goes out wrapped with its sidecar (EIP-4844), which is not
 * part of what is hashed.
 *
 * @throws TransactionError where such a wrap is damaged
 */
export function transactionHash(signed: Hex): Hex {
  return `0x${bytesToHex(keccak_256(hashedOf(hexToBytes(signed.slice(2)))))}`;
}

function hashedOf(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== BLOBS) return bytes;
  const wrap = decodeRlp(bytes.subarray(1));
  const inner = wrap.kind === 'list' ? wrap.items[0] : undefined;
  if (inner?.kind !== 'list') return bytes;
  const hashed = new Uint8Array(1 + inner.encoded.length);
  hashed[0] = BLOBS;
  hashed.set(inner.encoded, 1);
  return hashed;
}
