import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo, useState } from 'react';
import type { ChartView, MarketView, StatsView } from '../../../client/views/dashboard.ts';
import {
  describeAdvice,
  type HorizonView,
  keptWords,
  type RecommendationView,
  type SnapshotView,
  type TrendView,
} from '../../../client/views/gas.ts';
import { staleAfterMs } from '../../../core/chains.ts';
import {
  formatAge,
  formatChange,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  formatUsd,
} from '../../../core/units.ts';
import { useTicking } from '../../app/clock.ts';
import { useClipboard } from '../../app/terminal.ts';
import {
  type Polled,
  polledEveryMs,
  useDescription,
  useMarket,
  useMonitorQuery,
  useRecommendation,
} from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { given, type NamedValue, useFlow, useWidest } from '../../ui/fact-list.tsx';
import { LineChart, legendGlyph } from '../../ui/line-chart.tsx';
import { SPOKEN_WIDTH, symbolOf, useRoom, useShownSnapshot } from '../../ui/pane-context.tsx';
import { missingReason } from '../../ui/pane-state.tsx';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { known, leftColumn, rightColumn, type TableColumn, useTable } from '../../ui/table.ts';
import {
  bold,
  changeSpan,
  colored,
  displayWidth,
  EMPTY_LINE,
  faint,
  flow,
  fullnessLine,
  type Line,
  LineList,
  OneLine,
  plain,
  wrapText,
} from '../../ui/text.tsx';
import { type ColorName, useDim } from '../../ui/theme.ts';
import { dayText, wholeSpan } from '../../ui/time.ts';
import { chartChoices, choiceOf } from '../chart/chart-data.ts';
import { recordTexts } from '../service/service-pane.tsx';
import { workColumns } from '../work-table.ts';
import { LaneTable, lanesText } from './lane-table.tsx';

export interface LiveView {
  readonly snapshot: SnapshotView;
  readonly trend: TrendView | undefined;
  readonly recommendation: RecommendationView | undefined;
  /** `58s ago` for stale advice; absent or `null` for current advice. */
  readonly adviceAge?: string | null;
  readonly hour: ChartView | undefined;
  readonly market: MarketView | undefined;
  readonly symbol: string;
  /** Why there is no recommendation, no trend …: one clean line each. */
  readonly missing: readonly string[];
}

interface LiveLayout {
  readonly waitRows: number;
  readonly factLines: number;
  readonly reasonLines: number;
  readonly rangeRows: number;
  readonly workRows: number;
  readonly chartRows: number;
  readonly airy: boolean;
}

const FIXED_ROWS = 7;
const LEAST_CHART = 4;

/** @param rows rows of the pane; @param wanted rows that each part could fill */
export function liveLayout(rows: number, wanted: Omit<LiveLayout, 'chartRows' | 'airy'>): LiveLayout {
  const airy = rows >= 30;
  let left = rows - FIXED_ROWS - (airy ? 4 : 0);
  const take = (count: number) => {
    const taken = Math.max(Math.min(count, left), 0);
    left -= taken;
    return taken;
  };
  const waitRows = wanted.waitRows <= left ? take(wanted.waitRows) : 0;
  let factLines = take(Math.min(wanted.factLines, 1));
  let reasonRows = take(Math.min(wanted.reasonLines, rows < 18 ? 1 : 2));
  const rangeRows = take(wanted.rangeRows);
  let chartRows = left >= LEAST_CHART ? take(LEAST_CHART) : 0;
  if (rows >= 22 || chartRows === 0) {
    factLines += take(Math.min(wanted.factLines - factLines, airy ? 2 : 1));
    reasonRows += take(Math.min(wanted.reasonLines - reasonRows, airy ? 6 : 2));
  }
  const work = wanted.workRows + 1;
  const workRows = wanted.workRows > 0 && left - work >= LEAST_CHART ? take(work) - 1 : 0;
  if (chartRows > 0) chartRows += left;
  return { waitRows, factLines, reasonLines: reasonRows, rangeRows, workRows, chartRows, airy };
}

type LivePaneProps = { readonly view: LiveView };

const MOST_ACTIONS = 5;
const NO_ACTIONS: MarketView['actions'] = [];
const ROOMY_FROM = 90;
const NO_WORTH: Line = [faint(' what each wait is worth comes with the next advice')];
const SPOKEN_ROWS = 100;

export function LivePane({ view }: LivePaneProps) {
  const { columns, rows } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const width = isSpoken ? SPOKEN_WIDTH : columns;
  const { snapshot, recommendation, adviceAge = null, hour, market, symbol, missing } = view;
  const waits = knownWaits(recommendation?.alternatives ?? []);
  const advisedSec = recommendation?.action === 'SEND_NOW' ? null : (recommendation?.deadlineSec ?? null);
  const waitTable = useWaitTable(waits, advisedSec, width);
  const waitLines = isSpoken ? waits.map((wait): Line => [plain(waitWords(wait))]) : waitTable;
  const actions = (market?.actions ?? []).slice(0, MOST_ACTIONS);
  const workTable = useTable({ columns: workColumns(snapshot, symbol), rows: actions, width, margin: 1 });
  const work = actions.length === 0 ? [] : [workTable.heading, ...workTable.lines];
  const range = useDayRange(view, width);
  const facts = liveFacts(view);
  const reasons = (most: number, of = view) => reasonLines(reasonsOf(of), width, most);
  const layout = liveLayout(isSpoken ? SPOKEN_ROWS : rows, {
    factLines: flow(facts, width, { most: Number.POSITIVE_INFINITY, gap: 3 }).length,
    // Stale advice keeps its rows.
    reasonLines: reasons(Number.POSITIVE_INFINITY, { ...view, adviceAge: null }).length,
    waitRows: waitLines.length,
    rangeRows: range.length,
    workRows: work.length,
  });
  const hasChart = layout.chartRows > 0 && hour !== undefined && hour.points.length >= 2;
  // The reason for a missing part may use its room.
  const reasonRoom = layout.reasonLines + (hasChart ? 0 : Math.min(layout.chartRows, missing.length));
  const asking = missing.length > 0 ? '' : 'Asking for advice …';
  const advice = recommendation && adviceParts(recommendation, snapshot, width < ROOMY_FROM, adviceAge);
  const adviceLines = useFlow(advice ?? [[faint(asking)]], width, 1);
  const factLines = useFlow(facts, width, layout.factLines);
  const gap: readonly Line[] = layout.airy ? [EMPTY_LINE] : [];
  const lines: readonly Line[] = [
    ...gap,
    ...filled([...adviceLines, ...reasons(reasonRoom)], 1 + reasonRoom),
    ...(layout.waitRows === 0 ? [] : gap),
    ...filled(adviceAge === null ? waitLines : [NO_WORTH], layout.waitRows),
    ...gap,
    ...factLines,
    ...range.slice(0, layout.rangeRows),
    ...(layout.workRows === 0 ? [] : [EMPTY_LINE, ...work.slice(0, layout.workRows)]),
    ...(hasChart ? gap : []),
  ];
  // A notice covers the last row: without `flexShrink={0}` the lanes would give up one of theirs.
  return (
    <Box flexDirection="column" flexShrink={0} width={columns} height={rows} overflow="hidden">
      <Box flexShrink={0}>
        <LaneTable snapshot={snapshot} actions={market?.actions ?? NO_ACTIONS} symbol={symbol} />
      </Box>
      <LineList lines={lines} />
      {hasChart ? <SmallChart hour={hour} width={columns} height={layout.chartRows} /> : null}
    </Box>
  );
}

function liveFacts({ snapshot, trend, hour, market, symbol }: LiveView): readonly Line[] {
  const { baseFee, nextBaseFee, blobBaseFee, gasUsedRatio, nativeUsd } = snapshot;
  const change =
    nextBaseFee === null || baseFee === 0n
      ? []
      : [plain(' '), changeSpan(Number(nextBaseFee - baseFee) / Number(baseFee))];
  const ahead = trend?.baseFeeFan.at(-1);
  const blocks = ahead?.blocksAhead === 1 ? '1 block' : `${ahead?.blocksAhead} blocks`;
  // The base fee against the previous hour, or the service's word without a percentage.
  const against = ` against mean of ${hour === undefined ? 'last hour' : spanOf(hour, Number.POSITIVE_INFINITY)}`;
  const coinChange = market?.nativeUsdChangeRatio ?? null;
  const facts: readonly NamedValue[] = [
    ...given(nextBaseFee ?? baseFee, nextBaseFee === null ? 'base' : 'next base', (wei) => [
      bold(formatGwei(wei)),
      ...change,
    ]),
    ...given(ahead, `in ${blocks}`, ({ min, max }) => `${formatGwei(min)} – ${formatGwei(max)}`),
    ...given(trend?.congestion, 'blocks', (ratio) => `${formatPercent(ratio)} full`),
    ...given(trend, '', ({ changeRatio, direction }) =>
      changeRatio === null ? direction.toLowerCase() : [plain(formatChange(changeRatio)), faint(against)],
    ),
    ...given(blobBaseFee, 'blob base', (fee) => `${formatGwei(fee)} gwei`),
    ...given(gasUsedRatio, 'last block', fullnessLine),
    ...given(nativeUsd, symbol, (usd) => [
      plain(formatUsd(usd)),
      faint(coinChange === null ? '' : ` ${formatChange(coinChange)}`),
    ]),
    ...given(market?.volatility, 'volatility', (ratio) => `±${formatPercent(ratio)}`),
  ];
  return facts.map(({ name, value }) => [faint(name === '' ? '' : `${name} `), ...value]);
}

function filled(lines: readonly Line[], count: number): readonly Line[] {
  return Array.from({ length: count }, (_, place) => lines[place] ?? EMPTY_LINE);
}

function reasonsOf({ missing, recommendation, adviceAge = null }: LiveView): readonly string[] {
  if (recommendation === undefined || adviceAge !== null) return missing;
  const { action, alternatives, reasons } = recommendation;
  if (action !== null) return [...missing, ...reasons, ...unknownWaits(alternatives)];
  // The headline already says that there is none.
  return [...missing, ...reasons.map((reason) => reason.replace(/^no advice yet: /, ''))];
}

const RECKONED = [
  'likely: how often such a price came in such a time after past blocks like this one',
  'mean saving: against sending now, with what the misses cost',
  'a price of a lane is what it usually pays, a price of a wait what some block comes down to',
];

function AdviceInFull({ view }: LivePaneProps) {
  const { columns, rows } = useRoom();
  const width = useIsScreenReaderEnabled() ? SPOKEN_WIDTH : columns;
  const { recommendation, adviceAge = null } = view;
  const waits = adviceAge === null ? (recommendation?.alternatives ?? []) : [];
  const track = adviceAge === null ? (recommendation?.track ?? null) : null;
  const record = track === null ? [] : recordTexts(track);
  const texts = [
    ...reasonsOf({ ...view, recommendation: recommendation && { ...recommendation, alternatives: [] } }),
    ...waits.map(waitWords),
    ...record.map((text, place) => (place === 0 ? `record: ${text}` : text)),
    // Another service may use another method.
    ...(view.snapshot.source.kind === 'service' || waits.length === 0 ? [] : RECKONED),
  ];
  const parts = recommendation && adviceParts(recommendation, view.snapshot, false, adviceAge);
  const heading = useFlow(parts ?? [], width, 4);
  return (
    <ScrolledLines
      scope="live"
      title={[[bold('Advice')], [faint('Esc closes')]]}
      lines={[...heading, ...reasonLines(texts, width, rows - 2, false)]}
      top={0}
      onScroll={() => {}}
    />
  );
}

/** Slowly changing data is polled less often. */
const HOUR_CHART_MS = 5_000;
const MARKET_MS = 10_000;
/** A fast recording makes a day's figures stale within seconds. */
const REPLAY_MS = 1_000;

export function LiveScreen() {
  const snapshot = useShownSnapshot();
  const copy = useClipboard();
  const isPast = useDim();
  const [isOpen, setOpen] = useState(false);
  const trend = useMonitorQuery({
    key: ['trend'],
    ask: (client, signal) => client.gasTrend({ signal }),
    head: snapshot,
  });
  const recommendation = useRecommendation(snapshot);
  const timeFrame = choiceOf(chartChoices(useDescription()).timeFrames, '1h');
  const hour = useMonitorQuery({
    key: ['chart', timeFrame],
    ask: (client, signal) => client.chart(timeFrame, { signal }),
    head: snapshot,
    leastMs: HOUR_CHART_MS,
  });
  const isReplay = snapshot.source.kind === 'replay';
  const market = useMarket('24h', { head: snapshot, leastMs: isReplay ? REPLAY_MS : MARKET_MS });
  useKeys('live', {
    copy: () => copy(lanesText(snapshot), 'the three lanes'),
    open: () => setOpen(!isOpen),
    ...(isOpen ? { close: () => setOpen(false) } : {}),
  });
  // Why a part is missing; a part that fails later keeps its last data.
  const lacking = (name: string, { data, error }: Polled<unknown>) =>
    data !== undefined || error === null ? [] : [`no ${name}: ${missingReason(error, isPast)}`];
  const missing = [
    ...lacking('advice', recommendation),
    ...lacking('trend', trend),
    ...lacking('market figures', market),
    ...lacking('chart of the hour', hour),
    ...(hour.data?.problem == null ? [] : [`no history before the start of gastop: ${hour.data.problem}`]),
  ];
  const updatedAt = recommendation.data?.updatedAt ?? null;
  const behindMs = (snapshot.updatedAt ?? 0) - (updatedAt ?? Number.POSITIVE_INFINITY);
  // While its route fails the prices go on without it.
  const isOlder =
    behindMs > (recommendation.error === null ? staleAfterMs(polledEveryMs(snapshot) / 1_000) : 0);
  // Shown with the same age as its prices.
  const advisedAt = isOlder ? updatedAt : (snapshot.blockTimestamp ?? snapshot.updatedAt);
  const isOld = isOlder || isPast;
  const age = useTicking((now) => (isOld ? formatAge((now - (advisedAt ?? now)) / 1_000) : ''));
  const view: LiveView = {
    snapshot,
    trend: trend.data,
    recommendation: recommendation.data,
    adviceAge: age === '' ? null : age,
    hour: hour.data,
    market: market.data,
    symbol: symbolOf(snapshot),
    missing,
  };
  const Pane = isOpen ? AdviceInFull : LivePane;
  return <Pane view={view} />;
}

const ACTION_COLORS = new Map<string | null, ColorName>([
  ['SEND_NOW', 'good'],
  ['WAIT', 'warn'],
  ['SET_ALERT', 'accent'],
]);
/** The table below also shows the mean saving. */
const LEAST_SAVING = 0.005;

export function adviceParts(
  advice: RecommendationView,
  snapshot: SnapshotView,
  isNarrow: boolean,
  age: string | null,
): readonly Line[] {
  if (age !== null) return [[colored(`advice of ${age}, no longer valid`, 'warn')]];
  const { probability, expectedSavingRatio: saving, track } = advice;
  const { action, target } = describeAdvice(advice, snapshot);
  const todo: Line = [
    bold(action, ACTION_COLORS.get(advice.action)),
    plain(target === '' ? '' : ` ${target}`),
  ];
  if (advice.action === null) return [todo];
  const kept = track === null ? null : keptWords(track);
  const since = isNarrow || track?.since == null ? '' : ` since ${dayText(track.since)}`;
  // The stated probability of past advice: a record far below it shows how far to trust it.
  const stated = kept === null ? null : (track?.statedProbability ?? null);
  const likely: Line =
    probability === null ? [faint('not yet measured')] : [plain(`${formatLikelihood(probability)} likely`)];
  const saves = `saves ${formatPercent(saving ?? 0)}${isNarrow ? '' : ' on average'}`;
  return [
    todo,
    likely,
    ...(saving === null || saving < LEAST_SAVING ? [] : [[plain(saves)]]),
    ...(kept === null ? [] : [[faint(`${kept}${since}`)]]),
    ...(stated === null ? [] : [[faint(`stated ${formatPercent(stated)}`)]]),
  ];
}

/** As many reasons as fit, wrapped at blanks; the rest is shown after `⏎`. */
export function reasonLines(reasons: readonly string[], width: number, most: number, faint = true) {
  const lines: Line[] = [];
  for (const reason of reasons) {
    if (lines.length >= most) break;
    const wrapped = wrapText(reason, width - 4, most - lines.length);
    lines.push(...wrapped.map((text, at): Line => [{ text: ` ${at === 0 ? '•' : ' '} ${text}`, faint }]));
  }
  return lines;
}

export function knownWaits(horizons: readonly HorizonView[]): readonly HorizonView[] {
  return horizons.filter(({ probability }) => probability !== null);
}

export function unknownWaits(horizons: readonly HorizonView[]): readonly string[] {
  const unknown = horizons.filter(({ probability }) => probability === null);
  const [first, last] = [unknown.at(0), unknown.at(-1)];
  if (first === undefined || last === undefined) return [];
  const times = [...new Set([first, last])].map(({ horizonSec }) => formatDuration(horizonSec));
  return [`waits of ${times.join(' to ')} – ${first.reason ?? 'not measured yet'}`];
}

export function waitWords({ horizonSec, price, savingRatio, probability, reason }: HorizonView): string {
  const words = [
    known(price, (wei) => `${formatGwei(wei)} gwei`),
    ...(savingRatio === null ? [] : [`saves ${formatPercent(savingRatio)}`]),
    ...(probability === null ? [] : [`${formatLikelihood(probability)} likely`]),
  ];
  const worth = probability === null ? (reason ?? 'not known') : words.join(', ');
  return `If you wait up to ${formatDuration(horizonSec)}: ${worth}`;
}

interface WaitFigure {
  readonly name: string;
  readonly of: (horizon: HorizonView) => string;
}

const WAIT_FIGURES: readonly WaitFigure[] = [
  { name: 'price', of: ({ price }) => known(price, formatGwei) },
  { name: 'mean saving', of: ({ savingRatio }) => known(savingRatio, (ratio) => formatPercent(ratio)) },
  { name: 'likely', of: ({ probability }) => known(probability, formatLikelihood) },
];

const NARROW = 70;

export function useWaitTable(waits: readonly HorizonView[], advisedSec: number | null, width: number) {
  const heading = width < NARROW ? 'wait up to' : 'if you wait up to';
  const columns: readonly TableColumn<WaitFigure>[] = [
    leftColumn(heading, 11, 0, ({ name }) => [faint(name)]),
    ...waits.map((wait, place) => {
      const bold = wait.horizonSec === advisedSec;
      const cell = ({ of }: WaitFigure): Line => [{ text: of(wait), bold }];
      return rightColumn(formatDuration(wait.horizonSec), 7, bold ? 0 : place + 1, cell);
    }),
  ];
  const table = useTable({ columns, rows: WAIT_FIGURES, width, margin: 1 });
  return waits.length === 0 ? [] : [table.heading, ...table.lines];
}

const DAY = '24 h';
/** Bucketed history starts up to an hour inside the day. */
const NEARLY_A_DAY_SEC = 23 * 3_600;
/** Over a shorter time the price hardly moves. */
const LEAST_RANGE_SEC = 60;
const LEAST_LINE = 8;
const MOST_LINE = 60;

export function useDayRange({ market, snapshot, trend }: LiveView, width: number): readonly Line[] {
  const { baseFee, nextBaseFee, blockTimestamp: end } = snapshot;
  const now = Number(nextBaseFee ?? baseFee);
  const { base = null, from = null } = market ?? {};
  const sec = from === null || end === null ? Number.POSITIVE_INFINITY : (end - from) / 1_000;
  // A shorter history must not be called a day.
  const span = sec > NEARLY_A_DAY_SEC ? DAY : wholeSpan(sec);
  // The day's figures are polled less often than the price, which may have left their range.
  const [min, max] = [Math.min(base?.min ?? now, now), Math.max(base?.max ?? now, now)];
  const [low, high] = [formatGwei(min), formatGwei(max)];
  const rank = trend?.percentileRank24h ?? null;
  const verdict = base === null || rank === null ? '' : verdictOf(rank, now, base, span);
  const [lowRoom = 0, highRoom = 0, verdictRoom = 0] = useWidest(
    base === null ? [] : [low, high, verdict].map(displayWidth),
  );
  const around = 2 + span.length + 2 + lowRoom + highRoom + 4;
  const withVerdict = width - around - verdictRoom - 3;
  const hasVerdict = withVerdict >= LEAST_LINE;
  const cells = Math.min(hasVerdict ? withVerdict : width - around, MOST_LINE);
  if (base === null || sec < LEAST_RANGE_SEC || cells < LEAST_LINE) return [];
  const place = Math.round((max > min ? (now - min) / (max - min) : 0.5) * (cells - 1));
  return [
    [
      faint(` ${span}  `),
      plain(low.padEnd(lowRoom)),
      faint(` ├${'─'.repeat(place)}`),
      bold('●', 'accent'),
      faint(`${'─'.repeat(cells - 1 - place)}┤ `),
      plain(high.padEnd(highRoom)),
      plain(hasVerdict ? `   ${verdict}` : ''),
    ],
  ];
}

/** Maximum distance from the median: that of an even number is between two values, and some blocks old. */
const AROUND_MEDIAN = 1.02;
/** From this factor on the advice calls it above its mean. */
const AROUND_MEAN = 1.05;

/** Compares the price with the day, correctly even for equal prices; empty where `rank` is of another history. */
function verdictOf(rank: number, now: number, { min, p10, median, mean, max }: StatsView, span: string) {
  const past = span === DAY ? 'the day' : span === '1 h' ? 'the last hour' : `the last ${span}`;
  if (median !== null && (rank > 0.5 ? now * AROUND_MEDIAN < median : now > median * AROUND_MEDIAN))
    return '';
  if (rank === 0) return min === max && now === max ? `unchanged in ${past}` : `the lowest of ${past}`;
  // At most half is below, and it is at least the median: it is the median.
  if (rank <= 0.5 && median !== null && now >= median) {
    // Half of an expensive past against its mean: neither usual nor cheap.
    return mean !== null && now > mean * AROUND_MEAN ? '' : `the usual price of ${past}`;
  }
  // A tenth of the blocks had this very price, perhaps more.
  if (rank <= 0.1 && now === p10) return `among the lowest of ${past}`;
  if (rank > 0.99) return `among the highest of ${past}`;
  // Rounded down: 99.7 % of the blocks are not all.
  return `cheaper than ${Math.floor((1 - rank) * 100 + 1e-9)} % of ${past}`;
}

/** An hour whose last bucket is missing is shorter. */
const SHORTEST_HOUR_SEC = 3_300;
const LONGEST_HOUR_SEC = 4_000;

export function spanOf(hour: ChartView, longest = LONGEST_HOUR_SEC): string {
  const [first, last] = [hour.points[0], hour.points.at(-1)];
  const sec =
    first && last ? (last.timestamp - first.timestamp) / 1_000 + (hour.bucketSec ?? 0) : SHORTEST_HOUR_SEC;
  return sec < SHORTEST_HOUR_SEC || sec > longest ? `last ${wholeSpan(sec)}` : 'last hour';
}

type SmallChartProps = { readonly hour: ChartView; readonly width: number; readonly height: number };

const LINES = [
  { color: 'base', name: 'base', style: 'solid', of: 'base' },
  { color: 'tip', name: 'tip p50', style: 'dashed', of: 'priority' },
] as const;

export const SmallChart = memo(function SmallChart({ hour, width, height }: SmallChartProps) {
  if (useIsScreenReaderEnabled()) return null;
  const series = LINES.map((line) => ({
    ...line,
    values: hour.points.map((point) => point[line.of]),
  })).filter(({ values }) => values.some((value) => value !== null));
  const legend: Line = [
    faint(` ${spanOf(hour)} in gwei`),
    ...series.flatMap(
      ({ color, name, style }): Line => [
        plain('   '),
        { text: legendGlyph(style).repeat(2), color },
        plain(` ${name}`),
      ],
    ),
  ];
  return (
    <Box flexDirection="column" flexShrink={0}>
      <OneLine line={legend} width={width} />
      <LineChart series={series} width={width} height={height - 1} format={formatGwei} />
    </Box>
  );
});
