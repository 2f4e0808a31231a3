import type * as z from 'zod';
import type { ChainReceipt, ChainTransaction } from '../chain-source.ts';
import type { receiptAnswer, transactionAnswer } from './answers.ts';

export type TransactionAnswer = z.infer<typeof transactionAnswer>;
export type ReceiptAnswer = z.infer<typeof receiptAnswer>;

/** A node's transaction in our words. */
export function toTransaction(answer: TransactionAnswer): ChainTransaction {
  const feeMarket = answer.maxFeePerGas !== null && answer.maxFeePerGas !== undefined;
  return {
    hash: answer.hash,
    type: answer.type ?? 0,
    from: answer.from,
    to: answer.to ?? null,
    value: answer.value,
    nonce: answer.nonce,
    gasLimit: answer.gas,
    maxFeePerGas: answer.maxFeePerGas ?? null,
    maxPriorityFeePerGas: answer.maxPriorityFeePerGas ?? null,
    // For a fee-market transaction nodes write here what it paid, which is the receipt's to say.
    gasPrice: feeMarket ? null : (answer.gasPrice ?? null),
    data: answer.input,
    maxFeePerBlobGas: answer.maxFeePerBlobGas ?? null,
    blobCount: answer.blobVersionedHashes?.length ?? null,
    blockNumber: answer.blockNumber ?? null,
    blockHash: answer.blockHash ?? null,
  };
}

/** @param effectiveGasPrice wei per gas, of the receipt or, where that does not say, of the transaction */
export function toReceipt(answer: ReceiptAnswer, effectiveGasPrice: bigint): ChainReceipt {
  return {
    hash: answer.transactionHash,
    status: answer.status === 0 ? 'reverted' : 'success',
    blockNumber: answer.blockNumber,
    blockHash: answer.blockHash,
    gasUsed: answer.gasUsed,
    effectiveGasPrice,
    transactionIndex: answer.transactionIndex,
    blobFee: (answer.blobGasUsed ?? 0n) * (answer.blobGasPrice ?? 0n),
    dataFee: answer.l1Fee ?? 0n,
  };
}

/**
 * What a transaction paid per gas (wei) where its receipt does not say, as those of nodes from before London: the
 * price it signed, or what the node says of it instead; else base fee and tip within the cap (EIP-1559).
 */
export function paidPerGas(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas }: TransactionAnswer,
  baseFeePerGas: bigint,
): bigint {
  if (gasPrice !== null && gasPrice !== undefined) return gasPrice;
  const asked = baseFeePerGas + (maxPriorityFeePerGas ?? 0n);
  const cap = maxFeePerGas ?? asked;
  return cap < asked ? cap : asked;
}
