/** The choices of parameters. No schemas here: the monitor draws its first frame before it loads those. */

export const TIME_FRAMES = ['1h', '24h', '7d', '30d'] as const;
export type TimeFrame = (typeof TIME_FRAMES)[number];

export const TIME_FRAME_SEC = { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;

/** The span of a metrics row: one block, or a time. */
export const BUCKETS = ['block', '1m', '5m', '1h', '1d'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Length of a bucket in seconds; a block has none. */
export const BUCKET_SEC = { '1m': 60, '5m': 300, '1h': 3_600, '1d': 86_400 } as const;

/** Percentiles of the tips in a block. */
export const PERCENTILES = ['p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99'] as const;
/** The lanes. */
export const GAS_SPEEDS = ['SLOW', 'AVERAGE', 'FAST'] as const;
/** Whose price an alert watches: a lane's, or the blob base fee. */
export const ALERT_SPEEDS = [...GAS_SPEEDS, 'BLOB'] as const;
export const LANE_OF_SPEED = { SLOW: 'slow', AVERAGE: 'average', FAST: 'fast', BLOB: 'blob' } as const;
export const SPEED_OF_LANE = { slow: 'SLOW', average: 'AVERAGE', fast: 'FAST', blob: 'BLOB' } as const;
export const ALERT_CONDITIONS = ['LESS_THAN', 'GREATER_THAN'] as const;
export const ALERT_STATUSES = ['PENDING', 'DISABLED'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];
/** State of a delivery to one channel for one firing. */
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const;
export const COOLDOWN_DEFAULT_MS = 3_600_000;
export const COOLDOWN_LONGEST_MS = 30 * 86_400_000;
export const COOLDOWN_PRESETS_MS = [1_800_000, 3_600_000, 14_400_000, 86_400_000] as const;
export const NOTE_LONGEST = 500;
export const CONFIRM_BLOCKS_MOST = 1_000;
export const SAVINGS_GAS_MOST = 1_000_000_000;

export const AUTO_TX_STATUSES = [
  ...(['DRAFT', 'PENDING', 'DISABLED', 'SUBMITTED'] as const),
  ...(['EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED'] as const),
] as const;
export type AutoTxStatus = (typeof AUTO_TX_STATUSES)[number];
export const EXPIRY_LONGEST_MS = 366 * 86_400_000;
/** Lists leave out calldata longer than this many characters. */
export const LISTED_DATA_LONGEST = 2_050;
/** Signed transactions as hex: six blobs with their proofs take 1.6 million characters. */
export const SIGNED_LONGEST = 4_000_000;
/** Bytes of a request with a signed transaction, over HTTP or MCP, which has a few small fields besides. */
export const SIGNED_BODY_BYTES = SIGNED_LONGEST + 16_384;
/** Calldata as hex: nodes take no transaction above 128 kB. */
export const CALLDATA_LONGEST = 2 + 2 * 131_072;
export const CHECK_RESULTS = ['pass', 'wait', 'block', 'unknown'] as const;
export const CHECK_NAMES = [
  ...['chain', 'signature', 'key', 'delegation', 'nonce', 'nonce-gap', 'balance', 'cap', 'blob-cap'],
  ...['intrinsic-gas', 'expiry', 'deadline', 'reachable', 'cost'],
];
export const CODE_KINDS = ['none', 'contract', 'delegated'] as const;
export const MOST_GWEI = 1_000_000;
/** Of an auto-tx in all. */
export const MOST_COST_USD = 1_000_000;
export const PAGE_SIZE_MAX = 500;
/** Maximum rows of a metrics window without paging. */
export const METRICS_ROWS_MAX = 1_000;

/** The finest bucket with which a window has at most `mostRows`: no single blocks where their time is `null`. */
export function fittingBucket(
  spanSec: number,
  blockTimeSec: number | null,
  mostRows = METRICS_ROWS_MAX,
): Bucket {
  if (blockTimeSec !== null && spanSec / blockTimeSec <= mostRows) return 'block';
  const timed = ['1m', '5m', '1h'] as const;
  return timed.find((bucket) => spanSec / BUCKET_SEC[bucket] <= mostRows) ?? '1d';
}

/** How long a user can wait with a transaction, in seconds. */
export const PATIENCE_SEC = { least: 300, default: 3_600, most: 86_400 } as const;
export const LONGEST_DEADLINE_SEC = 7 * 86_400;

/** Bounds of a rule in dollars or against history; `core/threshold` reads the written forms by the same. */
export const WORK_WORDS: readonly string[] = ['eth', 'approve', 'transfer', 'mint', 'swap'];
export const WORK_GAS = { least: 21_000, most: 1_000_000_000 };
export const WINDOW_SEC = { least: 3_600, most: 30 * 86_400 };
export const THRESHOLD_LEAST_USD = 1e-9;
export const THRESHOLD_LEAST_RATIO = 1e-6;
