import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import type { Hex } from '../block.ts';

/** An address of 20 bytes as people write it: capitals are its checksum (EIP-55). */
export function checksummedAddress(address: Uint8Array): Hex {
  const digits = bytesToHex(address);
  const sum = bytesToHex(keccak_256(utf8ToBytes(digits)));
  const checked = [...digits].map((digit, at) =>
    Number.parseInt(sum[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${checked.join('')}`;
}
