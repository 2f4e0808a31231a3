import * as z from 'zod';
import { ErrorBody } from './api-error.ts';
import { BUCKETS, PERCENTILES } from './choices.ts';
import { BlockNumber, Ratio, Timestamp, Wei } from './primitives.ts';

export const Bucket = z.enum(BUCKETS);
export type Bucket = z.infer<typeof Bucket>;

export const Percentile = z.enum(PERCENTILES);
export type Percentile = z.infer<typeof Percentile>;

const envelope = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    chainId: z.int().min(0),
    from: Timestamp,
    to: Timestamp,
    bucket: Bucket,
    page: z.int().min(0),
    size: z.int().min(1).max(500),
    total: z.int().min(0),
    data: z.array(row),
  });

/** `GET /metrics/base-fee`: open, lowest, mean, highest and last base fee of each bucket, wei per gas. */
export const BaseFeeRow = z.strictObject({
  timestamp: Timestamp,
  blockNumber: BlockNumber,
  open: Wei,
  min: Wei,
  mean: Wei,
  max: Wei,
  close: Wei,
});
export type BaseFeeRow = z.infer<typeof BaseFeeRow>;
export const BaseFeeMetrics = envelope(BaseFeeRow);
export type BaseFeeMetrics = z.infer<typeof BaseFeeMetrics>;

/** `GET /metrics/priority-fee`: the tip at one percentile, wei per gas; buckets hold the mean over their blocks. */
export const PriorityFeeRow = z.strictObject({ timestamp: Timestamp, blockNumber: BlockNumber, value: Wei });
export type PriorityFeeRow = z.infer<typeof PriorityFeeRow>;
export const PriorityFeeMetrics = envelope(PriorityFeeRow);
export type PriorityFeeMetrics = z.infer<typeof PriorityFeeMetrics>;

/** `GET /metrics/gas-used-ratio` */
export const GasUsedRatioRow = z.strictObject({
  timestamp: Timestamp,
  blockNumber: BlockNumber,
  mean: Ratio,
  max: Ratio,
});
export type GasUsedRatioRow = z.infer<typeof GasUsedRatioRow>;
export const GasUsedRatioMetrics = envelope(GasUsedRatioRow);
export type GasUsedRatioMetrics = z.infer<typeof GasUsedRatioMetrics>;

/** A metrics window that cannot be answered: the error body and, beside it, the envelope known of a hosted service. */
export const MetricsError = ErrorBody.extend({
  /** `null` while the service has not reached its chain yet. */
  chainId: z.int().min(0).nullable(),
  /** As asked, which may be nonsense; `null` where left out. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  data: z.array(z.strictObject({ error: z.string() })),
});
export type MetricsError = z.infer<typeof MetricsError>;
