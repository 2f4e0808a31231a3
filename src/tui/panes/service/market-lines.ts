import type { MarketView, StatsView } from '../../../client/views/dashboard.ts';
import { formatChange, formatDuration, formatGwei, formatPercent, formatUsd } from '../../../core/units.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import { known, leftColumn, rightColumn, type TableColumn, tableOf } from '../../ui/table.ts';
import { bold, faint, type Line, plain } from '../../ui/text.tsx';
import { fillsFrame, wholeSpan } from '../../ui/time.ts';
import { workColumns } from '../work-table.ts';
import { indented, type Part, partTitle, type ServiceContext, stateOf } from './service-parts.ts';

const DAY_SEC = 86_400;
const FRESH_SEC = 60;

interface StatsRow {
  readonly name: string;
  readonly stats: StatsView;
  readonly volatility: number | null;
}

/** The base fee over a day and a month, and the coin's price. */
export function marketLines(context: ServiceContext): readonly Line[] {
  const { snapshot, day, month, now, width } = context;
  const young = month.data;
  const end = snapshot.blockTimestamp ?? now;
  const reachSec = ({ from }: MarketView) =>
    from === null ? Number.POSITIVE_INFINITY : (end - from) / 1_000;
  // A history younger than a day is covered by the day's figures.
  const isYoung = day.data?.base != null && young !== undefined && !fillsFrame(reachSec(young), DAY_SEC);
  const shown = isYoung ? [day] : [day, month];
  const rows = shown.flatMap(({ data }) =>
    data === undefined ? [] : statsRows(data, reachSec(data), Number(snapshot.baseFee)),
  );
  const { heading, lines } = tableOf({ columns: STATS_COLUMNS, rows, width }, context);
  const late = [...stateOf('24 h figures', day, context), ...stateOf('30 d figures', month, context)];
  return [
    partTitle('Market', marketWords(context, shown)),
    ...(rows.length === 0 ? [] : [heading, ...lines]),
    ...late.map(indented),
  ];
}

function marketWords(context: ServiceContext, shown: readonly Part<MarketView>[]): Line {
  const { snapshot, symbol, now } = context;
  const [day, month] = [context.day.data, context.month.data];
  const usd = (day ?? month)?.nativeUsd ?? snapshot.nativeUsd;
  const change = day?.nativeUsdChangeRatio ?? null;
  const hour = month?.cheapestHourUtc ?? day?.cheapestHourUtc ?? null;
  // The age of stale figures: `24 h 2m, 30 d 4m ago`. An error has its own line.
  const ages = shown.flatMap(({ data, at, error }) => {
    const sec = data === undefined ? 0 : (now - at) / 1_000;
    if (data === undefined || error !== null || sec <= FRESH_SEC) return [];
    return [`${nameOf(data)} ${formatDuration(Math.floor(sec / 60) * 60)}`];
  });
  return [
    usd === null
      ? faint(`no ${symbol} price in dollars`)
      : plain(`${symbol} ${formatUsd(usd)}${change === null ? '' : ` ${formatChange(change)}`}`),
    plain(hour === null ? '' : `  usually cheapest ${String(hour).padStart(2, '0')}:00 UTC`),
    faint(ages.length === 0 ? '' : `  ${ages.join(', ')} ago`),
  ];
}

/** `now`: base fee of the head, wei, which may have left the range of older figures. */
function statsRows(market: MarketView, sec: number, now: number): readonly StatsRow[] {
  const { base, volatility, timeFrame } = market;
  if (base === null) return [];
  const { changeRatio: ratio } = base;
  // Against the same `now`; the start of the window is unchanged.
  const changeRatio = ratio === null || base.now === 0 ? ratio : ((1 + ratio) * now) / base.now - 1;
  const stats = { ...base, now, min: Math.min(base.min, now), max: Math.max(base.max, now), changeRatio };
  // A shorter history must not be called by the window's name.
  const isWhole = fillsFrame(sec, timeFrame === '30d' ? 30 * DAY_SEC : DAY_SEC);
  return [{ name: isWhole ? nameOf(market) : wholeSpan(sec), stats, volatility }];
}

function nameOf({ timeFrame }: MarketView): string {
  return timeFrame.replace(/(\d)([a-z])/, '$1 $2');
}

const price = (id: 'now' | 'min' | 'p10' | 'median' | 'mean' | 'p90' | 'max', rank: number) =>
  rightColumn<StatsRow>(id, 7, rank, ({ stats }) => known(stats[id], formatGwei));

const STATS_COLUMNS: readonly TableColumn<StatsRow>[] = [
  leftColumn('gwei', 6, 0, ({ name }) => name),
  price('now', 1),
  price('min', 2),
  price('p10', 8),
  price('median', 4),
  price('mean', 5),
  price('p90', 9),
  price('max', 3),
  rightColumn('change', 8, 7, ({ stats }) => known(stats.changeRatio, (ratio) => formatChange(ratio))),
  rightColumn('volatility', 10, 6, (row) => known(row.volatility, (ratio) => `±${formatPercent(ratio)}`)),
];

/** Present costs of usual actions, lane by lane, in the coin and in dollars. */
export function workLines(context: ServiceContext): readonly Line[] {
  const { snapshot, day, month, symbol, width } = context;
  const actions = (day.data ?? month.data)?.actions ?? [];
  if (actions.length === 0) {
    // While figures are loading or refused, the market's own lines say so.
    if (day.data === undefined) return [];
    return [sectionLine('Usual work', [faint('the service does not price it')])];
  }
  const { heading, lines } = tableOf(
    { columns: workColumns(snapshot, symbol, ''), rows: actions, width },
    context,
  );
  // The headings share the section's line.
  const title = ' Usual work';
  const headings = heading.map(({ text }) => text).join('');
  return [[bold(title), faint(headings.slice(title.length))], ...lines];
}
