import type { BlockView } from '../../../client/views/explorer.ts';
import type {
  BaseFeeRowView,
  GasUsedRatioRowView,
  PriorityFeeRowView,
} from '../../../client/views/metrics.ts';
import type { SnapshotView } from '../../../client/views/snapshot.ts';

/** One block of the list; prices in wei per gas. `null`: the service has not said. */
export interface BlockRow {
  /** `null`: a service that gives rows by time alone; such a block cannot be opened. */
  readonly number: number | null;
  /** Ms since epoch. */
  readonly timestamp: number;
  readonly baseFee: number | null;
  /** Against the block before it, where that one is in the list. */
  readonly change: number | null;
  readonly gasUsedRatio: number | null;
  /** Median tip. */
  readonly tip: number | null;
  /** The whole block, where it has been asked for. */
  readonly details: BlockView | null;
}

export interface BlockSeries {
  readonly baseFees: readonly BaseFeeRowView[];
  readonly gasUsedRatios: readonly GasUsedRatioRowView[];
  readonly tips: readonly PriorityFeeRowView[];
}

/** The last blocks of `series`, newest first, at most `most`; the head is there as soon as the snapshot knows it. */
export function blockRows(series: BlockSeries, snapshot: SnapshotView, most: number): readonly BlockRow[] {
  const rows = new Map<string, BlockRow>();
  const put = (
    at: { readonly timestamp: number; readonly blockNumber: number | null },
    value: Partial<BlockRow>,
  ) => {
    const key = at.blockNumber === null ? `at ${at.timestamp}` : String(at.blockNumber);
    rows.set(key, { ...(rows.get(key) ?? emptyRow(at)), ...value });
  };
  for (const row of series.baseFees) put(row, { baseFee: row.mean });
  for (const row of series.gasUsedRatios) put(row, { gasUsedRatio: row.mean });
  for (const row of series.tips) put(row, { tip: row.value });
  const { blockNumber, blockTimestamp, baseFee, gasUsedRatio } = snapshot;
  if (blockNumber !== null && blockTimestamp !== null && !rows.has(String(blockNumber))) {
    put({ timestamp: blockTimestamp, blockNumber }, { baseFee: Number(baseFee), gasUsedRatio });
  }
  const newest = [...rows.values()].sort(newestFirst).slice(0, most + 1);
  return newest.slice(0, most).map((row, place) => ({ ...row, change: changeOf(row, newest[place + 1]) }));
}

function emptyRow(at: { readonly timestamp: number; readonly blockNumber: number | null }): BlockRow {
  return {
    number: at.blockNumber,
    timestamp: at.timestamp,
    baseFee: null,
    change: null,
    gasUsedRatio: null,
    tip: null,
    details: null,
  };
}

function newestFirst(one: BlockRow, other: BlockRow): number {
  if (one.number !== null && other.number !== null) return other.number - one.number;
  return other.timestamp - one.timestamp;
}

function changeOf(row: BlockRow, before: BlockRow | undefined): number | null {
  if (before === undefined || row.baseFee === null || before.baseFee === null || before.baseFee === 0)
    return null;
  if (row.number !== null && before.number !== row.number - 1) return null;
  return row.baseFee / before.baseFee - 1;
}

/** `row` with what its own question has brought. */
export function withDetails(row: BlockRow, details: BlockView | undefined): BlockRow {
  if (details === undefined) return row;
  return {
    ...row,
    gasUsedRatio: details.gasUsedRatio ?? row.gasUsedRatio,
    tip: details.tips?.p50 ?? row.tip,
    details,
  };
}
