import { Box, useIsScreenReaderEnabled } from 'ink';
import { useEffect, useRef } from 'react';
import type { RecommendationView } from '../../../client/views/advice.ts';
import type { MarketView, StatsView } from '../../../client/views/dashboard.ts';
import {
  advisedWait,
  describeAdvice,
  IN_THE_PAST,
  waitFactsOf,
  withOwnWindows,
} from '../../../client/views/gas-texts.ts';
import { HORIZONS_SEC } from '../../../core/advice.ts';
import { isOutdated } from '../../../core/chain-status.ts';
import { changeRatio } from '../../../core/market-stats.ts';
import { HOUR_SEC } from '../../../core/time.ts';
import { formatChange, formatDuration, formatGwei, formatPercent, formatUsd } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/toast.tsx';
import { atOrBelow } from '../../data/alert-prefill.ts';
import { useMonitor } from '../../data/monitor-context.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { given, type NamedValue, useFlow, useWidest } from '../../ui/fact-list.tsx';
import { usePaneMemory, useRoom, useTextWidth } from '../../ui/pane-context.tsx';
import { SideBySide } from '../../ui/side-by-side.tsx';
import { BOX_ROWS, BoxedTable, useTable } from '../../ui/table.tsx';
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
  plain,
  rankColor,
  rankText,
  shownWidth,
} from '../../ui/text.tsx';
import { reachedSec, spanOf } from '../../ui/time.ts';
import { AdviceInFull, adviceParts, reasonLines, reasonsOf, waitColumnsOf, waitWords } from './advice.tsx';
import { HourChart, SmallChart, spanText } from './hour-chart.tsx';
import { copiedTexts, LaneTable, type WorkRow, workColumns, workRows } from './lane-table.tsx';
import { type LiveView, useLiveView } from './live-view.ts';

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

type PricesScreenProps = { readonly view: LiveView };

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

export function PricesScreen({ view }: PricesScreenProps) {
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

function Prices({ view, hasChart: mayHaveChart }: PricesScreenProps & { readonly hasChart: boolean }) {
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
  return (
    <Box flexDirection="column" flexShrink={0} width={columns} height={rows}>
      <LaneTable
        snapshot={snapshot}
        isOutdated={isOutdated(status)}
        actions={market?.actions ?? NO_ACTIONS}
        symbol={symbol}
      />
      <LineList
        lines={[...gap, ...filledTo([...adviceLines, ...reasons(reasonRoom)], room.advice + reasonRoom)]}
      />
      <LineList lines={room.waits === 0 ? [] : gap} />
      {isBoxed && hasWaits ? (
        <BoxedTable columns={waitColumns} rows={waitRows} />
      ) : (
        <LineList lines={filledTo(hasWaits ? waitLines : [NO_WORTH], room.waits)} />
      )}
      <LineList
        lines={[
          ...gap,
          ...factLines,
          ...range.slice(0, room.range),
          ...(room.work === 0 ? [] : [EMPTY_LINE]),
        ]}
      />
      {isBoxed && room.work > 0 ? (
        <BoxedTable columns={work.columns} rows={usual.filter(isListed)} />
      ) : (
        <LineList lines={workLines.slice(0, Math.max(room.work - 1, 0))} />
      )}
      <LineList lines={hasChart ? gap : []} />
      {hasChart ? <SmallChart hour={hour} width={columns} height={room.chart} /> : null}
    </Box>
  );
}

const DAY = '24h';
/** Over a shorter time the price hardly moves. */
const LEAST_RANGE_SEC = 60;
const LEAST_CELLS = 6;
const MOST_CELLS = 60;

/** Where the price is between the extremes of the day, and what share of the day was dearer. */
function useDayRange({ market, snapshot, trend }: LiveView, width: number): readonly Line[] {
  const { baseFee, nextBaseFee } = snapshot;
  const now = Number(nextBaseFee ?? baseFee);
  const { base = null } = market ?? {};
  const sec = reachedSec(market?.from ?? null, snapshot.blockTimestamp);
  const span = spanOf(sec, DAY);
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

function liveFacts({ snapshot, trend, hour, market, symbol }: LiveView): readonly Line[] {
  const { baseFee, nextBaseFee, blobBaseFee, gasUsedRatio, nativeUsd } = snapshot;
  const change = nextBaseFee === null ? null : changeRatio(Number(nextBaseFee), Number(baseFee));
  const ahead = trend?.baseFeeFan.at(-1);
  const blocks = ahead?.blocksAhead === 1 ? '1 block' : `${ahead?.blocksAhead} blocks`;
  // The base fee against the previous hour, or the service's word without a percentage.
  const span = spanText(hour, HOUR_SEC);
  const coinChange = market?.nativeUsdChangeRatio ?? null;
  const day = spanOf(reachedSec(market?.from ?? null, snapshot.blockTimestamp), DAY);
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
      faint(` of the mean of ${day}`),
    ]),
  ];
  return facts.map(({ name, value }) => [faint(name === '' ? '' : `${name} `), ...value]);
}

export function LivePane() {
  const view = useLiveView();
  const copy = useClipboard();
  const { patienceSec, setPatience, newAlert } = useMonitor();
  const { recommendation, adviceAge } = view;
  const isValid = adviceAge === null && recommendation !== undefined;
  const advisedPrice = (isValid && advisedWait(recommendation)?.price) || null;
  const [isOpen, setOpen] = usePaneMemory('live advice', false);
  const nextPatience = HORIZONS_SEC.find((sec) => sec > patienceSec) ?? HORIZONS_SEC[0];
  usePatienceNotice(view);
  const { averagePrice, lanes } = copiedTexts(view.snapshot);
  useKeys('live', {
    patience: () => setPatience(nextPatience),
    copy: () => copy(averagePrice, `Average ${averagePrice} gwei`),
    'copy-all': () => copy(lanes, 'the three lanes'),
    open: () => setOpen((before) => !before),
    alert: advisedPrice === null ? undefined : () => newAlert(atOrBelow(advisedPrice)),
    close: isOpen ? () => setOpen(false) : undefined,
  });
  const Pane = isOpen ? AdviceInFull : PricesScreen;
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
