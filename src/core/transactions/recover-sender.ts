import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import type { Hex } from '../block.ts';
import { checksummedAddress } from './checksummed-address.ts';
import { TransactionError } from './signed-transaction.ts';

export interface Signature {
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: 0 | 1;
}

const ORDER = secp256k1.CURVE.n;

/**
 * Who signed it. Of the two signatures that fit, only the one with the lower `s` counts (EIP-2).
 *
 * @param payload What was signed, before hashing.
 * @throws TransactionError
 */
export function recoverSender(payload: Uint8Array, { r, s, yParity }: Signature): Hex {
  if (r === 0n && s === 0n) {
    throw new TransactionError(
      'this transaction is not signed yet: sign it in the wallet and give the result',
    );
  }
  if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) throw noSignature();
  if (s > ORDER / 2n) {
    throw new TransactionError(
      'its signature has the higher of two s values, which nodes refuse (EIP-2): sign it again',
    );
  }
  const key = publicKey(keccak_256(payload), { r, s, yParity });
  return checksummedAddress(keccak_256(key.subarray(1)).subarray(12));
}

/** Uncompressed: 0x04, x, y. */
function publicKey(hash: Uint8Array, { r, s, yParity }: Signature): Uint8Array {
  try {
    return new secp256k1.Signature(r, s).addRecoveryBit(yParity).recoverPublicKey(hash).toRawBytes(false);
  } catch {
    throw noSignature();
  }
}

const noSignature = () =>
  new TransactionError(
    'its signature is none that a key can make: it was changed or is damaged, sign it again',
  );
