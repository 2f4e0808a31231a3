import {
  BUCKET_SEC,
  fittingBucket,
  METRICS_ROWS_MAX,
  TIME_FRAME_SEC,
  type TimeFrame,
} from '../../contract/choices.ts';
import { type MetricsParameters, PAGE_SIZE_DEFAULT } from '../../contract/queries.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { HistoryStore, Window } from '../../store/history.ts';
import type { Rollup } from '../../store/rollups.ts';
import { invalidField } from '../http/errors.ts';
import { isoFromSec } from './wire.ts';

const DEFAULT_WINDOW_SEC = 3_600;
const FITTING_ROWS = 750;
export interface MetricsContext {
  readonly store: HistoryStore;
  readonly profile: ChainProfile;
  /** End of the last hour, and the chain's present; Unix seconds. */
  readonly end: number;
  readonly now: number;
}

/** The last hour, day, week or month. */
export const timeFrameWindow = ({ end }: Pick<MetricsContext, 'end'>, timeFrame: TimeFrame): Window => ({
  from: end - TIME_FRAME_SEC[timeFrame],
  to: end,
});

/**
 * Checked metrics parameters; times in Unix seconds, both inclusive. Its start is moved into the stored history.
 * @throws {ApiFailure} that names the invalid parameter
 */
export async function metricsWindow(asked: MetricsParameters, context: MetricsContext) {
  const { store, profile, now } = context;
  const to = asked.to === undefined ? context.end : Math.min(seconds(asked.to), now);
  const from = asked.from === undefined ? null : seconds(asked.from);
  if (from !== null && from > now) throw invalidField('from', 'must not be in the future');
  if (from !== null && asked.to !== undefined && from >= seconds(asked.to)) {
    throw invalidField('from', 'must be before to');
  }
  const start = from ?? to - DEFAULT_WINDOW_SEC;
  const bucket = asked.bucket ?? fittingBucket(to - start, profile.feeRule.blockTimeSec, FITTING_ROWS);
  const bucketSec = bucket === 'block' ? null : BUCKET_SEC[bucket];
  const oldest = await store.reachesBackTo(bucketSec);
  if (oldest === null) throw invalidField('from', 'is before the stored history, which is still empty');
  if (to < oldest) {
    throw invalidField('to', `is before the stored history, which begins at ${isoFromSec(oldest)}`);
  }
  return {
    from: Math.max(start, oldest),
    to,
    bucket,
    /** `null`: single blocks. */
    bucketSec,
    /** `null`: the whole window, at most {@link METRICS_ROWS_MAX} of its newest rows. */
    paging:
      asked.page === undefined && asked.size === undefined
        ? null
        : { page: asked.page ?? 0, size: asked.size ?? PAGE_SIZE_DEFAULT },
  };
}

const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);

/** A window's buckets in the envelope of all metrics, each with its `figures`; `null` leaves one out. With `tipped` counts only those with tips. */
export async function metricsResponse<Figures extends object>(
  asked: MetricsParameters,
  context: MetricsContext,
  figures: (rollup: Rollup) => Figures | null,
  tipped = false,
) {
  const { store, profile } = context;
  const { bucket, bucketSec, paging, ...window } = { ...(await metricsWindow(asked, context)), tipped };
  const total = await store.countBuckets(bucketSec, window);
  const size = paging?.size ?? METRICS_ROWS_MAX;
  const left = paging === null ? Math.max(total - size, 0) : 0;
  const range = { offset: left + (paging?.page ?? 0) * size, limit: size };
  const rollups = await store.buckets(bucketSec, window, range);
  const oldest = left > 0 ? rollups[0] : undefined;
  return {
    chainId: profile.id,
    from: isoFromSec(oldest?.start ?? window.from),
    to: isoFromSec(window.to),
    bucket,
    page: paging?.page ?? 0,
    size,
    total: total - left,
    data: rollups.flatMap((rollup) => {
      const found = figures(rollup);
      const at = { timestamp: isoFromSec(rollup.start), blockNumber: rollup.last_block };
      return found === null ? [] : [{ ...at, ...found }];
    }),
  };
}
