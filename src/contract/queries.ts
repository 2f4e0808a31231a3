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
