import { BUCKET_SEC, type Bucket } from '../../contract/choices.ts';
import { type MetricsParameters, PAGE_SIZE_DEFAULT } from '../../contract/queries.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { HistoryStore } from '../../store/history-store.ts';
import { invalidParameter } from '../http/api-failure.ts';
import { isoFromSec } from './wire.ts';

const DEFAULT_WINDOW_SEC = 3_600;
/** Rows that a bucket chosen by us may give. */
const FITTING_ROWS = 750;
/** A window may begin this many blocks before the history does: blocks do not fall on whole windows. */
const SLACK_BLOCKS = 5;

/** A checked metrics question; times in Unix seconds, both inclusive. */
export interface MetricsWindow {
  readonly chainId: number;
  readonly from: number;
  readonly to: number;
  readonly bucket: Bucket;
  readonly page: number;
  readonly size: number;
}

export interface MetricsContext {
  readonly store: HistoryStore;
  readonly profile: ChainProfile;
  /** Where the last hour ends, and the chain's present; Unix seconds. */
  readonly end: number;
  readonly now: number;
}

/** @throws {ApiFailure} that names the parameter which makes no sense or lies outside the stored history. */
export async function metricsWindow(
  asked: MetricsParameters,
  context: MetricsContext,
): Promise<MetricsWindow> {
  const { store, profile, now } = context;
  const to = asked.to === undefined ? context.end : Math.min(seconds(asked.to), now);
  const from = asked.from === undefined ? null : seconds(asked.from);
  if (from !== null && from > now) throw invalidParameter('from', 'must not be in the future');
  if (from !== null && asked.to !== undefined && from >= seconds(asked.to)) {
    throw invalidParameter('from', 'must be before to');
  }
  const length = from === null ? DEFAULT_WINDOW_SEC : to - from;
  const bucket = asked.bucket ?? fittingBucket(length, profile.feeRule.blockTimeSec);
  const bucketSec = bucket === 'block' ? null : BUCKET_SEC[bucket];
  const oldest = await store.reachesBackTo(bucketSec);
  if (oldest === null) throw invalidParameter('from', 'is before the stored history, which is still empty');
  const reach = oldest - Math.max(SLACK_BLOCKS * profile.feeRule.blockTimeSec, bucketSec ?? 0);
  if (from !== null && from < reach) {
    throw invalidParameter('from', `is before the stored history, which begins at ${isoFromSec(oldest)}`);
  }
  if (to < reach) {
    throw invalidParameter('to', `is before the stored history, which begins at ${isoFromSec(oldest)}`);
  }
  return {
    chainId: profile.id,
    from: from ?? Math.max(to - DEFAULT_WINDOW_SEC, Math.min(oldest, to)),
    to,
    bucket,
    page: asked.page ?? 0,
    size: asked.size ?? PAGE_SIZE_DEFAULT,
  };
}

const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);

/** The finest bucket that does not drown the reader. */
function fittingBucket(lengthSec: number, blockTimeSec: number): Bucket {
  if (lengthSec / blockTimeSec <= FITTING_ROWS) return 'block';
  for (const bucket of ['1m', '5m', '1h'] as const) {
    if (lengthSec / BUCKET_SEC[bucket] <= FITTING_ROWS) return bucket;
  }
  return '1d';
}
