import * as z from 'zod';
import { Bucket, Percentile } from './metrics.ts';
import { TimeFrame, Timestamp } from './primitives.ts';

/** A whole number in a query string. */
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`);

export const PAGE_SIZE_MAX = 500;
export const PAGE_SIZE_DEFAULT = 100;

/** Parameters of a metrics window. Left out: the last hour, a bucket that fits the window. */
export const MetricsParameters = z.strictObject({
  from: Timestamp.optional(),
  to: Timestamp.optional(),
  bucket: Bucket.optional(),
  page: whole(0, 1_000_000).optional(),
  size: whole(1, PAGE_SIZE_MAX).optional(),
});
export type MetricsParameters = z.infer<typeof MetricsParameters>;

export const PriorityFeeParameters = MetricsParameters.extend({ percentile: Percentile.default('p50') });
export type PriorityFeeParameters = z.infer<typeof PriorityFeeParameters>;

export const TimeFrameParameters = z.strictObject({ timeFrame: TimeFrame.default('24h') });
export type TimeFrameParameters = z.infer<typeof TimeFrameParameters>;

export const NoParameters = z.strictObject({});

/** A window of transactions. Left out: the last hour, of it the newest 100 blocks at most. */
export const TxsParameters = MetricsParameters.omit({ bucket: true });
export type TxsParameters = z.infer<typeof TxsParameters>;

/** `latest` or a block's number. */
export const BlockParameter = z.strictObject({
  number: z.union([z.literal('latest'), whole(0, Number.MAX_SAFE_INTEGER)]),
});

/** Written in any case, answered in lower case. */
export const TxParameter = z.strictObject({
  hash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a transaction hash: 0x and 64 hexadecimal digits')
    .transform((hash) => hash.toLowerCase() as `0x${string}`),
});
