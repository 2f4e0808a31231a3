import { BUCKET_SEC, type Bucket, METRICS_ROWS_MAX } from '../../contract/choices.ts';
import type { BaseFeeRow, GasUsedRatioRow, Percentile, PriorityFeeRow } from '../../contract/metrics.ts';
import { type MetricsParameters, PAGE_SIZE_DEFAULT } from '../../contract/queries.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { HistoryStore } from '../../store/history.ts';
import type { Rollup } from '../../store/rollups.ts';
import { invalidField } from '../http/errors.ts';
import { isoFromSec, wholeWei } from './wire.ts';

const DEFAULT_WINDOW_SEC = 3_600;
const FITTING_ROWS = 750;
/** Checked metrics parameters; times in Unix seconds, both inclusive. */
interface MetricsWindow {
  readonly chainId: number;
  readonly from: number;
  readonly to: number;
  readonly bucket: Bucket;
  /** `null`: the whole window, at most {@link METRICS_ROWS_MAX} of its newest rows. */
  readonly paging: { readonly page: number; readonly size: number } | null;
}

export interface MetricsContext {
  readonly store: HistoryStore;
  readonly profile: ChainProfile;
  /** End of the last hour, and the chain's present; Unix seconds. */
  readonly end: number;
  readonly now: number;
}

/** Moves its start into the stored history. @throws {ApiFailure} that names the invalid parameter */
export async function metricsWindow(
  asked: MetricsParameters,
  context: MetricsContext,
): Promise<MetricsWindow> {
  const { store, profile, now } = context;
  const to = asked.to === undefined ? context.end : Math.min(seconds(asked.to), now);
  const from = asked.from === undefined ? null : seconds(asked.from);
  if (from !== null && from > now) throw invalidField('from', 'must not be in the future');
  if (from !== null && asked.to !== undefined && from >= seconds(asked.to)) {
    throw invalidField('from', 'must be before to');
  }
  const start = from ?? to - DEFAULT_WINDOW_SEC;
  const bucket = asked.bucket ?? fittingBucket(to - start, profile.feeRule.blockTimeSec);
  const bucketSec = bucket === 'block' ? null : BUCKET_SEC[bucket];
  const oldest = await store.reachesBackTo(bucketSec);
  if (oldest === null) throw invalidField('from', 'is before the stored history, which is still empty');
  if (to < oldest) {
    throw invalidField('to', `is before the stored history, which begins at ${isoFromSec(oldest)}`);
  }
  return {
    chainId: profile.id,
    from: Math.max(start, oldest),
    to,
    bucket,
    paging:
      asked.page === undefined && asked.size === undefined
        ? null
        : { page: asked.page ?? 0, size: asked.size ?? PAGE_SIZE_DEFAULT },
  };
}

const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);

function fittingBucket(lengthSec: number, blockTimeSec: number): Bucket {
  if (lengthSec / blockTimeSec <= FITTING_ROWS) return 'block';
  for (const bucket of ['1m', '5m', '1h'] as const) {
    if (lengthSec / BUCKET_SEC[bucket] <= FITTING_ROWS) return bucket;
  }
  return '1d';
}

/** A window's rows in the envelope of all metrics. With `tipped` counts only rows with tips. */
export async function metricsResponse<Row>(
  history: HistoryStore,
  window: MetricsWindow & { readonly tipped?: boolean },
  toRow: (rollup: Rollup) => Row | null,
) {
  const { bucket, paging } = window;
  const isBlock = bucket === 'block';
  const total = isBlock
    ? await history.countBlocks(window)
    : await history.countBuckets(BUCKET_SEC[bucket], window);
  const size = paging?.size ?? METRICS_ROWS_MAX;
  const left = paging === null ? Math.max(total - size, 0) : 0;
  const range = { offset: left + (paging?.page ?? 0) * size, limit: size };
  const rollups = isBlock
    ? await history.blocks(window, range)
    : await history.buckets(BUCKET_SEC[bucket], window, range);
  const oldest = left > 0 ? rollups[0] : undefined;
  return {
    chainId: window.chainId,
    from: isoFromSec(oldest?.start ?? window.from),
    to: isoFromSec(window.to),
    bucket,
    page: paging?.page ?? 0,
    size,
    total: total - left,
    data: rollups.map(toRow).filter((row) => row !== null),
  };
}

export function baseFeeRow(rollup: Rollup): BaseFeeRow {
  return {
    timestamp: isoFromSec(rollup.start),
    blockNumber: rollup.last_block,
    open: rollup.base_open,
    min: rollup.base_min,
    mean: wholeWei(rollup.base_mean),
    max: rollup.base_max,
    close: rollup.base_close,
  };
}

export const priorityFeeRow =
  (percentile: Percentile) =>
  (rollup: Rollup): PriorityFeeRow | null => {
    const tip = rollup[`tip_${percentile}`];
    if (tip === null) return null;
    return { timestamp: isoFromSec(rollup.start), blockNumber: rollup.last_block, value: wholeWei(tip) };
  };

export function gasUsedRatioRow({ start, last_block, ratio_mean, ratio_max }: Rollup): GasUsedRatioRow {
  return { timestamp: isoFromSec(start), blockNumber: last_block, mean: ratio_mean, max: ratio_max };
}
