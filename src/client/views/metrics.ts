import type * as z from 'zod';
import { BaseFeeMetrics, BaseFeeRow, GasUsedRatioRow, PriorityFeeRow } from '../../contract/metrics.ts';
import { lenient, ms, rows } from '../lenient.ts';

/** One page of a metrics answer: the envelope `{ chainId, from, to, data: [...] }`, paged or not, or the bare rows. */
export const metricsPage = <Row>(row: z.ZodType<Row>) =>
  lenient(BaseFeeMetrics.extend({ data: rows(row) }), 'data').transform(({ data, ...wire }) => ({
    ...wire,
    from: ms(wire.from),
    to: ms(wire.to),
    page: wire.page ?? 0,
    size: wire.size ?? data.length,
    total: wire.total ?? data.length,
    rows: data,
  }));
export type MetricsView<Row> = z.infer<ReturnType<typeof metricsPage<Row>>>;

/** A row that knows a single base fee is open, lowest, mean, highest and last at once. */
const BaseFee = lenient(BaseFeeRow, 'timestamp', 'mean').transform(
  ({ timestamp, blockNumber, open, min, mean, max, close }) => ({
    timestamp: Date.parse(timestamp),
    blockNumber,
    open: open ?? mean,
    min: min ?? mean,
    mean,
    max: max ?? mean,
    close: close ?? mean,
  }),
);
export type BaseFeeRowView = z.infer<typeof BaseFee>;

const PriorityFee = lenient(PriorityFeeRow, 'timestamp', 'value').transform((wire) => ({
  ...wire,
  timestamp: Date.parse(wire.timestamp),
}));
export type PriorityFeeRowView = z.infer<typeof PriorityFee>;

const GasUsedRatio = lenient(GasUsedRatioRow, 'timestamp', 'mean').transform((wire) => ({
  ...wire,
  timestamp: Date.parse(wire.timestamp),
}));
export type GasUsedRatioRowView = z.infer<typeof GasUsedRatio>;

export const BaseFees = metricsPage(BaseFee);
export const PriorityFees = metricsPage(PriorityFee);
export const GasUsedRatios = metricsPage(GasUsedRatio);
