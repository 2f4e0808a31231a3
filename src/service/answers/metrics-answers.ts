import { BUCKET_SEC } from '../../contract/choices.ts';
import type { BaseFeeRow, GasUsedRatioRow, PriorityFeeRow } from '../../contract/metrics.ts';
import type { TipPercentile } from '../../core/block.ts';
import type { HistoryStore } from '../../store/history-store.ts';
import type { Rollup } from '../../store/rollup.ts';
import { meanTip } from './chart-answer.ts';
import type { MetricsWindow } from './metrics-window.ts';
import { isoFromSec, wholeWei } from './wire.ts';

/** One page of a window's rows in the envelope that every metric shares. With `tipped` only what has tips is counted. */
export async function metricsAnswer<Row>(
  history: HistoryStore,
  window: MetricsWindow & { readonly tipped?: boolean },
  toRow: (rollup: Rollup) => Row | null,
) {
  const { page, size, bucket } = window;
  const range = { offset: page * size, limit: size };
  const isBlock = bucket === 'block';
  const rollups = isBlock
    ? await history.blocks(window, range)
    : await history.buckets(BUCKET_SEC[bucket], window, range);
  const total = isBlock
    ? await history.countBlocks(window)
    : await history.countBuckets(BUCKET_SEC[bucket], window);
  return {
    chainId: window.chainId,
    from: isoFromSec(window.from),
    to: isoFromSec(window.to),
    bucket,
    page,
    size,
    total,
    data: rollups.map(toRow).filter((row) => row !== null),
  };
}

export function baseFeeRow({ start, lastBlock, base }: Rollup): BaseFeeRow {
  return {
    timestamp: isoFromSec(start),
    blockNumber: lastBlock,
    open: base.open,
    min: base.min,
    mean: wholeWei(base.mean),
    max: base.max,
    close: base.close,
  };
}

export const priorityFeeRow =
  (percentile: TipPercentile) =>
  (rollup: Rollup): PriorityFeeRow | null => {
    const tip = meanTip(rollup, percentile);
    if (tip === null) return null;
    return { timestamp: isoFromSec(rollup.start), blockNumber: rollup.lastBlock, value: wholeWei(tip) };
  };

export function gasUsedRatioRow({ start, lastBlock, ratio }: Rollup): GasUsedRatioRow {
  return { timestamp: isoFromSec(start), blockNumber: lastBlock, mean: ratio.mean, max: ratio.max };
}
