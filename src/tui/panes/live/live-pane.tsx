import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo, useMemo, useState } from 'react';
import type { ChartView, MarketView } from '../../../client/views/dashboard.ts';
import {
  keptWords,
  type RecommendationView,
  type SnapshotView,
  type TrendView,
} from '../../../client/views/gas.ts';
import { staleAfterMs } from '../../../core/chains.ts';
import { formatAge, formatPercent } from '../../../core/units.ts';
import { useTicking } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useClipboard } from '../../app/terminal.ts';
import {
  type Polled,
  polledEveryMs,
  useDescription,
  useMarket,
  useMonitor,
  usePolledQuery,
  useRecommendation,
} from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { flowFacts, useFactLines } from '../../ui/fact-list.tsx';
import { symbolOf } from '../../ui/pane-context.ts';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { spokenRow } from '../../ui/table.ts';
import { type Line, LineList, SpokenSentences, spokenLine, wrapText } from '../../ui/text.tsx';
import { ASCII_THEME, type Theme, useDim, useTheme } from '../../ui/theme.ts';
import { dayText, systemOffset, wholeSpan } from '../../ui/time.ts';
import { chartChoices, choiceOf } from '../chart/chart-data.ts';
import { keptOfWords, waitWords as pastWaits } from '../service/record-lines.ts';
import { LaneTable, laneColumns, laneRows, lanesText } from './lane-table.tsx';
import { adviceFacts, liveFacts, missingReason } from './live-facts.ts';
import { DAY, SmallChart, useDayRange } from './price-chart.tsx';
import { knownWaits, unknownWaits, useWaitTable, useWorkTable, waitWords } from './side-tables.ts';

/** All that the Live pane draws. What is not there yet, or what the service does not have, is `undefined`. */
export interface LiveView {
  readonly snapshot: SnapshotView;
  readonly trend: TrendView | undefined;
  readonly recommendation: RecommendationView | undefined;
  /** `58s ago`, of advice that is too old to be followed; absent or `null`: it is of now. */
  readonly adviceAge?: string | null;
  readonly hour: ChartView | undefined;
  readonly market: MarketView | undefined;
  /** Ticker of the native coin. */
  readonly symbol: string;
  /** Why the service gives no recommendation, no trend …: one clean line each. */
  readonly missing: readonly string[];
}

/** How the Live pane shares out its rows; 0: a part is not shown. */
interface LiveLayout {
  readonly waitRows: number;
  readonly factLines: number;
  readonly reasonLines: number;
  readonly rangeRows: number;
  /** Rows of the price of usual work with its heading. */
  readonly workRows: number;
  /** Rows of the chart with its legend. */
  readonly chartRows: number;
  /** An empty line between the parts. */
  readonly airy: boolean;
}

/** The lanes and a line of advice. */
const FIXED_ROWS = 7;
const LEAST_CHART = 4;

/** @param rows rows of the pane; @param wanted as many rows as there is something to show for */
export function liveLayout(rows: number, wanted: Omit<LiveLayout, 'chartRows' | 'airy'>): LiveLayout {
  const airy = rows >= 30;
  let left = rows - FIXED_ROWS - (airy ? 4 : 0);
  const take = (count: number) => {
    const taken = Math.max(Math.min(count, left), 0);
    left -= taken;
    return taken;
  };
  // The weightiest first: what waiting is worth, the next block, why, the day; then a chart, then more of each.
  const waitRows = wanted.waitRows <= left ? take(wanted.waitRows) : 0;
  let factLines = take(Math.min(wanted.factLines, 1));
  let reasonLines = take(Math.min(wanted.reasonLines, rows < 18 ? 1 : 2));
  const rangeRows = take(wanted.rangeRows);
  let chartRows = left >= LEAST_CHART ? take(LEAST_CHART) : 0;
  if (rows >= 22 || chartRows === 0) {
    factLines += take(Math.min(wanted.factLines - factLines, airy ? 2 : 1));
    reasonLines += take(Math.min(wanted.reasonLines - reasonLines, airy ? 6 : 2));
  }
  const work = wanted.workRows + 1;
  const workRows = wanted.workRows > 0 && left - work >= LEAST_CHART ? take(work) - 1 : 0;
  if (chartRows > 0) chartRows += left;
  return { waitRows, factLines, reasonLines, rangeRows, workRows, chartRows, airy };
}

interface LivePaneProps {
  readonly view: LiveView;
  readonly columns: number;
  readonly rows: number;
}

const MOST_ACTIONS = 5;
/** Narrower screens use fewer words for the advice. */
const ROOMY_FROM = 90;
const NO_WORTH: Line = [{ text: ' what each wait is worth comes with the next advice', faint: true }];

/** What to pay now, what to do, and how the last hour and day were. Fills exactly `columns` × `rows`. */
export const LivePane = memo(function LivePane({ view, columns, rows }: LivePaneProps) {
  const theme = useTheme();
  const { snapshot, trend, recommendation, adviceAge = null, hour, market, symbol, missing } = view;
  const waits = knownWaits(recommendation?.alternatives ?? []);
  const advisedSec = recommendation?.action === 'SEND_NOW' ? null : (recommendation?.deadlineSec ?? null);
  const waitLines = useWaitTable(waits, advisedSec, columns);
  const work = useWorkTable((market?.actions ?? []).slice(0, MOST_ACTIONS), snapshot, symbol, columns);
  const span = market === undefined ? null : daySpan(market, snapshot.blockTimestamp);
  const rank = trend?.percentileRank24h ?? null;
  const now = snapshot.nextBaseFee ?? snapshot.baseFee;
  const hasRange = market?.base != null && span !== null;
  const range = useDayRange(
    hasRange && market.base !== null ? { base: market.base, now, rank, span } : null,
    columns,
  );
  const facts = liveFacts(view, theme);
  const reasons = (most: number, of = view) => reasonLines(reasonsOf(of), columns, most, theme);
  const layout = liveLayout(rows, {
    factLines: flowFacts(facts, columns, Number.POSITIVE_INFINITY).length,
    // The rows stay as they are when advice grows old.
    reasonLines: reasons(Number.POSITIVE_INFINITY, { ...view, adviceAge: null }).length,
    waitRows: waitLines.length,
    rangeRows: hasRange ? 1 : 0,
    workRows: work.length,
  });
  const hasChart = layout.chartRows > 0 && hour !== undefined && hour.points.length >= 2;
  // Why it is not there may take the room of what is not there.
  const reasonRoom = layout.reasonLines + (hasChart ? 0 : Math.min(layout.chartRows, missing.length));
  const advice = recommendation && adviceFacts(recommendation, theme, columns < ROOMY_FROM, adviceAge);
  const asking: Line = [{ text: missing.length > 0 ? '' : ' Asking for advice …', faint: true }];
  const adviceLines = useFactLines(advice ?? [], columns, 1);
  const factLines = useFactLines(facts, columns, layout.factLines);
  const gap: readonly Line[] = layout.airy ? [[]] : [];
  const lines: readonly Line[] = [
    ...gap,
    ...filled([...(advice === undefined ? [asking] : adviceLines), ...reasons(reasonRoom)], 1 + reasonRoom),
    ...(layout.waitRows === 0 ? [] : gap),
    ...filled(adviceAge === null ? waitLines : [NO_WORTH], layout.waitRows),
    ...gap,
    ...factLines,
    ...range.slice(0, layout.rangeRows),
    ...(layout.workRows === 0 ? [] : [[], ...work.slice(0, layout.workRows)]),
    ...(hasChart ? gap : []),
  ];
  // A notice covers the last row: without `flexShrink={0}` the lanes would give up one of theirs.
  return (
    <Box flexDirection="column" flexShrink={0} width={columns} height={rows} overflow="hidden">
      <Box flexShrink={0}>
        <LaneTable snapshot={snapshot} symbol={symbol} width={columns} />
      </Box>
      <LineList lines={lines} width={columns} />
      {hasChart ? <SmallChart hour={hour} width={columns} height={layout.chartRows} /> : null}
    </Box>
  );
});

/** Exactly `count` lines, the last ones empty. */
function filled(lines: readonly Line[], count: number): readonly Line[] {
  return Array.from({ length: count }, (_, place) => lines[place] ?? []);
}

/** Why something is not there, then why the advice is what it is; of old advice nothing is said. */
function reasonsOf({ missing, recommendation, adviceAge = null }: LiveView): readonly string[] {
  if (recommendation === undefined || adviceAge !== null) return missing;
  const { action, alternatives, reasons } = recommendation;
  if (action !== null) return [...missing, ...reasons, ...unknownWaits(alternatives)];
  // The headline says that there is none.
  return [...missing, ...reasons.map((reason) => reason.replace(/^no advice yet: /, ''))];
}

/** As many reasons as there are lines for, broken at blanks; what does not fit is read after `⏎`. */
function reasonLines(reasons: readonly string[], width: number, most: number, theme: Theme, faint = true) {
  const { bullet, ellipsis } = theme.glyph;
  const lines: Line[] = [];
  for (const reason of reasons) {
    if (lines.length >= most) break;
    const wrapped = wrapText(theme.text(reason), width - 4, most - lines.length, ellipsis);
    lines.push(
      ...wrapped.map((text, place): Line => [{ text: ` ${place === 0 ? bullet : ' '} ${text}`, faint }]),
    );
  }
  return lines;
}

const RECKONED = [
  'likely: how often such a price came in such a time after past blocks like this one',
  'mean saving: against sending now, with what the misses cost',
  'a price of a lane is what it usually pays, a price of a wait what some block comes down to',
];

/** The advice with all its reasons, what each wait is worth, how such advice was kept and how it is reckoned, over the pane. */
function AdviceInFull({ view, columns, rows }: LivePaneProps) {
  const theme = useTheme();
  const { recommendation, adviceAge = null } = view;
  const facts = recommendation && adviceFacts(recommendation, theme, false, adviceAge);
  const waits = adviceAge === null ? (recommendation?.alternatives ?? []) : [];
  const track = adviceAge === null ? (recommendation?.track ?? null) : null;
  const texts = [
    ...reasonsOf({ ...view, recommendation: recommendation && { ...recommendation, alternatives: [] } }),
    ...waits.map(waitWords),
    ...(track === null ? [] : recordWords(track)),
    // Another service may reckon in another way.
    ...(view.snapshot.source.kind === 'service' || waits.length === 0 ? [] : RECKONED),
  ];
  const factLines = useFactLines(facts ?? [], columns, 4);
  return (
    <ScrolledLines
      scope="live"
      title={[[{ text: 'Advice', bold: true }], [{ text: 'Esc closes', faint: true }]]}
      lines={[...factLines, ...reasonLines(texts, columns, rows - 2, theme, false)]}
      notice={null}
      top={0}
      onScroll={() => {}}
      width={columns}
      height={rows}
    />
  );
}

function recordWords(track: NonNullable<RecommendationView['track']>): readonly string[] {
  const { hitRatio, statedProbability } = track;
  const day = (ms: number) => dayText(ms, systemOffset);
  const stated = statedProbability === null ? '' : `, stated ${formatPercent(statedProbability)}`;
  const words = `${keptWords(track)} ${keptOfWords(track, day)}`.trim();
  const record = `record: ${words} (${formatPercent(hitRatio ?? 0)}${stated})`;
  return [keptWords(track) === null ? '' : record, pastWaits(track, day) ?? ''].filter((text) => text !== '');
}

/** Bucketed history begins up to an hour inside the day. */
const NEARLY_A_DAY_SEC = 23 * 3_600;
/** In less the price has hardly moved. */
const LEAST_RANGE_SEC = 60;

/** A history that does not fill the day must not be called one; `null` for next to none. `end` is the chain's present, ms. */
function daySpan({ from }: MarketView, end: number | null): string | null {
  if (from === null || end === null) return DAY;
  const sec = (end - from) / 1_000;
  if (sec < LEAST_RANGE_SEC) return null;
  return sec > NEARLY_A_DAY_SEC ? DAY : wholeSpan(sec);
}

/** The Live pane for a screen reader: sentences in the order of their weight, no drawing. */
function SpokenLive({ view }: { readonly view: LiveView }) {
  const { snapshot, symbol, recommendation, adviceAge = null } = view;
  const lanes = laneColumns(snapshot, symbol);
  const waits = adviceAge === null ? knownWaits(recommendation?.alternatives ?? []) : [];
  const facts = recommendation && adviceFacts(recommendation, ASCII_THEME, false, adviceAge);
  const advice = facts?.map(({ spans }) => spokenLine(spans)).join(', ');
  const sentences = [
    'Prices in gwei.',
    ...laneRows(snapshot).map((row) => spokenRow(lanes, row)),
    ...(advice === undefined ? [] : [`Advice: ${advice}`]),
    ...waits.map(waitWords),
    ...reasonsOf(view),
    ...liveFacts(view, ASCII_THEME).map(({ spans }) => spokenLine(spans)),
  ];
  return <SpokenSentences sentences={sentences} />;
}

/** What changes slowly is requested less often. */
const HOUR_CHART_MS = 5_000;
const MARKET_MS = 10_000;
/** A recording played fast leaves an old day behind within seconds. */
const REPLAY_MS = 1_000;

/** Gathers what the Live pane draws and says what its keys do. */
export function LiveScreen({ snapshot, columns, rows }: TabScreenProps) {
  const { client, frozen } = useMonitor();
  const copy = useClipboard();
  const isSpoken = useIsScreenReaderEnabled();
  const isPast = useDim();
  const [isOpen, setOpen] = useState(false);
  const trend = usePolledQuery({
    key: ['trend'],
    ask: (signal) => client.gasTrend({ signal }),
    head: snapshot,
    frozen,
  });
  const recommendation = useRecommendation(snapshot);
  const timeFrame = choiceOf(chartChoices(useDescription()).timeFrames, '1h');
  const hour = usePolledQuery({
    key: ['chart', timeFrame],
    ask: (signal) => client.chart(timeFrame, { signal }),
    head: snapshot,
    leastMs: HOUR_CHART_MS,
    frozen,
  });
  const isReplay = snapshot.source.kind === 'replay';
  const market = useMarket('24h', { head: snapshot, leastMs: isReplay ? REPLAY_MS : MARKET_MS });
  useKeys('live', {
    copy: () => copy(lanesText(snapshot), 'the three lanes'),
    open: () => setOpen(!isOpen),
    ...(isOpen ? { close: () => setOpen(false) } : {}),
  });
  // Why a part that never came is not there; a part that fails later keeps its last data instead.
  const lacking = (name: string, { data, error }: Polled<unknown>) =>
    data !== undefined || error === null
      ? []
      : [`no ${name}: ${missingReason(error, isPast).replaceAll('\n', ' ')}`];
  const missing = [
    ...lacking('advice', recommendation),
    ...lacking('trend', trend),
    ...lacking('market figures', market),
    ...lacking('chart of the hour', hour),
    ...(hour.data?.problem == null ? [] : [`no history before the start of gastop: ${hour.data.problem}`]),
  ].join('\n');
  const updatedAt = recommendation.data?.value.updatedAt ?? null;
  const behindMs = (snapshot.updatedAt ?? 0) - (updatedAt ?? Number.POSITIVE_INFINITY);
  // While its route fails the prices go on without it.
  const isOlder =
    behindMs > (recommendation.error === null ? staleAfterMs(polledEveryMs(snapshot) / 1_000) : 0);
  // Of the same age as the prices that it belongs to, in the same figure.
  const advisedAt = isOlder ? updatedAt : (snapshot.blockTimestamp ?? snapshot.updatedAt);
  const isOld = isOlder || isPast;
  const age = useTicking((now) => (isOld ? formatAge((now - (advisedAt ?? now)) / 1_000) : ''));
  const view = useMemo(
    (): LiveView => ({
      snapshot,
      trend: trend.data,
      recommendation: recommendation.data?.value,
      adviceAge: age === '' ? null : age,
      hour: hour.data,
      market: market.data?.value,
      symbol: symbolOf(snapshot),
      missing: missing === '' ? [] : missing.split('\n'),
    }),
    [snapshot, trend.data, recommendation.data, age, hour.data, market.data, missing],
  );
  if (isSpoken) return <SpokenLive view={view} />;
  const Pane = isOpen ? AdviceInFull : LivePane;
  return <Pane view={view} columns={columns} rows={rows} />;
}
