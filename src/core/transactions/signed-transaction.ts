import type { Hex } from '../block.ts';

/**
 * What a signed transaction says, without the signature: nothing here can send it. Wei as `bigint`. What a type does not
 * have is `null`, or 0 for counts.
 */
export interface SignedTransaction {
  /** 0 legacy, 1 access list (EIP-2930), 2 dynamic fee (EIP-1559), 3 blobs (EIP-4844), 4 set code (EIP-7702). */
  readonly type: 0 | 1 | 2 | 3 | 4;
  /** What the chain will know it by. */
  readonly hash: Hex;
  /** Recovered from the signature; checksummed (EIP-55), as `to` is. */
  readonly from: Hex;
  /** `null`: it makes a contract. */
  readonly to: Hex | null;
  /** `null`: a legacy transaction from before EIP-155, which any chain takes. */
  readonly chainId: number | null;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly value: bigint;
  readonly data: Hex;
  readonly gasPrice: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly maxFeePerBlobGas: bigint | null;
  readonly blobCount: number;
  /** Accounts that are handed over to code (EIP-7702); empty for other types. */
  readonly authorizations: readonly Authorization[];
  /** The least gas that a block takes it with: EIP-2028, EIP-2930, EIP-3860, EIP-7702 and the floor of EIP-7623. */
  readonly intrinsicGas: bigint;
}

/** An account lets code act as itself, until it takes that back. Numbers above 2^53 − 1 are decimal text. */
export interface Authorization {
  /** 0: any chain takes it. */
  readonly chainId: number | string;
  /** Of the code; zero takes the delegation back. Checksummed. */
  readonly address: Hex;
  /** Of the account, when it is applied. */
  readonly nonce: number | string;
  /** Whose account it is; `null`: no key has signed it, or it is after the first 16, which are not looked at. */
  readonly authority: Hex | null;
}

/** The bytes are no transaction that a node would take. `message` is one line that says why, and repeats none of them. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError';
}
