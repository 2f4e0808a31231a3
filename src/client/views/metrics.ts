import type * as z from 'zod';
import {
  BaseFeeMetrics,
  BaseFeeRow,
  BlockMetrics,
  GasUsedRatioRow,
  PriorityFeeRow,
  TxMetrics,
  TxRow,
} from '../../contract/metrics.ts';
import { confirmationsOf } from '../../core/auto-txs/state-machine.ts';
import { servedChain } from '../../core/chains.ts';
import { GAS_PER_BLOB } from '../../core/eip4844.ts';
import { changeRatio } from '../../core/market-stats.ts';
import { ownValue } from '../../core/own-value.ts';
import { tipRankWords } from '../../core/tip-rank-words.ts';
import {
  formatChange,
  formatCount,
  formatGwei,
  formatNative,
  formatPercent,
  formatUsd,
  usdOf,
} from '../../core/units.ts';
import { drawn, rows } from '../lenient.ts';
import { counted, type Fact, type Money, mapped } from './fact.ts';
import { PendingView } from './pending.ts';

export interface MetricsView<Row> {
  readonly chainId: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly bucket: string | null;
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Reads the envelope `{ chainId, from, to, data: [...] }`, paged or not, or the bare rows. */
const metricsPage = <Row>(row: z.ZodType<Row>): z.ZodType<MetricsView<Row>> =>
  drawn(BaseFeeMetrics.extend({ data: rows(row) }), 'data').transform(({ data, ...wire }) => ({
    ...wire,
    page: wire.page ?? 0,
    size: wire.size ?? data.length,
    total: wire.total ?? data.length,
    rows: data,
  }));

/** For a row with a single base fee, open, lowest, mean, highest and last are that one. */
const BaseFee = drawn(BaseFeeRow, 'timestamp', 'mean').transform(({ mean, ...wire }) => ({
  ...wire,
  mean,
  open: wire.open ?? mean,
  min: wire.min ?? mean,
  max: wire.max ?? mean,
  close: wire.close ?? mean,
}));
export type BaseFeeRowView = z.infer<typeof BaseFee>;
const PriorityFee = drawn(PriorityFeeRow, 'timestamp', 'value');
export type PriorityFeeRowView = z.infer<typeof PriorityFee>;
const GasUsedRatio = drawn(GasUsedRatioRow, 'timestamp', 'mean');
export type GasUsedRatioRowView = z.infer<typeof GasUsedRatio>;
export const BaseFees = metricsPage(BaseFee);
export const PriorityFees = metricsPage(PriorityFee);
export const GasUsedRatios = metricsPage(GasUsedRatio);

/** Prices are wei per gas, amounts wei, times ms. `null`: unknown, or there is none. */

/** `GET /metrics/block/{number}`. Required: its number and base fee. */
export const BlockView = drawn(BlockMetrics, 'blockNumber', 'baseFeePerGas').transform((wire) => ({
  ...wire,
  tips: tipsOf(wire.tips ?? {}),
}));
export type BlockView = z.infer<typeof BlockView>;

function tipsOf(tips: Readonly<Record<string, number | null>>): Readonly<Record<string, number>> | null {
  const known = Object.entries(tips).flatMap(([name, tip]) => (tip === null ? [] : [[name, tip] as const]));
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** `GET /metrics/tx/{hash}`. Required: its hash. */
export const Tx = drawn(TxMetrics.extend({ pending: PendingView }), 'hash');
export type TxView = z.infer<typeof Tx>;
const TxOfWindow = drawn(TxRow, 'hash');
export type TxRowView = z.infer<typeof TxOfWindow>;
export const Txs = metricsPage(TxOfWindow);

const TYPES: Readonly<Record<number, string>> = {
  0: 'legacy',
  1: 'EIP-2930 (access list)',
  2: 'EIP-1559',
  3: 'EIP-4844 (blobs)',
  4: 'EIP-7702 (delegation)',
  // OP stack: not signed, it comes from L1.
  126: 'deposit from the chain below',
};

export const describeTxType = (type: number): string => TYPES[type] ?? `type ${type}`;

const gwei = (wei: number | null) => mapped(wei, (known) => `${formatGwei(known)} gwei`);
/** `3 confirmations, final after 12`, `240 confirmations, final`: as many as gastop waits for with an auto-tx. */
export function confirmationWords(count: number, chainId: number | null): string {
  const words = counted(count, 'confirmation');
  if (chainId === null) return words;
  return isFinalWith(count, chainId) ? `${words}, final` : `${words}, final after ${finalAfter(chainId)}`;
}

const finalAfter = (chainId: number | null) => confirmationsOf(servedChain(chainId));

/** Whether so many confirmations make a transaction final on this chain. */
export const isFinalWith = (confirmations: number, chainId: number | null): boolean =>
  confirmations >= finalAfter(chainId);

/** `0.01 ETH  $31.20`: with `usd`, else with what it is worth at the coin's present price. */
export function describeCoins(wei: bigint, { symbol, nativeUsd }: Money, usd: number | null = null): string {
  const dollars = usd ?? (nativeUsd === null ? null : usdOf(wei, nativeUsd));
  return formatNative(wei, symbol) + (dollars === null ? '' : `  ${formatUsd(dollars)}`);
}

const BAR_CELLS = 20;

/** What a block is and costs, without its time, hash and tips. */
export function describeBlock(block: BlockView, context: Money): readonly Fact[] {
  const { baseFeePerGas: base, gasUsedRatio, gasUsed, gasLimit } = block;
  const filled = Math.round((gasUsedRatio ?? 0) * BAR_CELLS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
  const limit = mapped(gasLimit, (most) => ` of ${formatCount(most)}`) ?? '';
  const next = (wei: number) => {
    const change = changeRatio(wei, base);
    return `${formatGwei(wei)} gwei${change === null ? '' : ` (${formatChange(change)})`}`;
  };
  const excess = mapped(block.excessBlobGas, (more) => `, excess ${formatCount(more)}`) ?? '';
  const blobs = (used: number) =>
    `${formatCount(used / Number(GAS_PER_BLOB))}  (${formatCount(used)} blob gas${excess})`;
  const nextBlob = mapped(block.nextBlobBaseFee, (wei) => `, next ${formatGwei(wei)}`) ?? '';
  const coins = (wei: bigint) => describeCoins(wei, context);
  return [
    ['base fee', gwei(base)],
    ['next base', mapped(block.nextBaseFeePerGas, next)],
    ['full', mapped(gasUsedRatio, (ratio) => `${bar}  ${formatPercent(ratio)}`)],
    ['slot', mapped(block.slotNumber, formatCount)],
    ['gas used', mapped(gasUsed, (used) => `${formatCount(used)}${limit}`)],
    // Since Amsterdam the header's gas is not what was paid for.
    ['gas paid', block.gasPaid === gasUsed ? null : mapped(block.gasPaid, formatCount)],
    ['transactions', mapped(block.transactionCount, formatCount)],
    ['blob fee', mapped(gwei(block.blobBaseFee), (fee) => fee + nextBlob)],
    ['blobs', mapped(block.blobGasUsed, blobs)],
    ['burnt', mapped(block.burntWei, coins)],
    ['fees go to', block.feeRecipient],
  ];
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  PENDING: 'waits in the pool',
  SUCCESS: 'success',
  REVERTED: 'reverted; its gas was paid anyway',
};

/** What a transaction is, what it paid, and how its tip ranked. `when` words a time. */
export function describeTx(
  tx: TxView,
  { when, ...context }: Money & { readonly when: (ms: number) => string },
): readonly Fact[] {
  const { status, from, to, blockTransactionCount: count, gasUsed, gasLimit } = tx;
  const depth =
    status === 'PENDING' ? null : mapped(tx.confirmations, (count) => confirmationWords(count, tx.chainId));
  const state = mapped(status, (word) => ownValue(STATUS_WORDS, word) ?? word);
  const of = mapped(count, (all) => ` of ${formatCount(all)}`) ?? '';
  const place = mapped(tx.transactionIndex, (index) => `, transaction ${formatCount(index + 1)}${of}`) ?? '';
  const share = gasUsed === null || !gasLimit ? '' : ` (${formatPercent(gasUsed / gasLimit)})`;
  const limit = mapped(gasLimit || null, formatCount);
  const used = (gas: number) => `${formatCount(gas)}${limit === null ? '' : ` of ${limit}`} used${share}`;
  const blobs = [gwei(tx.maxFeePerBlobGas), mapped(tx.blobCount || null, (blob) => counted(blob, 'blob'))];
  const tip = mapped(tx.priorityFeePerGas, (fee) => `, of it ${formatGwei(fee)} tip`) ?? '';
  const isAlone = count === 1;
  const coins = (wei: bigint, usd: number | null = null) => describeCoins(wei, context, usd);
  return [
    ['hash', tx.hash],
    ['status', [state, depth].filter((part) => part !== null).join(', ') || null],
    ['block', mapped(tx.blockNumber, (number) => `#${formatCount(number)}${place}`)],
    ['time', mapped(tx.timestamp, when)],
    ['type', mapped(tx.type, describeTxType)],
    ['from', from],
    ['to', to ?? (from === null ? null : 'none: it creates a contract')],
    ['call', tx.selector],
    ['value', mapped(tx.value, coins)],
    ['nonce', mapped(tx.nonce, String)],
    ['gas', mapped(gasUsed, used) ?? mapped(limit, (most) => `limit ${most}`)],
    ['max fee', gwei(tx.maxFeePerGas)],
    ['max tip', gwei(tx.maxPriorityFeePerGas)],
    ['gas price', gwei(tx.gasPrice)],
    ['blob cap', blobs.filter((part) => part !== null).join(', ') || null],
    [
      'fee coin',
      mapped(tx.feeCurrency, (coin) => `${coin}: its fee is paid in that coin, not in ${context.symbol}`),
    ],
    ['paid', mapped(gwei(tx.effectiveGasPrice), (price) => `${price} per gas${tip}`)],
    ['cost', mapped(tx.costWei, (wei) => coins(wei, tx.costUsd))],
    ['L1 part', mapped(tx.dataFeeWei || null, coins)],
    [
      'tip rank',
      mapped(tx.tipRank, (rank) => tipRankWords(rank, count)) ?? (isAlone ? 'alone in its block' : null),
    ],
  ];
}
