import type { Signature } from './recover-sender.ts';
import { encodeRlpList, encodeRlpNumber, type RlpItem } from './rlp.ts';
import { TransactionError } from './signed-transaction.ts';
import { SAFE_MOST, type TransactionFields } from './transaction-fields.ts';

interface LegacySigned {
  /** `null`: signed for any chain, as before EIP-155. */
  readonly chainId: number | null;
  readonly signature: Signature;
  readonly signedPayload: Uint8Array;
}

const LEGACY_V = 27n;
const EIP155_V = 35n;
const EMPTY = encodeRlpNumber(0);

/** The last three fields of a typed transaction. */
export function readSignature(fields: TransactionFields): Signature {
  const yParity = fields.integer('the y parity of the signature');
  if (yParity > 1n)
    throw new TransactionError('the y parity of its signature is neither 0 nor 1: sign it again');
  return { yParity: yParity === 0n ? 0 : 1, ...readRs(fields) };
}

/** The last three fields of a legacy transaction, whose `v` says what was signed (EIP-155). */
export function readLegacySignature(fields: TransactionFields, items: readonly RlpItem[]): LegacySigned {
  const v = fields.integer('v of the signature');
  const rs = readRs(fields);
  if (rs.r === 0n && rs.s === 0n) {
    throw new TransactionError(
      'this transaction is not signed yet: sign it in the wallet and give the result',
    );
  }
  const signed = items.slice(0, 6).map(({ encoded }) => encoded);
  if (v === LEGACY_V || v === LEGACY_V + 1n) {
    const signature = { ...rs, yParity: v === LEGACY_V ? 0 : 1 } as const;
    return { chainId: null, signature, signedPayload: encodeRlpList(signed) };
  }
  const chainId = chainIdOf(v);
  const signature = { ...rs, yParity: (v - EIP155_V) % 2n === 0n ? 0 : 1 } as const;
  return {
    chainId,
    signature,
    signedPayload: encodeRlpList([...signed, encodeRlpNumber(chainId), EMPTY, EMPTY]),
  };
}

function chainIdOf(v: bigint): number {
  if (v < EIP155_V) {
    throw new TransactionError(
      'v of its signature is neither 27, 28 nor of a chain (EIP-155): sign it again',
    );
  }
  const chainId = (v - EIP155_V) / 2n;
  if (chainId === 0n) {
    throw new TransactionError('it is signed for chain 0, which no chain is: sign it for a chain');
  }
  if (chainId > SAFE_MOST) {
    throw new TransactionError('the chain id is larger than 2^53 − 1: sign it for a chain that is');
  }
  return Number(chainId);
}

const readRs = (fields: TransactionFields) => ({
  r: fields.integer('r of the signature'),
  s: fields.integer('s of the signature'),
});
