import { PERCENTILES } from '../../contract/choices.ts';
import type { Answer } from '../answer.ts';
import { Fields } from '../fields.ts';

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

const STATUSES = ['PENDING', 'SUCCESS', 'REVERTED'];
const BASE_FEE_NAMES = ['baseFeePerGas', 'baseFee', 'basePrice', 'base'] as const;
const BLOCK_NAMES = ['blockNumber', 'number', 'block', 'height'] as const;
const TIME_NAMES = ['timestamp', 'blockTimestamp', 'time'] as const;

/** `GET /metrics/block/{number}`. Required: its number and base fee. */
export function readBlock(answer: Answer): BlockView {
  const fields = new Fields(
    answer,
    answer.record([...BLOCK_NAMES, ...BASE_FEE_NAMES, 'gasUsed'], 'blockNumber'),
  );
  const blockNumber = fields.count(...BLOCK_NAMES);
  if (blockNumber === null) throw fields.missing('blockNumber');
  return {
    chainId: fields.count('chainId'),
    blockNumber,
    hash: fields.text('hash', 'blockHash'),
    parentHash: fields.text('parentHash'),
    timestamp: fields.time(...TIME_NAMES),
    confirmations: fields.count('confirmations'),
    baseFeePerGas: Number(fields.requiredFee(...BASE_FEE_NAMES)),
    nextBaseFeePerGas: fields.feeNumber('nextBaseFeePerGas', 'nextBaseFee', 'nextBasePrice'),
    gasUsed: fields.count('gasUsed'),
    gasLimit: fields.count('gasLimit'),
    gasUsedRatio: fields.ratio('gasUsedRatio'),
    transactionCount: fields.count('transactionCount', 'txCount', 'transactions'),
    tips: readTips(fields.child('tips', 'priorityFees')),
    blobBaseFee: fields.feeNumber('blobBaseFee', 'blobBaseFeePerGas'),
    nextBlobBaseFee: fields.feeNumber('nextBlobBaseFee'),
    blobGasUsed: fields.count('blobGasUsed'),
    excessBlobGas: fields.count('excessBlobGas'),
    burntWei: fields.wei('burntWei', 'burnt', 'burned'),
    feeRecipient: fields.text('feeRecipient', 'miner'),
  };
}

function readTips(fields: Fields | null): Readonly<Record<string, number>> | null {
  if (fields === null) return null;
  const known = PERCENTILES.flatMap((name) => {
    const tip = fields.feeNumber(name);
    return tip === null ? [] : [[name, tip] as const];
  });
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** `GET /metrics/tx/{hash}`. Required: its hash. */
export function readTx(answer: Answer): TxView {
  const fields = new Fields(answer, answer.record(['hash', 'txHash', 'transactionHash'], 'hash'));
  return {
    ...transaction(fields),
    chainId: fields.count('chainId'),
    nonce: fields.count('nonce'),
    selector: fields.text('selector', 'methodId'),
    gasLimit: fields.count('gasLimit', 'gas'),
    maxFeePerGas: fields.feeNumber('maxFeePerGas'),
    maxPriorityFeePerGas: fields.feeNumber('maxPriorityFeePerGas'),
    gasPrice: fields.feeNumber('gasPrice'),
    maxFeePerBlobGas: fields.feeNumber('maxFeePerBlobGas'),
    blobCount: fields.count('blobCount'),
    costUsd: fields.amount('costUsd'),
    blockHash: fields.text('blockHash'),
    confirmations: fields.count('confirmations'),
    tipRank: fields.ratio('tipRank'),
    blockTransactionCount: fields.count('blockTransactionCount'),
  };
}

/** One row of `GET /metrics/txs`. Required: its hash. */
export function readTxRow(fields: Fields): TxRowView {
  return transaction(fields);
}

function transaction(fields: Fields): TxRowView {
  const hash = fields.text('hash', 'txHash', 'transactionHash');
  if (hash === null) throw fields.missing('hash');
  return {
    timestamp: fields.time(...TIME_NAMES),
    blockNumber: fields.count('blockNumber', 'block'),
    transactionIndex: fields.count('transactionIndex', 'index'),
    hash,
    status: fields.word(STATUSES, 'status'),
    type: fields.count('type'),
    from: fields.text('from'),
    to: fields.text('to'),
    value: fields.wei('value', 'valueWei'),
    gasUsed: fields.count('gasUsed'),
    effectiveGasPrice: fields.feeNumber('effectiveGasPrice', 'gasPrice'),
    priorityFeePerGas: fields.feeNumber('priorityFeePerGas', 'priorityFee', 'tip'),
    costWei: fields.wei('costWei', 'cost', 'fee'),
  };
}
