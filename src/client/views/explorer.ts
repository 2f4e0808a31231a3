/** Prices in wei per gas, amounts in wei, times in ms. `null`: the service does not say, or there is none. */
export interface BlockView {
  readonly chainId: number | null;
  readonly blockNumber: number;
  readonly hash: string | null;
  readonly parentHash: string | null;
  readonly timestamp: number | null;
  readonly confirmations: number | null;
  readonly baseFeePerGas: number;
  readonly nextBaseFeePerGas: number | null;
  readonly gasUsed: number | null;
  readonly gasLimit: number | null;
  readonly gasUsedRatio: number | null;
  readonly transactionCount: number | null;
  readonly tips: Readonly<Record<string, number>> | null;
  readonly blobBaseFee: number | null;
  readonly nextBlobBaseFee: number | null;
  readonly blobGasUsed: number | null;
  readonly excessBlobGas: number | null;
  readonly burntWei: bigint | null;
  readonly feeRecipient: string | null;
}

export interface TxView {
  readonly chainId: number | null;
  readonly hash: string;
  /** `PENDING`, `SUCCESS`, `REVERTED`, or a foreign service's own word. */
  readonly status: string | null;
  readonly type: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly value: bigint | null;
  readonly nonce: number | null;
  readonly selector: string | null;
  readonly gasLimit: number | null;
  readonly gasUsed: number | null;
  readonly maxFeePerGas: number | null;
  readonly maxPriorityFeePerGas: number | null;
  readonly gasPrice: number | null;
  readonly maxFeePerBlobGas: number | null;
  readonly blobCount: number | null;
  readonly effectiveGasPrice: number | null;
  readonly priorityFeePerGas: number | null;
  readonly costWei: bigint | null;
  readonly costUsd: number | null;
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  readonly timestamp: number | null;
  readonly transactionIndex: number | null;
  readonly confirmations: number | null;
  /** Share of its block's other transactions that tipped less. */
  readonly tipRank: number | null;
  readonly blockTransactionCount: number | null;
}

export interface TxRowView {
  readonly timestamp: number | null;
  readonly blockNumber: number | null;
  readonly transactionIndex: number | null;
  readonly hash: string;
  readonly status: string | null;
  readonly type: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly value: bigint | null;
  readonly gasUsed: number | null;
  readonly effectiveGasPrice: number | null;
  readonly priorityFeePerGas: number | null;
  readonly costWei: bigint | null;
}
