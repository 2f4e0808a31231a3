import { Box, useIsScreenReaderEnabled } from 'ink';
import { useState } from 'react';
import type { ChartView, MarketView } from '../../../client/views/dashboard.ts';
import type { RecommendationView, SnapshotView, TrendView } from '../../../client/views/gas.ts';
import { staleAfterMs } from '../../../core/chains.ts';
import { formatAge, formatChange, formatGwei, formatPercent, formatUsd } from '../../../core/units.ts';
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
import { given, type NamedValue, useFlow } from '../../ui/fact-list.tsx';
import { SPOKEN_WIDTH, symbolOf, useRoom, useShownSnapshot } from '../../ui/pane-context.tsx';
import { missingReason } from '../../ui/pane-state.tsx';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { useTable } from '../../ui/table.ts';
import {
  bold,
  changeSpan,
  EMPTY_LINE,
  faint,
  flow,
  fullnessLine,
  type Line,
  LineList,
  plain,
} from '../../ui/text.tsx';
import { useDim } from '../../ui/theme.ts';
import { chartChoices, choiceOf } from '../chart/chart-data.ts';
import { recordPhrases, waitRecord } from '../service/service-lines.ts';
import { workColumns } from '../work-table.ts';
import {
  adviceParts,
  knownWaits,
  reasonLines,
  unknownWaits,
  useWaitTable,
  waitWords,
} from './advice-lines.ts';
import { SmallChart, spanOf, useDayRange } from './day-and-hour.tsx';
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
  const record = track === null ? [] : recordPhrases(track);
  const texts = [
    ...reasonsOf({ ...view, recommendation: recommendation && { ...recommendation, alternatives: [] } }),
    ...waits.map(waitWords),
    ...(record.length === 0 ? [] : [`record: ${record.join(' ')}`]),
    ...(track === null ? [] : waitRecord(track)),
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
