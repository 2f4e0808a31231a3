import type { ChainReceipt, ChainTransaction, IncludedTransaction } from '../../src/chain/chain-source.ts';
import type { Block, Hex } from '../../src/core/block.ts';

export const transactionHash = (number: number, index: number, fork = 0): Hex =>
  `0x${'7'.repeat(8)}${fork.toString(16).padStart(8, '0')}${number.toString(16).padStart(40, '0')}${index.toString(16).padStart(8, '0')}`;

/** A plausible transfer of `block`, the same for the same place: it tips 1 gwei and signed for twice the base fee. */
export function makeIncluded(
  block: Pick<Block, 'number' | 'hash' | 'baseFeePerGas'>,
  index: number,
  overrides: {
    readonly transaction?: Partial<ChainTransaction>;
    readonly receipt?: Partial<ChainReceipt>;
  } = {},
): IncludedTransaction {
  const blockHash = block.hash ?? `0x${'0'.repeat(64)}`;
  const transaction: ChainTransaction = {
    hash: transactionHash(block.number, index),
    type: 2,
    from: '0x00000000000000000000000000000000000000aa',
    to: '0x00000000000000000000000000000000000000bb',
    value: 10n ** 15n,
    nonce: index,
    gasLimit: 21_000n,
    maxFeePerGas: 2n * block.baseFeePerGas + 1_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    gasPrice: null,
    data: '0x',
    maxFeePerBlobGas: null,
    blobCount: null,
    feeCurrency: null,
    ...overrides.transaction,
    blockNumber: block.number,
    blockHash,
  };
  const receipt: ChainReceipt = {
    status: 'success',
    gasUsed: 21_000n,
    effectiveGasPrice: priceOf(transaction, block.baseFeePerGas),
    blobFee: 0n,
    dataFee: 0n,
    ...overrides.receipt,
    hash: transaction.hash,
    blockNumber: block.number,
    blockHash,
    transactionIndex: index,
  };
  return { transaction, receipt };
}

function priceOf(transaction: ChainTransaction, baseFee: bigint): bigint {
  if (transaction.gasPrice !== null) return transaction.gasPrice;
  const cap = transaction.maxFeePerGas ?? baseFee;
  const asked = baseFee + (transaction.maxPriorityFeePerGas ?? 0n);
  return cap < asked ? cap : asked;
}
