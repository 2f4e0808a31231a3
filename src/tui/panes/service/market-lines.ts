import type { ActionView, CostView, MarketView, StatsView } from '../../../client/views/dashboard.ts';
import { LANES, type LaneName } from '../../../core/advice.ts';
import {
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatPercent,
  formatUsd,
  UNKNOWN,
} from '../../../core/units.ts';
import { type CoinUnit, coinUnit } from '../../coin-unit.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine, type TableColumn } from '../../ui/table.ts';
import type { Line } from '../../ui/text.tsx';
import { fillsFrame, wholeSpan } from '../../ui/time.ts';
import { partLine, partTitle } from './source-lines.ts';
import type { Part, ServiceContext, ServiceView } from './use-service.ts';

const INDENT = 3;
const DAY_SEC = 86_400;
/** Figures older than this say so. */
const FRESH_SEC = 60;

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
    partTitle('Market', marketWords(view, now)),
    ...table.map((line): Line => [{ text: ' '.repeat(INDENT) }, ...line]),
    ...late,
  ];
}

/** What the section says before its table. */
export function marketWords({ snapshot, day, month, symbol }: ServiceView, now: number): Line {
  const market = day.value ?? month.value;
  const saysMore = monthSaysMore(day.value, month.value, snapshot.blockTimestamp ?? now);
  const usd = market?.nativeUsd ?? snapshot.nativeUsd;
  const change = day.value?.nativeUsdChangeRatio ?? null;
  const hour = month.value?.cheapestHourUtc ?? day.value?.cheapestHourUtc ?? null;
  return [
    usd === null
      ? { text: `no ${symbol} price in dollars`, faint: true }
      : { text: `${symbol} ${formatUsd(usd)}${change === null ? '' : ` ${formatChange(change)}`}` },
    ...(hour === null ? [] : [{ text: `  usually cheapest ${String(hour).padStart(2, '0')}:00 UTC` }]),
    ...ageWords(day.value === null ? [month] : [day, ...(saysMore ? [month] : [])], now),
  ];
}

/** `24 h 2m, 30 d 4m ago`: how old figures are that came a while ago. What failed says so on a line of its own. */
function ageWords(parts: readonly Part<MarketView>[], now: number): Line {
  const ages = parts.flatMap(({ value, at, problem }) => {
    const sec = at === null ? 0 : (now - at) / 1_000;
    if (value === null || problem !== null || sec <= FRESH_SEC) return [];
    return [`${nameOf(value)} ${formatDuration(Math.floor(sec / 60) * 60)}`];
  });
  return ages.length === 0 ? [] : [{ text: `  ${ages.join(', ')} ago`, faint: true }];
}

export function statsRows({ day, month, snapshot }: ServiceView, end: number): readonly StatsRow[] {
  const now = Number(snapshot.baseFee);
  const later = monthSaysMore(day.value, month.value, end) ? month.value : null;
  return [statsRow(day.value, end, now), statsRow(later, end, now)].filter((row) => row !== null);
}

/** A history younger than a day is all in the figures of the day. */
function monthSaysMore(day: MarketView | null, month: MarketView | null, end: number): boolean {
  if (day === null || day.base === null || month === null || month.from === null) return true;
  return fillsFrame((end - month.from) / 1_000, DAY_SEC);
}

/** `now`: the base fee of the head, wei; the figures are as old as they are, and it may have left their range since. */
function statsRow(market: MarketView | null, end: number, now: number): StatsRow | null {
  if (market === null || market.base === null) return null;
  const { base, volatility } = market;
  const { changeRatio } = base;
  const stats = {
    ...base,
    now,
    min: Math.min(base.min, now),
    max: Math.max(base.max, now),
    // Of the same `now`: the beginning stays where it was.
    changeRatio:
      changeRatio === null || base.now === 0 ? changeRatio : ((1 + changeRatio) * now) / base.now - 1,
  };
  return { name: spanName(market, end), stats, volatility };
}

/** A history that does not fill the window must not be called by its name. */
function spanName(market: MarketView, end: number): string {
  const { timeFrame, from } = market;
  const wanted = timeFrame === '30d' ? 30 * DAY_SEC : DAY_SEC;
  const named = nameOf(market);
  if (from === null) return named;
  const sec = (end - from) / 1_000;
  return fillsFrame(sec, wanted) ? named : wholeSpan(sec);
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
    { id: 'span', heading: 'gwei', align: 'left', least: 6, rank: 0, cell: ({ name }) => name },
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
      cell: ({ volatility }) => (volatility === null ? UNKNOWN : `±${formatPercent(volatility)}`),
    },
  ];
}

function nameOf({ timeFrame }: MarketView): string {
  return timeFrame.replace(/(\d)([a-z])/, '$1 $2');
}

const WORK_INDENT = 3;

/** What usual work costs now, lane by lane, in the coin and in dollars. */
export function workLines({ day, month, symbol }: ServiceView, context: ServiceContext): readonly Line[] {
  const { theme, width } = context;
  const actions = (day.value ?? month.value)?.actions ?? [];
  if (actions.length === 0) {
    // While figures are awaited or refused the market's own lines say so.
    if (day.value === null) return [];
    return [sectionLine('Usual work', [{ text: 'the service does not price it', faint: true }])];
  }
  const usd = actions.some(({ average }) => average !== null && average.usd !== null);
  const costs = actions.flatMap((action) => LANES.map((lane) => action[lane]?.wei ?? 0n));
  const all = workColumns(usd, coinUnit(costs, symbol));
  const widths = columnWidths(all, actions, theme);
  const columns = columnsWithin(all, widths, width - WORK_INDENT - 1);
  return [
    [{ text: ' Usual work', bold: true }, ...headingPadding(columns, widths, context)],
    ...actions.map(
      (action): Line => [{ text: ' '.repeat(WORK_INDENT) }, ...rowLine(columns, widths, theme, action)],
    ),
  ];
}

/** The headings stand in the section's own line: its name is the first of them. */
function headingPadding(
  columns: readonly TableColumn<ActionView>[],
  widths: ReadonlyMap<string, number>,
  { theme }: ServiceContext,
): Line {
  const text = headingLine(columns, widths, theme)
    .map((span) => span.text)
    .join('');
  return [{ text: text.slice(' Usual work'.length - WORK_INDENT), faint: true }];
}

function workColumns(usd: boolean, unit: CoinUnit): readonly TableColumn<ActionView>[] {
  const coin = (lane: LaneName, rank: number): TableColumn<ActionView> => ({
    id: `${lane} coin`,
    heading: usd ? unit.name : `${lane} ${unit.name}`,
    align: 'right',
    least: usd ? 10 : 11,
    rank,
    cell: (action) => coinText(action[lane], unit),
  });
  const dollars = (lane: LaneName): TableColumn<ActionView> => ({
    id: `${lane} usd`,
    heading: lane,
    align: 'right',
    least: 8,
    rank: 1,
    cell: (action) => usdText(action[lane]),
  });
  return [
    { id: 'name', heading: '', align: 'left', least: 14, rank: 0, cell: ({ name }) => name },
    { id: 'gas', heading: 'gas', align: 'right', least: 7, rank: 4, cell: ({ gas }) => formatCount(gas) },
    ...LANES.flatMap((lane) => {
      // The average lane is the one whose price in coins is looked at first.
      const rank = lane === 'average' ? 2 : 3;
      return usd ? [dollars(lane), coin(lane, rank)] : [coin(lane, 1)];
    }),
  ];
}

function coinText(cost: CostView | null, unit: CoinUnit): string {
  return cost === null ? UNKNOWN : unit.text(cost.wei);
}

function usdText(cost: CostView | null): string {
  return cost === null || cost.usd === null ? UNKNOWN : formatUsd(cost.usd);
}
