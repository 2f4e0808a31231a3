import type { BlockView } from '../../../client/views/explorer.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type {
  BaseFeeRowView,
  GasUsedRatioRowView,
  PriorityFeeRowView,
} from '../../../client/views/metrics.ts';

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
  const put = (key: string, at: At, value: Partial<BlockRow>) =>
    rows.set(key, { ...(rows.get(key) ?? emptyRow(at)), ...value });
  for (const [key, row] of keyed(series.baseFees)) put(key, row, { baseFee: row.mean });
  for (const [key, row] of keyed(series.gasUsedRatios)) put(key, row, { gasUsedRatio: row.mean });
  for (const [key, row] of keyed(series.tips)) put(key, row, { tip: row.value });
  const { blockNumber, blockTimestamp, baseFee, gasUsedRatio } = snapshot;
  if (blockNumber !== null && blockTimestamp !== null && !rows.has(String(blockNumber))) {
    const head = { timestamp: blockTimestamp, blockNumber };
    put(String(blockNumber), head, { baseFee: Number(baseFee), gasUsedRatio });
  }
  const newest = [...rows.values()].sort(newestFirst).slice(0, most + 1);
  return newest.slice(0, most).map((row, place) => ({ ...row, change: changeOf(row, newest[place + 1]) }));
}

interface At {
  readonly timestamp: number;
  readonly blockNumber: number | null;
}

/**
 * What the rows of one block have in common: its number or, where the service gives none, its time to the second and
 * its place among the blocks of that second. Services take the milliseconds from here and there.
 */
function keyed<Row extends At>(rows: readonly Row[]): readonly (readonly [key: string, row: Row])[] {
  const perSecond = new Map<number, number>();
  return rows.map((row) => {
    if (row.blockNumber !== null) return [String(row.blockNumber), row] as const;
    const second = Math.round(row.timestamp / 1_000);
    const place = perSecond.get(second) ?? 0;
    perSecond.set(second, place + 1);
    return [`at ${second} ${place}`, row] as const;
  });
}

function emptyRow(at: At): BlockRow {
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
