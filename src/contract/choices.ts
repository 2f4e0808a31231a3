/**
 * What a question may choose between. No schemas here: the monitor draws its first frame before it loads those.
 */

/** How far back a chart reaches. */
export const TIME_FRAMES = ['1h', '24h', '7d', '30d'] as const;
export type TimeFrame = (typeof TIME_FRAMES)[number];

/** Length of a time frame in seconds. */
export const TIME_FRAME_SEC: Readonly<Record<TimeFrame, number>> = {
  '1h': 3_600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
};

/** What a row of metrics stands for: one block, or a stretch of time. */
export const BUCKETS = ['block', '1m', '5m', '1h', '1d'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Length of a bucket in seconds; a block has none. */
export const BUCKET_SEC: Readonly<Record<Exclude<Bucket, 'block'>, number>> = {
  '1m': 60,
  '5m': 300,
  '1h': 3_600,
  '1d': 86_400,
};

/** Percentiles of the tips in a block. */
export const PERCENTILES = ['p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99'] as const;
export type Percentile = (typeof PERCENTILES)[number];
