import type * as z from 'zod';
import { BlockMetrics, TxMetrics, TxRow } from '../../contract/explorer.ts';
import { BaseFeeMetrics, BaseFeeRow, GasUsedRatioRow, PriorityFeeRow } from '../../contract/metrics.ts';
import { checksummed } from '../../core/transactions/signed-transaction.ts';
import { drawn, rows } from '../lenient.ts';

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
export const Block = drawn(BlockMetrics, 'blockNumber', 'baseFeePerGas').transform((wire) => ({
  ...wire,
  feeRecipient: checksummed(wire.feeRecipient),
  tips: tipsOf(wire.tips ?? {}),
}));
export type BlockView = z.infer<typeof Block>;

function tipsOf(tips: Readonly<Record<string, number | null>>): Readonly<Record<string, number>> | null {
  const known = Object.entries(tips).flatMap(([name, tip]) => (tip === null ? [] : [[name, tip] as const]));
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** `GET /metrics/tx/{hash}`. Required: its hash. */
export const Tx = drawn(TxMetrics, 'hash').transform((wire) => ({
  ...wire,
  from: checksummed(wire.from),
  to: checksummed(wire.to),
}));
export type TxView = z.infer<typeof Tx>;

const TxOfWindow = drawn(TxRow, 'hash').transform((wire) => ({
  ...wire,
  from: checksummed(wire.from),
  to: checksummed(wire.to),
}));
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
