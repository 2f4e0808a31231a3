import type { ChainReceipt, ChainTransaction } from '../chain-source.ts';
import type { ReceiptAnswer, TransactionAnswer } from './answers.ts';

/** A node's transaction in our words. */
export function toTransaction(answer: TransactionAnswer): ChainTransaction {
  const feeMarket = answer.maxFeePerGas !== null;
  return {
    hash: answer.hash,
    type: answer.type ?? 0,
    from: answer.from,
    to: answer.to,
    value: answer.value,
    nonce: answer.nonce,
    gasLimit: answer.gas,
    maxFeePerGas: answer.maxFeePerGas,
    maxPriorityFeePerGas: answer.maxPriorityFeePerGas,
    // For a fee-market transaction nodes write here what it paid, which is the receipt's to say.
    gasPrice: feeMarket ? null : answer.gasPrice,
    data: answer.input,
    maxFeePerBlobGas: answer.maxFeePerBlobGas,
    blobCount: answer.blobVersionedHashes?.length ?? null,
    blockNumber: answer.blockNumber,
    blockHash: answer.blockHash,
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
  if (gasPrice !== null) return gasPrice;
  const asked = baseFeePerGas + (maxPriorityFeePerGas ?? 0n);
  const cap = maxFeePerGas ?? asked;
  return cap < asked ? cap : asked;
}
