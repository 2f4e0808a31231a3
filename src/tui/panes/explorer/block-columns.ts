import { formatCount, formatDuration, formatGwei, formatNative, UNKNOWN } from '../../../core/units.ts';
import type { TableColumn } from '../../ui/table.ts';
import type { Theme } from '../../ui/theme.ts';
import { clockText, type OffsetAt } from '../../ui/time.ts';
import type { BlockRow } from './block-rows.ts';
import { changeLine } from './change-line.ts';
import { fullnessLine } from './fullness.ts';

/** From this width on blocks are asked for one by one: there is room for what only they say. */
export const DETAILS_FROM = 104;

export interface BlockColumnsContext {
  /** Of the pane. */
  readonly width: number;
  /** What ages are counted from, ms. */
  readonly present: number;
  readonly symbol: string;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
}

/** The columns of the list of blocks, left to right. */
export function blockColumns(context: BlockColumnsContext): readonly TableColumn<BlockRow>[] {
  const { width, present, symbol, offsetAt, theme } = context;
  const gwei = (wei: number | null | undefined) => (wei == null ? UNKNOWN : formatGwei(wei));
  const count = (value: number | null | undefined) => (value == null ? UNKNOWN : formatCount(value));
  const bar = barCells(width);
  const columns: readonly TableColumn<BlockRow>[] = [
    {
      id: 'block',
      heading: 'block',
      align: 'right',
      least: 6,
      rank: 0,
      cell: ({ number }) => (number === null ? UNKNOWN : formatCount(number)),
    },
    {
      id: 'age',
      heading: 'age',
      align: 'right',
      least: 6,
      rank: 3,
      cell: ({ timestamp }) => formatDuration((present - timestamp) / 1_000),
    },
    {
      id: 'base',
      heading: 'base fee',
      align: 'right',
      least: 8,
      rank: 0,
      cell: ({ baseFee }) => [{ text: gwei(baseFee), bold: true }],
    },
    {
      id: 'change',
      heading: 'change',
      align: 'right',
      least: 9,
      rank: 4,
      cell: ({ change }) => (change === null ? UNKNOWN : changeLine(change, theme)),
    },
    {
      id: 'full',
      heading: 'gas used',
      align: 'left',
      least: bar + 6,
      rank: 1,
      cell: ({ gasUsedRatio }) => (gasUsedRatio === null ? UNKNOWN : fullnessLine(gasUsedRatio, bar, theme)),
    },
    { id: 'tip', heading: 'tip p50', align: 'right', least: 7, rank: 2, cell: ({ tip }) => gwei(tip) },
    {
      id: 'tips',
      heading: 'p25 – p95',
      align: 'right',
      least: 15,
      rank: 5,
      cell: ({ details }) =>
        details?.tips == null ? UNKNOWN : `${gwei(details.tips.p25)} – ${gwei(details.tips.p95)}`,
    },
    {
      id: 'txs',
      heading: 'txs',
      align: 'right',
      least: 5,
      rank: 6,
      cell: ({ details }) => count(details?.transactionCount),
    },
    {
      id: 'burnt',
      heading: `burnt ${symbol}`,
      align: 'right',
      least: 10,
      rank: 7,
      cell: ({ details }) =>
        details?.burntWei == null
          ? UNKNOWN
          : formatNative(details.burntWei, symbol).replace(` ${symbol}`, ''),
    },
    {
      id: 'time',
      heading: 'time',
      align: 'right',
      least: 8,
      rank: 8,
      cell: ({ timestamp }) => clockText(timestamp, offsetAt, true),
    },
  ];
  return width < DETAILS_FROM ? columns.filter(({ id }) => !FROM_DETAILS.has(id)) : columns;
}

const FROM_DETAILS = new Set(['tips', 'txs', 'burnt']);

function barCells(width: number): number {
  if (width < 72) return 6;
  return width < 150 ? 10 : 20;
}

/** Columns without a single value say nothing: a foreign service or a recording may know less than ours. */
export function columnsWithValues(
  columns: readonly TableColumn<BlockRow>[],
  rows: readonly BlockRow[],
): readonly TableColumn<BlockRow>[] {
  return columns.filter(({ id, cell }) => id === 'block' || rows.some((row) => cell(row) !== UNKNOWN));
}
