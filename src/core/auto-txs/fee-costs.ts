import { GAS_PER_BLOB } from '../eip4844.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import { capOf, paysAt } from './target.ts';

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

/**
 * What it is expected to pay in all when its target is reached, if it uses its whole gas limit; wei. With a normal target
 * the base fee is then what the lane leaves of the target after today's tip. Blobs at what they cost now.
 */
export function feesAtTarget(
  facts: Pick<PreflightFacts, 'transaction' | 'order' | 'lanePrice' | 'nextBaseFee' | 'nextBlobBaseFee'>,
): bigint {
  const { transaction, nextBlobBaseFee } = facts;
  const blobCap = transaction.maxFeePerBlobGas ?? 0n;
  const blobPrice = nextBlobBaseFee !== null && nextBlobBaseFee < blobCap ? nextBlobBaseFee : blobCap;
  return transaction.gasLimit * priceAtTarget(facts) + blobGas(transaction) * blobPrice;
}

function priceAtTarget({
  transaction,
  order,
  lanePrice,
  nextBaseFee,
}: Pick<PreflightFacts, 'transaction' | 'order' | 'lanePrice' | 'nextBaseFee'>): bigint {
  const cap = capOf(transaction);
  const isFree = order.target < cap;
  if (transaction.maxFeePerGas === null) return cap;
  if (order.isStrict || lanePrice === null || nextBaseFee === null) return isFree ? order.target : cap;
  const laneTip = lanePrice > nextBaseFee ? lanePrice - nextBaseFee : 0n;
  return paysAt(transaction, order.target > laneTip ? order.target - laneTip : 0n);
}
