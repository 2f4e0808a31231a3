import type { MarketView, StatsView } from '../../../client/views/market.ts';
import { formatChange, formatGwei, formatPercent, formatUsd, UNKNOWN } from '../../../core/units.ts';
import type { Line } from '../../lines.ts';
import { columnsWithin, columnWidths, headingLine, rowLine, type TableColumn } from '../../table.ts';
import { wholeSpan } from '../../whole-span.ts';
import { partLine, partTitle } from './part-line.ts';
import type { Part, ServiceContext, ServiceView } from './service-view.ts';

const INDENT = 3;
/** Bucketed history begins up to an hour inside its window. */
const NEARLY = 0.95;

export interface StatsRow {
  readonly name: string;
  readonly stats: StatsView;
  readonly volatility: number | null;
}

/** How the base fee was over a day and a month, and what the coin is worth. */
export function marketLines(view: ServiceView, context: ServiceContext): readonly Line[] {
  const { day, month, snapshot } = view;
  const { theme, width, now } = context;
  const end = snapshot.blockTimestamp ?? now;
  const rows = statsRows(view, end);
  const late = [partLine('24 h figures', day, now), partLine('30 d figures', month, now)]
    .filter((line) => line !== null)
    .map((line): Line => [{ text: ' '.repeat(INDENT) }, ...line]);
  const all = statsColumns();
  const widths = columnWidths(all, rows, theme);
  const columns = columnsWithin(all, widths, width - INDENT - 1);
  const table =
    rows.length === 0
      ? []
      : [headingLine(columns, widths, theme), ...rows.map((row) => rowLine(columns, widths, theme, row))];
  return [
    partTitle('Market', marketWords(view)),
    ...table.map((line): Line => [{ text: ' '.repeat(INDENT) }, ...line]),
    ...late,
  ];
}

/** What the section says before its table. */
export function marketWords({ snapshot, day, month, symbol }: ServiceView): Line {
  const market = day.value ?? month.value;
  const usd = market?.nativeUsd ?? snapshot.nativeUsd;
  const change = day.value?.nativeUsdChangeRatio ?? null;
  const hour = month.value?.cheapestHourUtc ?? day.value?.cheapestHourUtc ?? null;
  return [
    usd === null
      ? { text: `no ${symbol} price in dollars`, faint: true }
      : { text: `${symbol} ${formatUsd(usd)}${change === null ? '' : ` ${formatChange(change)}`}` },
    ...(hour === null ? [] : [{ text: `  cheapest ${String(hour).padStart(2, '0')}:00 UTC` }]),
    { text: '  fees in gwei', faint: true },
  ];
}

export function statsRows({ day, month }: ServiceView, end: number): readonly StatsRow[] {
  return [statsRow(day.value, end), statsRow(month.value, end)].filter((row) => row !== null);
}

function statsRow(market: Part<MarketView>['value'], end: number): StatsRow | null {
  if (market === null || market.base === null) return null;
  return { name: spanName(market, end), stats: market.base, volatility: market.volatility };
}

/** A history that does not fill the window must not be called by its name. */
function spanName({ timeFrame, from }: MarketView, end: number): string {
  const wanted = timeFrame === '30d' ? 30 * 86_400 : 86_400;
  const named = timeFrame.replace(/(\d)([a-z])/, '$1 $2');
  if (from === null) return named;
  const sec = (end - from) / 1_000;
  return sec >= wanted * NEARLY ? named : wholeSpan(sec);
}

function statsColumns(): readonly TableColumn<StatsRow>[] {
  const price = (
    id: 'now' | 'min' | 'p10' | 'median' | 'mean' | 'p90' | 'max',
    rank: number,
  ): TableColumn<StatsRow> => ({
    id,
    heading: id,
    align: 'right',
    least: 7,
    rank,
    cell: ({ stats }) => {
      const wei = stats[id];
      return wei === null ? UNKNOWN : formatGwei(wei);
    },
  });
  return [
    { id: 'span', heading: 'over', align: 'left', least: 6, rank: 0, cell: ({ name }) => name },
    price('now', 1),
    price('min', 2),
    price('p10', 8),
    price('median', 4),
    price('mean', 5),
    price('p90', 9),
    price('max', 3),
    {
      id: 'change',
      heading: 'change',
      align: 'right',
      least: 8,
      rank: 7,
      cell: ({ stats }) => (stats.changeRatio === null ? UNKNOWN : formatChange(stats.changeRatio)),
    },
    {
      id: 'volatility',
      heading: 'volatility',
      align: 'right',
      least: 10,
      rank: 6,
      cell: ({ volatility }) => (volatility === null ? UNKNOWN : formatPercent(volatility)),
    },
  ];
}
