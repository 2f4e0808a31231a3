import { getAddress, isAddress } from 'viem/utils';
import type { Hex } from '../block.ts';
import type { TransactionParts } from './gas-rules.ts';

/** Without its signature: it cannot be sent. Wei. Fields that a type does not have are `null`, or 0 for counts. */
export interface SignedTransaction {
  /** 0 legacy, 1 access list (EIP-2930), 2 dynamic fee (EIP-1559), 3 blobs (EIP-4844), 4 set code (EIP-7702). */
  readonly type: 0 | 1 | 2 | 3 | 4;
  readonly hash: Hex;
  /** Recovered from the signature; checksummed (EIP-55), as `to` is. */
  readonly from: Hex;
  /** `null`: it creates a contract. */
  readonly to: Hex | null;
  /** `null`: a legacy transaction without EIP-155, valid on any chain. */
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
  /** Accounts delegated to code (EIP-7702); empty for other types. */
  readonly authorizations: readonly Authorization[];
  /** What its gas depends on, by the rules of its block; `null`: unknown, as of one that an older program has stored. */
  readonly parts: TransactionParts | null;
  /** FastLZ length of its signed bytes, which OP-stack chains charge for; absent or `null`: unknown. */
  readonly compressedSize?: number | null;
}

/** A signature recovery takes about a millisecond, and 128 KiB hold thousands of authorizations. */
export const AUTHORITIES_READ = 16;

/** Lets code act as the account, until the account revokes it. */
export interface Authorization {
  /** 0: valid on any chain. */
  readonly chainId: number;
  /** Address of the code; zero revokes the delegation. Checksummed. */
  readonly address: Hex;
  readonly nonce: number;
  /** The delegating account; `null`: no valid signature, or after the first {@link AUTHORITIES_READ}. */
  readonly authority: Hex | null;
}

/** An address with its checksum (EIP-55), to compare with a wallet; other text unchanged. */
export const checksummed = <Text extends string>(text: Text): Text | Hex =>
  isAddress(text, { strict: false }) ? getAddress(text) : text;
