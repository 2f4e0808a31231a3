import type { ChainBlock, ChainReceipt, ChainTransaction } from '../../chain/chain-source.ts';
import type { TxMetrics } from '../../contract/explorer.ts';
import type { Hex } from '../../core/block.ts';
import { usdOf } from '../../core/units.ts';
import type { MinedTransaction } from '../chain-reader.ts';
import { ApiFailure } from '../http/api-failure.ts';
import {
  confirmationsOf,
  costOf,
  ifAnswered,
  type LookupContext,
  reorganised,
  requireTransactions,
  tipOf,
} from './lookup-context.ts';
import { isoFromSec, wireInteger, wireWei } from './wire.ts';

/** `0x` and four bytes. */
const SELECTOR_LENGTH = 10;

/** What a transaction's receipt and block say of it; all `null` while it waits in the pool. */
type Inclusion = Pick<
  TxMetrics,
  | 'status'
  | 'gasUsed'
  | 'effectiveGasPrice'
  | 'priorityFeePerGas'
  | 'costWei'
  | 'costUsd'
  | 'blockNumber'
  | 'blockHash'
  | 'timestamp'
  | 'transactionIndex'
  | 'confirmations'
  | 'tipRank'
  | 'blockTransactionCount'
>;

const PENDING: Inclusion = {
  status: 'PENDING',
  gasUsed: null,
  effectiveGasPrice: null,
  priorityFeePerGas: null,
  costWei: null,
  costUsd: null,
  blockNumber: null,
  blockHash: null,
  timestamp: null,
  transactionIndex: null,
  confirmations: 0,
  tipRank: null,
  blockTransactionCount: null,
};

/** @throws {ApiFailure} `not_found` where neither the chain nor the node's pool has it */
export async function txMetrics(hash: Hex, context: LookupContext): Promise<TxMetrics> {
  const { reader, profile } = context;
  requireTransactions(reader);
  const transaction = await reader.transaction(hash);
  if (transaction === null) {
    throw new ApiFailure(
      'not_found',
      `${profile.name} knows no such transaction, nor does the node's pool; check the hash and the chain`,
    );
  }
  return { ...signed(transaction, profile.id), ...(await inclusionOf(transaction, context)) };
}

/** What its sender signed. */
function signed(transaction: ChainTransaction, chainId: number): Omit<TxMetrics, keyof Inclusion> {
  const { hash, type, from, to, value, nonce, data, gasLimit, blobCount } = transaction;
  return {
    chainId,
    hash,
    type,
    from,
    to,
    value: value.toString(),
    nonce,
    selector: data.length < SELECTOR_LENGTH ? null : data.slice(0, SELECTOR_LENGTH).toLowerCase(),
    gasLimit: wireInteger(gasLimit),
    maxFeePerGas: price(transaction.maxFeePerGas),
    maxPriorityFeePerGas: price(transaction.maxPriorityFeePerGas),
    gasPrice: price(transaction.gasPrice),
    maxFeePerBlobGas: price(transaction.maxFeePerBlobGas),
    blobCount,
  };
}

const price = (wei: bigint | null) => (wei === null ? null : wireWei(wei));

async function inclusionOf({ hash, blockNumber }: ChainTransaction, context: LookupContext) {
  if (blockNumber === null) return PENDING;
  const { reader } = context;
  const receipt = await reader.receipt(hash);
  if (receipt === null) {
    throw new ApiFailure(
      'upstream_unavailable',
      'the node knows the transaction and not yet its receipt; ask again in a second',
      { headers: { 'Retry-After': '1' } },
    );
  }
  const block = await reader.blockOf({ number: receipt.blockNumber, hash: receipt.blockHash });
  if (block?.hash !== receipt.blockHash) throw reorganised(receipt.blockNumber, context);
  return included(receipt, block, await ifAnswered(reader.transactionsOf(block)), context);
}

function included(
  receipt: ChainReceipt,
  block: ChainBlock,
  mined: readonly MinedTransaction[] | null,
  { head, nativeUsd }: LookupContext,
): Inclusion {
  const cost = costOf(receipt);
  return {
    status: receipt.status === 'success' ? 'SUCCESS' : 'REVERTED',
    gasUsed: wireInteger(receipt.gasUsed),
    effectiveGasPrice: wireWei(receipt.effectiveGasPrice),
    priorityFeePerGas: wireWei(tipOf(receipt.effectiveGasPrice, block.baseFeePerGas)),
    costWei: cost.toString(),
    costUsd: nativeUsd === null ? null : usdOf(cost, nativeUsd),
    blockNumber: block.number,
    blockHash: block.hash,
    timestamp: isoFromSec(block.timestamp),
    transactionIndex: receipt.transactionIndex,
    confirmations: confirmationsOf(block.number, head),
    tipRank: mined === null ? null : tipRank(receipt, mined, block.baseFeePerGas),
    blockTransactionCount: block.transactionHashes.length,
  };
}

/** The share of the block's other transactions that tipped less, ties counted half; `null` without others. */
function tipRank(receipt: ChainReceipt, mined: readonly MinedTransaction[], baseFee: bigint): number | null {
  const own = tipOf(receipt.effectiveGasPrice, baseFee);
  const others = mined.filter(({ hash }) => hash !== receipt.hash);
  let below = 0;
  for (const { effectiveGasPrice } of others) {
    const tip = tipOf(effectiveGasPrice, baseFee);
    if (tip < own) below += 1;
    else if (tip === own) below += 0.5;
  }
  return others.length === 0 ? null : below / others.length;
}
