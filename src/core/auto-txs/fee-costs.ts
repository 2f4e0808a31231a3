import { GAS_PER_BLOB } from '../eip4844.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import { capOf } from './target.ts';

/** The most that a transaction can take from its sender, wei: what a node wants to see in the account before it takes it. */
export function mostItTakes(transaction: SignedTransaction): bigint {
  return transaction.value + mostFees(transaction);
}

/** The whole gas limit at the cap, and blobs at theirs; wei. */
export function mostFees(transaction: SignedTransaction): bigint {
  const blobs = blobGas(transaction) * (transaction.maxFeePerBlobGas ?? 0n);
  return transaction.gasLimit * capOf(transaction) + blobs;
}

/** Blob gas: 131,072 for each blob (EIP-4844). */
export function blobGas({ blobCount }: Pick<SignedTransaction, 'blobCount'>): bigint {
  return BigInt(blobCount) * GAS_PER_BLOB;
}

/** What it pays in all at a price per gas, if it uses its whole gas limit; wei. Blobs at what they cost now. */
export function feesAt(
  price: bigint,
  { transaction, nextBlobBaseFee }: Pick<PreflightFacts, 'transaction' | 'nextBlobBaseFee'>,
): bigint {
  const blobCap = transaction.maxFeePerBlobGas ?? 0n;
  const blobPrice = nextBlobBaseFee !== null && nextBlobBaseFee < blobCap ? nextBlobBaseFee : blobCap;
  return transaction.gasLimit * price + blobGas(transaction) * blobPrice;
}
