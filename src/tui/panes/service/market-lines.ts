import type { ActionView, MarketView, StatsView } from '../../../client/views/dashboard.ts';
import { LANES } from '../../../core/advice.ts';
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
import { leftColumn, rightColumn, type TableColumn, tableOf } from '../../ui/table.ts';
import type { Line } from '../../ui/text.tsx';
import { fillsFrame, wholeSpan } from '../../ui/time.ts';
import { indented, type Part, partLine, partTitle, type ServiceContext } from './service-parts.ts';

const DAY_SEC = 86_400;
/** Figures older than this say so. */
const FRESH_SEC = 60;

interface StatsRow {
  readonly name: string;
  readonly stats: StatsView;
  readonly volatility: number | null;
}

/** How the base fee was over a day and a month, and what the coin is worth. */
export function marketLines(context: ServiceContext): readonly Line[] {
  const { snapshot, day, month, now, width } = context;
  const end = snapshot.blockTimestamp ?? now;
  const head = Number(snapshot.baseFee);
  // A history younger than a day is all in the figures of the day.
  const isYoung =
    day.value?.base != null &&
    month.value?.from != null &&
    !fillsFrame((end - month.value.from) / 1_000, DAY_SEC);
  const shown = isYoung ? [day] : [day, month];
  const rows = shown.flatMap(({ value }) => (value === null ? [] : statsRows(value, end, head)));
  const { heading, lines } = tableOf({ columns: STATS_COLUMNS, rows, width }, context);
  const late = [partLine('24 h figures', day, now), partLine('30 d figures', month, now)];
  return [
    partTitle('Market', marketWords(context, shown)),
    ...(rows.length === 0 ? [] : [heading, ...lines]),
    ...late.flatMap((line) => (line === null ? [] : [indented(line)])),
  ];
}

/** What the section says before its table. */
function marketWords(context: ServiceContext, shown: readonly Part<MarketView>[]): Line {
  const { snapshot, day, month, symbol, now } = context;
  const usd = (day.value ?? month.value)?.nativeUsd ?? snapshot.nativeUsd;
  const change = day.value?.nativeUsdChangeRatio ?? null;
  const hour = month.value?.cheapestHourUtc ?? day.value?.cheapestHourUtc ?? null;
  // How old figures are that came a while ago: `24 h 2m, 30 d 4m ago`. What failed says so on a line of its own.
  const ages = shown.flatMap(({ value, at, problem }) => {
    const sec = at === null ? 0 : (now - at) / 1_000;
    if (value === null || problem !== null || sec <= FRESH_SEC) return [];
    return [`${nameOf(value)} ${formatDuration(Math.floor(sec / 60) * 60)}`];
  });
  return [
    usd === null
      ? { text: `no ${symbol} price in dollars`, faint: true }
      : { text: `${symbol} ${formatUsd(usd)}${change === null ? '' : ` ${formatChange(change)}`}` },
    ...(hour === null ? [] : [{ text: `  usually cheapest ${String(hour).padStart(2, '0')}:00 UTC` }]),
    ...(ages.length === 0 ? [] : [{ text: `  ${ages.join(', ')} ago`, faint: true }]),
  ];
}

/** `now`: the base fee of the head, wei; the figures are as old as they are, and it may have left their range since. */
function statsRows(market: MarketView, end: number, now: number): readonly StatsRow[] {
  const { base, volatility, timeFrame, from } = market;
  if (base === null) return [];
  const { changeRatio: ratio } = base;
  // Of the same `now`: the beginning stays where it was.
  const changeRatio = ratio === null || base.now === 0 ? ratio : ((1 + ratio) * now) / base.now - 1;
  const stats = { ...base, now, min: Math.min(base.min, now), max: Math.max(base.max, now), changeRatio };
  // A history that does not fill the window must not be called by its name.
  const sec = from === null ? Number.POSITIVE_INFINITY : (end - from) / 1_000;
  const isWhole = fillsFrame(sec, timeFrame === '30d' ? 30 * DAY_SEC : DAY_SEC);
  return [{ name: isWhole ? nameOf(market) : wholeSpan(sec), stats, volatility }];
}

function nameOf({ timeFrame }: MarketView): string {
  return timeFrame.replace(/(\d)([a-z])/, '$1 $2');
}

const price = (id: 'now' | 'min' | 'p10' | 'median' | 'mean' | 'p90' | 'max', rank: number) =>
  rightColumn<StatsRow>(id, 7, rank, ({ stats }) => {
    const wei = stats[id];
    return wei === null ? UNKNOWN : formatGwei(wei);
  });

const STATS_COLUMNS: readonly TableColumn<StatsRow>[] = [
  leftColumn('gwei', 6, 0, ({ name }) => name),
  price('now', 1),
  price('min', 2),
  price('p10', 8),
  price('median', 4),
  price('mean', 5),
  price('p90', 9),
  price('max', 3),
  rightColumn('change', 8, 7, ({ stats }) =>
    stats.changeRatio === null ? UNKNOWN : formatChange(stats.changeRatio),
  ),
  rightColumn('volatility', 10, 6, ({ volatility }) =>
    volatility === null ? UNKNOWN : `±${formatPercent(volatility)}`,
  ),
];

/** What usual work costs now, lane by lane, in the coin and in dollars. */
export function workLines(context: ServiceContext): readonly Line[] {
  const { day, month, symbol, width } = context;
  const actions = (day.value ?? month.value)?.actions ?? [];
  if (actions.length === 0) {
    // While figures are awaited or refused the market's own lines say so.
    if (day.value === null) return [];
    return [sectionLine('Usual work', [{ text: 'the service does not price it', faint: true }])];
  }
  const isUsd = actions.some(({ average }) => average !== null && average.usd !== null);
  const costs = actions.flatMap((action) => LANES.map((lane) => action[lane]?.wei ?? 0n));
  const columns = workColumns(isUsd, coinUnit(costs, symbol));
  const { heading, lines } = tableOf({ columns, rows: actions, width }, context);
  // The headings stand in the section's own line.
  const title = ' Usual work';
  const headings = heading.map(({ text }) => text).join('');
  return [
    [
      { text: title, bold: true },
      { text: headings.slice(title.length), faint: true },
    ],
    ...lines,
  ];
}

function workColumns(isUsd: boolean, unit: CoinUnit): readonly TableColumn<ActionView>[] {
  return [
    leftColumn('', 14, 0, ({ name }) => name),
    rightColumn('gas', 7, 4, ({ gas }) => formatCount(gas)),
    ...LANES.flatMap((lane): readonly TableColumn<ActionView>[] => {
      const coin = (action: ActionView) => {
        const cost = action[lane];
        return cost === null ? UNKNOWN : unit.text(cost.wei);
      };
      if (!isUsd) return [rightColumn(`${lane} ${unit.name}`, 11, 1, coin)];
      const dollars = (action: ActionView) => {
        const usd = action[lane]?.usd ?? null;
        return usd === null ? UNKNOWN : formatUsd(usd);
      };
      // The average lane is the one whose price in coins is looked at first.
      const rank = lane === 'average' ? 2 : 3;
      return [
        rightColumn(lane, 8, 1, dollars),
        rightColumn(unit.name, 10, rank, coin, { id: `${lane} coin` }),
      ];
    }),
  ];
}
