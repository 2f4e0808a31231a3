import { PERCENTILES } from '../../contract/choices.ts';
import type { BlockView, TxRowView, TxView } from '../views/explorer.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';

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
