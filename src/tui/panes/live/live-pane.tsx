import { Box, useIsScreenReaderEnabled } from 'ink';
import { isValidElement, memo, type ReactElement, useEffect, useRef } from 'react';
import { coinSymbol } from '../../../client/views/auto-txs.ts';
import { updateSecOf } from '../../../client/views/chain-status.ts';
import type { ChartView, MarketView, StatsView } from '../../../client/views/dashboard.ts';
import {
  advisedWait,
  describeAdvice,
  describeLikely,
  describeRecord,
  type HorizonView,
  IN_THE_PAST,
  kindOf,
  type RecommendationView,
  recordOf,
  type SnapshotView,
  WAIT_FACTS,
  type WaitFact,
  waitFactsOf,
  waitHeading,
  withOwnWindows,
} from '../../../client/views/gas.ts';
import { isOutdated, staleAfterMs } from '../../../core/chain-status.ts';
import { DAY_SEC, HOUR_SEC } from '../../../core/time.ts';
import {
  formatAge,
  formatChange,
  formatDuration,
  formatGwei,
  formatPercent,
  formatSaving,
  formatSpan,
  formatUsd,
  UNKNOWN,
} from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useMonitor, useShownSnapshot } from '../../data/monitor-context.ts';
import { type Polled, useMonitorQuery } from '../../data/polled-query.ts';
import { useRecommendation, useTrend } from '../../data/prices.ts';
import { useDescription, useMarket } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { BOX_ROWS, BoxedTable } from '../../ui/boxed-table.tsx';
import { legendGlyph } from '../../ui/chart-lines.ts';
import { given, type NamedValue, useFlow, useWidest } from '../../ui/fact-list.tsx';
import { LineChart } from '../../ui/line-chart.tsx';
import { useAtNow, usePaneState, useRoom, useTextWidth } from '../../ui/pane-context.tsx';
import { missingReason } from '../../ui/pane-state.tsx';
import { TitledLines } from '../../ui/scroll.tsx';
import { SideBySide } from '../../ui/side-by-side.tsx';
import {
  bold,
  changeSpan,
  colored,
  EMPTY_LINE,
  faint,
  filledTo,
  flow,
  fullnessLine,
  type Line,
  LineList,
  leftColumn,
  OneLine,
  placed,
  plain,
  rankColor,
  rankText,
  rightColumn,
  shownWidth,
  type TableColumn,
  useTable,
  wrapText,
} from '../../ui/text.tsx';
import { type ColorName, useDim } from '../../ui/theme.ts';
import { dayText, fillsFrame } from '../../ui/time.ts';
import { atOrBelow } from '../alerts/alert-form.tsx';
import { type ChartData, chartChoices, chartData, choiceOf, useChartLook } from '../chart/chart-data.ts';
import { ChartPane } from '../chart/chart-plot.tsx';
import { recordTexts } from '../service/service-pane.tsx';
import { copiedTexts, LaneTable, type WorkRow, workColumns, workRows } from './lane-table.tsx';

const AIRY_FROM = 30;
const LANE_ROWS = 6;
/** With fewer rows the advice has one line, without its record, and the waits without their windows. */
const RECORD_FROM = 16;
const LEAST_CHART = 4;
/** Beside the minor lines of new holders. */
const FAIR_CHART = 5;
const ALL = Number.POSITIVE_INFINITY;

/** The rows that each part gets: one claim after the other, as far as rows are left. */
function allot(
  rows: number,
  needs: Readonly<Record<'waits' | 'facts' | 'reasons' | 'firstReason' | 'range' | 'chart', number>> & {
    /** The rows of all work, without minor lines, and of actions alone. */
    readonly work: Readonly<Record<'all' | 'most' | 'least', number>>;
  },
) {
  const isAiry = rows >= AIRY_FROM;
  const wanted = { ...needs, work: needs.work.all };
  const given = { waits: 0, facts: 0, reasons: 0, range: 0, work: 0, chart: 0 };
  const advice = rows < RECORD_FROM ? 1 : 2;
  let left = Math.max(rows - LANE_ROWS - advice - (isAiry ? 4 : 0), 0);
  const claim = (part: keyof typeof given, most = ALL, least = 0) => {
    const taken = least > left ? 0 : Math.min(wanted[part] - given[part], most, left);
    given[part] += taken;
    left -= taken;
  };
  claim('waits', ALL, wanted.waits);
  claim('facts', 1);
  claim('reasons', rows < 22 ? needs.firstReason : 2);
  claim('range');
  if (needs.chart > 0) claim('chart', LEAST_CHART, LEAST_CHART);
  if (rows >= 22 || given.chart === 0) {
    claim('facts', isAiry ? 2 : 1);
    claim('reasons', isAiry ? 6 : 2);
  }
  claim('work', needs.work.most, needs.work.least);
  const minor = needs.work.all - given.work;
  if (given.work > 0 && given.chart + left - minor >= Math.min(FAIR_CHART, needs.chart))
    claim('work', ALL, minor);
  if (given.chart > 0) claim('chart');
  return { ...given, advice, isAiry };
}

type LivePaneProps = { readonly view: LiveView };

const MOST_ACTIONS = 5;
const NO_ACTIONS: MarketView['actions'] = [];
const NO_WORTH: Line = [faint(' what each wait is worth comes with the next advice')];
const SPOKEN_ROWS = 100;

/** From this width on the chart stands beside lanes, advice and waits. */
const CHART_BESIDE_FROM = 160;
/** All columns of the lanes, in the coin, too. */
const PRICES_WIDTH = 104;
/** From so many rows on the waits and usual work are boxed, too. */
const BOXED_FROM = 41;

export function LivePane({ view }: LivePaneProps) {
  const { columns } = useRoom();
  if (useIsScreenReaderEnabled() || columns < CHART_BESIDE_FROM) return <Prices view={view} hasChart />;
  const { hour, snapshot } = view;
  return (
    <SideBySide
      leftWidth={PRICES_WIDTH}
      left={<Prices view={view} hasChart={false} />}
      right={<HourChart hour={hour} head={Number(snapshot.baseFee)} />}
      isRightOpen={false}
    />
  );
}

type HourChartProps = { readonly hour: ChartView | undefined; readonly head: number };

/** The Chart pane's chart of the last hour, from what Live has polled; drawn anew with the hour, not with each block. */
function HourChart({ hour, head }: HourChartProps) {
  const drawn = useRef<{ readonly hour: ChartView; readonly data: ChartData }>(null);
  const { axis, drawing } = useChartLook();
  if (hour === undefined) return null;
  if (drawn.current?.hour !== hour) {
    const none = { rows: [], problem: null };
    const chart = { ...hour, made: null, problem: null };
    const rest = { percentile: 'p50', tips: none, isByBlock: true, ranges: [], previous: null };
    drawn.current = { hour, data: chartData({ timeFrame: hour.timeFrame, chart, ...rest }, { base: head }) };
  }
  const { data } = drawn.current;
  return data.slots.length < 2 ? null : (
    <ChartPane {...{ data, axis, drawing }} cursor={null} notice={null} hasCursor={false} />
  );
}

function Prices({ view, hasChart: mayHaveChart }: LivePaneProps & { readonly hasChart: boolean }) {
  const { columns, rows } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const width = useTextWidth();
  const { snapshot, status, recommendation, adviceAge, hour, market, symbol, missing } = view;
  const isBoxed = rows >= BOXED_FROM && !isSpoken;
  const box = isBoxed ? BOX_ROWS : 0;
  const alternatives = withOwnWindows(recommendation?.alternatives ?? []);
  const waits = alternatives.filter(({ probability }) => probability !== null);
  const waitColumns = waitColumnsOf(waits, recommendation, width);
  const waitRows = waitFactsOf(waits).filter(([name]) => rows >= RECORD_FROM || name !== IN_THE_PAST);
  const waitTable = useTable({ columns: waitColumns, rows: waitRows, width, margin: 1 });
  const tableLines = waits.length === 0 ? [] : [waitTable.heading, ...waitTable.lines];
  const waitLines = isSpoken ? waits.map((wait): Line => [plain(waitWords(wait))]) : tableLines;
  const waitHeight = waitLines.length === 0 ? 0 : waitLines.length + box;
  const actions = (market?.actions ?? []).slice(0, MOST_ACTIONS);
  const usual = workRows(actions, isSpoken);
  const work = { columns: workColumns(snapshot, symbol), rows: usual };
  const workTable = useTable({ ...work, width, margin: 1 });
  const workRowsUpTo = (rank: number) =>
    actions.length === 0 ? 0 : 2 + box + usual.filter((row) => row.rank <= rank).length;
  const range = useDayRange(view, width);
  const facts = liveFacts(view);
  const reasons = (most: number, of = view) => reasonLines(reasonsOf(of), width, most);
  const room = allot(isSpoken ? SPOKEN_ROWS : rows, {
    facts: flow(facts, width, { most: ALL, gap: 3 }).length,
    // Stale advice keeps its rows.
    reasons: reasons(ALL, { ...view, adviceAge: null }).length,
    firstReason: reasonLines(reasonsOf({ ...view, adviceAge: null }).slice(0, 1), width, 2).length,
    waits: waitHeight,
    range: range.length,
    chart: mayHaveChart ? ALL : 0,
    work: { all: workRowsUpTo(2), most: workRowsUpTo(1), least: workRowsUpTo(0) },
  });
  const hasChart = !isSpoken && room.chart > 0 && hour !== undefined && hour.points.length >= 2;
  // The reason for a missing part may use its room.
  const reasonRoom = room.reasons + (hasChart ? 0 : Math.min(room.chart, missing.length));
  const adviceLines = useFlow(adviceParts(view, width), width, room.advice);
  const factLines = useFlow(facts, width, room.facts);
  const listed = usual
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, Math.max(room.work - 2 - box, 0));
  const isListed = (row: WorkRow | undefined) => listed.some((each) => each === row);
  const workLines = [workTable.heading, ...workTable.lines.filter((_, place) => isListed(usual[place]))];
  const gap: readonly Line[] = room.isAiry ? [EMPTY_LINE] : [];
  const hasWaits = room.waits > 0 && adviceAge === null;
  const parts: readonly (readonly Line[] | ReactElement)[] = [
    [...gap, ...filledTo([...adviceLines, ...reasons(reasonRoom)], room.advice + reasonRoom)],
    room.waits === 0 ? [] : gap,
    isBoxed && hasWaits ? (
      <BoxedTable key="waits" columns={waitColumns} rows={waitRows} />
    ) : (
      filledTo(hasWaits ? waitLines : [NO_WORTH], room.waits)
    ),
    [...gap, ...factLines, ...range.slice(0, room.range), ...(room.work === 0 ? [] : [EMPTY_LINE])],
    isBoxed && room.work > 0 ? (
      <BoxedTable key="work" columns={work.columns} rows={usual.filter(isListed)} />
    ) : (
      workLines.slice(0, Math.max(room.work - 1, 0))
    ),
    hasChart ? gap : [],
  ];
  return (
    <Box flexDirection="column" flexShrink={0} width={columns} height={rows}>
      <Box flexShrink={0}>
        <LaneTable
          snapshot={snapshot}
          isOutdated={isOutdated(status)}
          actions={market?.actions ?? NO_ACTIONS}
          symbol={symbol}
        />
      </Box>
      <Stacked parts={parts} />
      {hasChart ? <SmallChart hour={hour} width={columns} height={room.chart} /> : null}
    </Box>
  );
}

/** Lines and boxes below each other; lines that follow each other are one text. */
function Stacked({ parts }: { readonly parts: readonly (readonly Line[] | ReactElement)[] }) {
  const joined: (Line[] | ReactElement)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isValidElement(part)) joined.push(part);
    else if (Array.isArray(last)) last.push(...part);
    else joined.push([...part]);
  }
  return placed(joined, (part) =>
    Array.isArray(part) ? <LineList lines={part} /> : <Box flexShrink={0}>{part}</Box>,
  );
}

function liveFacts({ snapshot, trend, hour, market, symbol }: LiveView): readonly Line[] {
  const { baseFee, nextBaseFee, blobBaseFee, gasUsedRatio, nativeUsd } = snapshot;
  const change = nextBaseFee === null || baseFee === 0n ? null : Number(nextBaseFee) / Number(baseFee) - 1;
  const ahead = trend?.baseFeeFan.at(-1);
  const blocks = ahead?.blocksAhead === 1 ? '1 block' : `${ahead?.blocksAhead} blocks`;
  // The base fee against the previous hour, or the service's word without a percentage.
  const span = spanText(hour, HOUR_SEC);
  const coinChange = market?.nativeUsdChangeRatio ?? null;
  const isMadeUp = snapshot.source.kind === 'simulated' ? ' simulated' : '';
  const facts: readonly NamedValue[] = [
    ...given(nextBaseFee ?? baseFee, nextBaseFee === null ? 'base' : 'next base', (wei) => [
      bold(formatGwei(wei)),
      ...(change === null ? [] : [plain(' '), changeSpan(change)]),
    ]),
    ...given(ahead, `in ${blocks}`, ({ min, max }) => `${formatGwei(min)} – ${formatGwei(max)}`),
    ...given(trend?.congestion, 'blocks', (ratio) => `${formatPercent(ratio)} full`),
    ...given(trend, '', ({ changeRatio, direction }) =>
      changeRatio === null
        ? direction.toLowerCase()
        : [plain(formatChange(changeRatio, 0)), faint(` against the mean of the ${span}`)],
    ),
    ...given(blobBaseFee, 'blob base', (fee) => `${formatGwei(fee)} gwei`),
    ...given(gasUsedRatio, 'last block', fullnessLine),
    ...given(nativeUsd, symbol, (usd) => [
      plain(formatUsd(usd)),
      faint(`${coinChange === null ? '' : ` ${formatChange(coinChange)}`}${isMadeUp}`),
    ]),
    ...given(market?.volatility, 'volatility', (ratio) => [
      plain(`±${formatPercent(ratio)}`),
      faint(` of the mean of ${daySpan(market, snapshot)}`),
    ]),
  ];
  return facts.map(({ name, value }) => [faint(name === '' ? '' : `${name} `), ...value]);
}

/** Why parts are missing, and the reasons of advice that is not stale. */
function reasonsOf({ missing, recommendation, adviceAge }: LiveView): readonly string[] {
  if (recommendation === undefined || adviceAge !== null) return missing;
  const { action, alternatives } = recommendation;
  // The headline already says that there is none.
  const reasons = recommendation.reasons.map((reason) => reason.replace(/^no advice( yet)?: /, ''));
  const unknown = alternatives.filter(({ probability }) => probability === null);
  const [first, last] = [unknown[0], unknown.at(-1)];
  if (action === null || first === undefined || last === undefined) return [...missing, ...reasons];
  const times = [...new Set([first, last])].map(({ horizonSec }) => formatDuration(horizonSec));
  return [...missing, ...reasons, `waits of ${times.join(' to ')} – ${first.reason ?? 'not measured yet'}`];
}

const RECKONED = [
  'the rule: wait for the row within your patience (P) that saves most, if it is 60 % likely and saves 0.5 %, or 10 % beyond 1h; else send now',
  'likely: how often such a price came in such a time after past blocks like this one',
  '≤: a ceiling, as so few windows of the past support no higher probability',
  'in the past: of past times of that length, one after another, in how many such a price came; a time that has the price of a shorter one is counted there',
  '[15m]: the time that is advised; (6h): longer than you can wait (P)',
  'saves: on average, against sending now, with what the misses cost; if not: what a miss costs or saves against sending now',
  'saved, of a record: against the lowest price that the next block took',
  'a price of a lane is what it usually pays, a price of a wait what some block comes down to',
];

function AdviceInFull({ view }: LivePaneProps) {
  const { rows } = useRoom();
  const width = useTextWidth();
  const { snapshot, recommendation, adviceAge } = view;
  const { alternatives: waits = [], track = null } = (adviceAge === null && recommendation) || {};
  const texts = [
    ...reasonsOf({ ...view, recommendation: recommendation && { ...recommendation, alternatives: [] } }),
    ...withOwnWindows(waits).map(waitWords),
    ...(track === null ? [] : recordTexts(track)).map((text, at) => (at === 0 ? `record: ${text}` : text)),
    // Another service may use another method.
    ...(snapshot.source.kind === 'service' || waits.length === 0 ? [] : RECKONED),
  ];
  const heading = useFlow(adviceParts(view, width), width, 4);
  return (
    <TitledLines
      title={[[bold('Advice')], [faint('Esc closes')]]}
      lines={[...heading, ...reasonLines(texts, width, rows - 2)]}
    />
  );
}

/** Slowly changing data is polled less often. */
const HOUR_CHART_MS = 5_000;
const MARKET_MS = 10_000;
/** A fast recording makes a day's figures stale within seconds. */
const REPLAY_MS = 1_000;

export type LiveView = ReturnType<typeof useLiveView>;

function useLiveView() {
  const snapshot = useShownSnapshot();
  const { status } = useMonitor();
  const isPast = useDim();
  const trend = useTrend(snapshot);
  const recommendation = useRecommendation(snapshot);
  const timeFrame = choiceOf(chartChoices(useDescription()).timeFrames, '1h');
  const hour = useMonitorQuery({
    key: ['chart', timeFrame],
    ask: (client, signal) => client.chart(timeFrame, { signal }),
    head: snapshot,
    freshMs: HOUR_CHART_MS,
  });
  const chart: ChartView | undefined = hour.data;
  const isReplay = snapshot.source.kind === 'replay';
  const market = useMarket('24h', { head: snapshot, freshMs: isReplay ? REPLAY_MS : MARKET_MS });
  const lacking = (name: string, { data, error }: Polled<unknown>) =>
    data !== undefined || error === null ? [] : [`no ${name}: ${missingReason(error, isPast)}`];
  const updatedAt = recommendation.data?.updatedAt ?? null;
  const behindMs = (snapshot.updatedAt ?? 0) - (updatedAt ?? Number.POSITIVE_INFINITY);
  // While its route fails the prices go on without it.
  const mayLagMs = recommendation.error === null ? staleAfterMs(updateSecOf(snapshot)) : 0;
  const isOlder = behindMs > mayLagMs;
  const advisedAt = isOlder ? updatedAt : (snapshot.blockTimestamp ?? snapshot.updatedAt);
  const isOld = isOlder || isPast;
  const adviceAge = useAtNow((now) => (isOld ? formatAge((now - (advisedAt ?? now)) / 1_000) : null));
  return {
    snapshot,
    status,
    trend: trend.data,
    recommendation: recommendation.data,
    adviceAge,
    hour: chart,
    market: market.data,
    symbol: coinSymbol(snapshot.chainId),
    /** Why there is no recommendation, no trend …: one clean line each. */
    missing: [
      ...[...lacking('advice', recommendation), ...lacking('trend', trend)],
      ...[...lacking('market figures', market), ...lacking('chart of the hour', hour)],
      ...(hour.data?.problem == null ? [] : [`no history before the start of gastop: ${hour.data.problem}`]),
    ],
  };
}

/** As long as the waits of the table. */
const PATIENCES_SEC = [300, 900, 3_600, 21_600, 86_400] as const;

export function LiveScreen() {
  const view = useLiveView();
  const copy = useClipboard();
  const { patienceSec, setPatience, newAlert } = useMonitor();
  const { recommendation, adviceAge } = view;
  const isValid = adviceAge === null && recommendation !== undefined;
  const advisedPrice = (isValid && advisedWait(recommendation)?.price) || null;
  const [isOpen, setOpen] = usePaneState('live advice', false);
  const nextPatience = PATIENCES_SEC.find((sec) => sec > patienceSec) ?? PATIENCES_SEC[0];
  usePatienceNotice(view);
  const { averagePrice, lanes } = copiedTexts(view.snapshot);
  useKeys('live', {
    patience: () => setPatience(nextPatience),
    copy: () => copy(averagePrice, `Average ${averagePrice} gwei`),
    'copy-all': () => copy(lanes, 'the three lanes'),
    open: () => setOpen((before) => !before),
    ...(advisedPrice === null ? {} : { alert: () => newAlert(atOrBelow(advisedPrice)) }),
    ...(isOpen ? { close: () => setOpen(() => false) } : {}),
  });
  const Pane = isOpen ? AdviceInFull : LivePane;
  return <Pane view={view} />;
}

/** Says what another patience makes of the advice, as soon as that is there. */
function usePatienceNotice({ recommendation: advice, snapshot }: LiveView): void {
  const toast = useToast();
  const last = useRef<RecommendationView>(undefined);
  const patienceSec = advice?.patienceSec ?? null;
  useEffect(() => {
    const before = last.current;
    if (advice === undefined || patienceSec === null) return;
    last.current = advice;
    if (before?.patienceSec == null || before.patienceSec === patienceSec) return;
    const isSame = advice.action === before.action && advice.deadlineSec === before.deadlineSec;
    const { action, target } = describeAdvice(advice, snapshot);
    const waits = `${formatDuration(patienceSec)}, ${formatDuration(before.patienceSec)} before`;
    const text = `You can wait up to ${waits}: ${isSame ? 'still' : 'now'} ${action} ${target}`;
    toast({ kind: 'info', text: text.trimEnd(), forMs: PATIENCE_SHOWN_MS });
  }, [advice, patienceSec, snapshot, toast]);
}

const PATIENCE_SHOWN_MS = 4_000;

const ACTION_COLORS = new Map<string | null, ColorName>([
  ['SEND_NOW', 'good'],
  ['WAIT', 'warn'],
  ['SET_ALERT', 'accent'],
]);

function adviceParts(view: LiveView, width: number): readonly Line[] {
  const { recommendation: advice, snapshot, adviceAge, missing } = view;
  if (advice === undefined) return [[faint(missing.length > 0 ? '' : 'Asking for advice …')]];
  if (adviceAge !== null && advice.action !== null)
    return [[colored(`advice of ${adviceAge}, no longer valid`, 'warn')]];
  const { probability, expectedSavingRatio: saving, track, patienceSec } = advice;
  const { action, target } = describeAdvice(advice, snapshot);
  const todo = [bold(action, ACTION_COLORS.get(advice.action)), plain(target === '' ? '' : ` ${target}`)];
  if (advice.action === null) return [todo];
  const patience = patienceSec === null ? '' : `you can wait ${formatDuration(patienceSec)}`;
  const wait = advisedWait(advice);
  const stated = describeLikely(wait ?? { probability, isCeiling: null });
  const likely = stated === null ? [faint('likelihood not yet measured')] : [plain(`${stated} likely`)];
  const saves = wait === null || saving === null ? '' : formatSaving(saving);
  // What goes into the headline as long as it keeps to one line; that savings are a mean, misses counted, goes last.
  const isRoomyWith = (more: string) =>
    shownWidth(`${action} ${target}${more}   ${stated} likely   ${saves}`) < width - 1;
  const beside = patience !== '' && isRoomyWith(` (${patience})`) ? ` (${patience})` : '';
  const mean = isRoomyWith(`${beside} on average`) ? ' on average' : '';
  const record = track && describeRecord(track, kindOf(advice));
  const since = (track && recordOf(track, kindOf(advice))?.since) ?? null;
  return [
    [...todo, faint(beside)],
    likely,
    ...(saves === '' ? [] : [[plain(`${saves}${mean}`)]]),
    ...(record === null ? [] : [[faint(record)]]),
    ...(patience === '' || beside !== '' ? [] : [[faint(patience)]]),
    ...(since === null ? [] : [[faint(`since ${dayText(since)}`)]]),
  ];
}

/** As many reasons as fit, wrapped at blanks; the rest is shown after `⏎`. */
function reasonLines(reasons: readonly string[], width: number, most: number): readonly Line[] {
  const lines: Line[] = [];
  for (const reason of reasons) {
    if (lines.length >= most) break;
    const wrapped = wrapText(reason, width - 4, most - lines.length);
    lines.push(...wrapped.map((text, at) => [faint(` ${at === 0 ? '•' : ' '} ${text}`)]));
  }
  return lines;
}

function waitWords(wait: HorizonView): string {
  const facts = WAIT_FACTS.flatMap(([name, of]) => {
    const text = of(wait);
    return text === null ? [] : [`${name} ${text}`];
  });
  const worth = wait.probability === null ? (wait.reason ?? 'not known') : facts.join(', ');
  return `If you can wait ${formatDuration(wait.horizonSec)}: ${worth}`;
}

const NARROW = 70;

/** What each wait is worth: a column for each, `[15m]` the advised one, `(6h)` one beyond the patience. */
function waitColumnsOf(
  waits: readonly HorizonView[],
  advice: RecommendationView | undefined,
  width: number,
): readonly TableColumn<WaitFact>[] {
  const isNarrow = width < NARROW;
  return [
    leftColumn(isNarrow ? 'can wait' : 'if you can wait', isNarrow ? 8 : 15, 0, ([name]) => [
      faint(isNarrow ? name.replace(/,.*/, '') : name),
    ]),
    ...waits.map((wait, place) => {
      const { text, isAdvised, isBeyond } = waitHeading(wait, advice);
      const cell = ([, of]: WaitFact): Line => [
        { text: of(wait) ?? UNKNOWN, bold: isAdvised, faint: isBeyond },
      ];
      return rightColumn(text, 7, isAdvised ? 0 : place + 1, cell, { id: String(wait.horizonSec) });
    }),
  ];
}

const DAY = '24h';
/** Over a shorter time the price hardly moves. */
const LEAST_RANGE_SEC = 60;
const LEAST_CELLS = 6;
const MOST_CELLS = 60;

/** Where the price is between the extremes of the day, and what share of the day was dearer. */
/** How far back the market's figures go, in seconds. */
function reachedSec(market: MarketView | undefined, { blockTimestamp: end }: SnapshotView): number {
  const from = market?.from ?? null;
  return from === null || end === null ? ALL : (end - from) / 1_000;
}

/** A shorter history must not be called a day. */
function daySpan(market: MarketView | undefined, snapshot: SnapshotView): string {
  const sec = reachedSec(market, snapshot);
  return fillsFrame(sec, DAY_SEC) ? DAY : formatSpan(sec);
}

function useDayRange({ market, snapshot, trend }: LiveView, width: number): readonly Line[] {
  const { baseFee, nextBaseFee } = snapshot;
  const now = Number(nextBaseFee ?? baseFee);
  const { base = null } = market ?? {};
  const sec = reachedSec(market, snapshot);
  const span = daySpan(market, snapshot);
  // The day's figures are polled less often than the price, which may have left their range.
  const [min, max] = [Math.min(base?.min ?? now, now), Math.max(base?.max ?? now, now)];
  const [low, high] = [formatGwei(min), formatGwei(max)];
  const rank = trend?.percentileRank24h ?? null;
  const verdict = base === null || rank === null ? '' : `   ${verdictOf(rank, now, base, span)}`;
  const [lowRoom = 0, highRoom = 0, verdictRoom = 0] = useWidest([low, high, verdict].map(shownWidth));
  if (base === null || sec < LEAST_RANGE_SEC) return [];
  const around = ` ${span}   ├┤ `.length + lowRoom + highRoom;
  const isSaid = width - around - verdictRoom >= LEAST_CELLS;
  const cells = Math.min(Math.max(width - around - (isSaid ? verdictRoom : 0), LEAST_CELLS), MOST_CELLS);
  const place = Math.round((max > min ? (now - min) / (max - min) : 0.5) * (cells - 1));
  return [
    [
      ...[faint(` ${span}  `), plain(low.padEnd(lowRoom)), faint(` ├${'─'.repeat(place)}`)],
      ...[bold('●', 'accent'), faint(`${'─'.repeat(cells - 1 - place)}┤ `)],
      ...[
        plain(high.padEnd(highRoom)),
        colored(isSaid ? verdict : '', rank === null ? undefined : rankColor(rank)),
      ],
    ],
  ];
}

/** Maximum distance from the median: that of an even number is between two values, and some blocks old. */
const AROUND_MEDIAN = 1.02;

/** Compares the price with the day, correctly even for equal prices; empty where `rank` is of another history. */
function verdictOf(rank: number, now: number, { min, median, max }: StatsView, span: string): string {
  const past = span === DAY ? 'the day' : span === '1h' ? 'the last hour' : `the last ${span}`;
  const off = median === null ? null : now / median;
  if (off !== null && (rank > 0.5 ? off < 1 / AROUND_MEDIAN : off > AROUND_MEDIAN)) return '';
  if (rank === 0) return `${min === max && now === max ? 'unchanged in' : 'the lowest of'} ${past}`;
  if (rank > 0.99) return `among the highest of ${past}`;
  // At most half is below, and it is at least the median: it is the median.
  if (rank <= 0.5 && off !== null && off >= 1) return `the usual price of ${past}`;
  return `${rankText(rank)} of ${past}`;
}

/** `last hour`, also of one whose last bucket is missing, or `last 12m`. */
function spanText(hour: ChartView | undefined, mostSec = ALL): string {
  const [first, last] = [hour?.points[0], hour?.points.at(-1)];
  const ownSec = first && last && (last.timestamp - first.timestamp) / 1_000 + (hour?.bucketSec ?? 0);
  const sec = Math.min(ownSec ?? HOUR_SEC, mostSec);
  return Math.abs(sec / HOUR_SEC - 1) < 0.1 ? 'last hour' : `last ${formatSpan(sec)}`;
}

type SmallChartProps = { readonly hour: ChartView; readonly width: number; readonly height: number };

const SmallChart = memo(function SmallChart({ hour, width, height }: SmallChartProps) {
  const lines = [
    { color: 'base', name: 'base', style: 'solid', values: hour.points.map(({ base }) => base) },
    { color: 'tip', name: 'tip p50', style: 'dashed', values: hour.points.map(({ priority }) => priority) },
  ] as const;
  const series = lines.filter(({ values }) => values.some((value) => value !== null));
  const legend = series.flatMap(({ color, name, style }): Line => {
    return [plain('   '), colored(legendGlyph(style).repeat(2), color), plain(` ${name}`)];
  });
  return (
    <Box flexDirection="column" flexShrink={0}>
      <OneLine line={[faint(` ${spanText(hour)} in gwei`), ...legend]} width={width} />
      <LineChart series={series} width={width} height={height - 1} format={formatGwei} />
    </Box>
  );
});
