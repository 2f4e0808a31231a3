import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo, useMemo } from 'react';
import { chainProfile } from '../../../core/chains.ts';
import { formatGwei, formatPercent, gweiString } from '../../../core/units.ts';
import { useKeptState, useNavigation } from '../../app/ui-state.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useDescription, useMarket, useMonitor, useReach } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { chartPlotWidth, LineChart } from '../../ui/line-chart.tsx';
import { useRoom, useShownSnapshot } from '../../ui/pane-context.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import {
  displayWidth,
  EMPTY_LINE,
  faint,
  flow,
  type Line,
  LineList,
  placed,
  SegmentLine,
} from '../../ui/text.tsx';
import { timeFrameName } from '../../ui/time.ts';
import { thereAgain } from '../alerts/alert-prefill.ts';
import {
  type ChartData,
  type ChartSlot,
  type ChartState,
  chartChoices,
  chartData,
  choiceOf,
  hoursTimeFrame,
  slotAt,
  useChartData,
} from './chart-data.ts';
import {
  chartWords,
  cursorSegments,
  figureRows,
  markLook,
  moment,
  REACH_SEC,
  slotPrice,
  timeLabels,
} from './chart-lines.ts';
import { HoursPane } from './cheap-hours.tsx';

/** A name of 8 columns, two prices of 11 (prices of some wei) and gaps. */
const SIDE_WIDTH = 35;
const SIDE_FROM = 116;
/** With fewer rows two charts would be too flat to read. */
const TWO_CHARTS_FROM = 7;
const THREE_CHARTS_FROM = 26;
/** A screen reader reads the figures of every chart. */
const SPOKEN_ROWS = 100;

/** The rows of each chart. Base fee and tips have their own if possible: one would flatten the other. */
function chartRows(rows: number, hasTips: boolean) {
  const gas = rows >= THREE_CHARTS_FROM ? Math.round((rows - 1) * 0.2) : 0;
  // Each chart after the first needs one row for its caption.
  const left = rows - (gas === 0 ? 0 : gas + 1);
  if (!hasTips || left - 1 < TWO_CHARTS_FROM) return { base: Math.max(left, 1), tip: 0, gas };
  const tip = Math.max(Math.round((left - 1) * 0.33), 2);
  return { base: left - 1 - tip, tip, gas };
}

export function ChartSide({ data, height }: Pick<ChartPaneProps, 'data'> & { readonly height: number }) {
  const inner = SIDE_WIDTH - 3;
  const column = Math.floor((inner - 8) / 2);
  const figures = figureRows(data).map(
    ([name, base, tip], place): Line => [
      { text: name.padEnd(8) + ` ${base}`.padStart(column) + ` ${tip}`.padStart(column), faint: place === 0 },
    ],
  );
  const room = Math.max(height - figures.length - 3, 0);
  const marks = data.marks.slice(Math.max(data.marks.length - room, 0)).toReversed();
  const marked = marks.map(({ kind, timestamp, value }): Line => {
    const { glyph, name, color } = markLook(kind);
    const left = `${glyph} ${moment(timestamp, data.timeFrame)} ${name}`;
    const price = value === null ? '' : formatGwei(value);
    return [{ text: left + price.padStart(Math.max(inner - displayWidth(left), price.length + 1)), color }];
  });
  const heading = marks.length === 0 ? [] : [EMPTY_LINE, [faint('marked, newest first')]];
  return (
    <Box width={SIDE_WIDTH} height={height} paddingLeft={2} overflow="hidden">
      <LineList lines={[...figures, ...heading, ...marked]} width={inner} />
    </Box>
  );
}

export interface ChartPaneProps {
  readonly data: ChartData;
  readonly cursor: number | null;
  readonly notice: Line | null;
  readonly likely?: number | null;
}

export const ChartPane = memo(function ChartPane(props: ChartPaneProps) {
  const { data, cursor, notice, likely = null } = props;
  const { columns: width, rows: height } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const { slots, marks } = data;
  const hasTips = slots.some(({ tip }) => tip !== null);
  const { legend, previous, ...words } = chartWords(data);
  const titled = [...words.title, ...legend];
  // Everything drawn is explained: parts that do not fit into the title go below it.
  const title = flow(titled, width)[0] ?? [];
  const unexplained = legend.filter((segment) => !segment.every((span) => title.includes(span)));
  const above = [titled, unexplained, notice === null ? [] : [notice]].filter(({ length }) => length > 0);
  const hasSide = width >= SIDE_FROM && !isSpoken;
  const chartWidth = width - (hasSide ? SIDE_WIDTH : 0);
  // The caption of the base fee, the time labels and the cursor line.
  const around = above.length + 3 + previous.length + (hasTips ? 0 : 1);
  const rows = chartRows((isSpoken ? SPOKEN_ROWS : height) - around, hasTips);

  const index = cursor === null ? null : slotAt(slots, cursor);
  const plotWidth = Math.max(chartPlotWidth(chartWidth), 1);
  const values = (name: Exclude<keyof ChartSlot, 'timestamp'>) => slots.map((slot) => slot[name]);
  const base = { color: 'base', values: values('base'), lows: values('low'), highs: values('high') } as const;
  const before = { color: 'previous', style: 'dotted', values: values('previous') } as const;
  const tip = { color: 'tip', style: 'dashed', values: values('tip') } as const;
  const gas = { color: 'warn', values: values('gasUsedRatio') } as const;
  // Of two in one column the more important is drawn last, on top.
  const looks = marks
    .map((mark) => ({ index: mark.index, ...markLook(mark.kind) }))
    .sort((a, b) => a.rank - b.rank);
  const charts = [
    {
      captions: [words.base, ...previous],
      height: rows.base,
      series: [base, ...(data.compared ? [before] : []), ...(rows.tip === 0 && hasTips ? [tip] : [])],
      marks: looks,
    },
    { captions: [words.tip], height: rows.tip, series: [tip] },
    {
      captions: [words.gas],
      height: rows.gas,
      series: [gas],
      include: [0, 1],
      format: (ratio: number) => formatPercent(ratio),
    },
  ].filter((chart) => chart.height > 0);

  const slot = slots[index ?? slots.length - 1];
  const isNear = (mark: { readonly index: number }) =>
    index !== null && Math.abs(mark.index - index) <= slots.length / plotWidth / 2;
  const at = slot && { slot, isFollowing: index === null, marks: marks.filter(isNear), likely };
  const cursorLine = at === undefined ? [] : cursorSegments(data, at);
  const xLabels = timeLabels(
    slots.map(({ timestamp }) => timestamp),
    plotWidth,
  );
  const line = (of: number) => (segments: readonly Line[]) => <SegmentLine segments={segments} width={of} />;
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {placed(above, line(width))}
      <Box flexDirection="row">
        <Box flexDirection="column" width={chartWidth} flexShrink={0}>
          {placed(charts, ({ captions, height: own, ...chart }, place) => (
            <>
              {placed(captions, line(chartWidth))}
              <LineChart
                format={formatGwei}
                {...chart}
                width={chartWidth}
                cursor={index}
                {...(place < charts.length - 1 ? { height: own } : { height: own + 1, xLabels })}
              />
            </>
          ))}
          {hasTips ? null : line(chartWidth)(words.tip)}
        </Box>
        {hasSide ? <ChartSide data={data} height={height - above.length - 1} /> : null}
      </Box>
      {line(width)(cursorLine)}
    </Box>
  );
});

const HEATMAP_MS = 300_000;
/** A young history soon fills an hour. */
const FRESH_HOURS_MS = 30_000;

const INITIAL: ChartState = {
  timeFrame: '1h',
  percentile: 'p50',
  compare: false,
  heatmap: false,
  cursor: null,
};

export function ChartScreen() {
  const snapshot = useShownSnapshot();
  const { columns } = useRoom();
  const [chosen, change] = useKeptState('chart', INITIAL);
  const description = useDescription();
  const { timeFrames, percentiles } = chartChoices(description);
  const timeFrame = choiceOf(timeFrames, chosen.timeFrame);
  const state = { ...chosen, timeFrame, percentile: choiceOf(percentiles, chosen.percentile) };
  const { saveFile, now, intervalMs } = useMonitor();
  const toast = useToast();
  const { newAlert } = useNavigation();
  const chart = useChartData(state, snapshot);
  const hoursFrame = hoursTimeFrame(description);
  const hours = useMarket(hoursFrame, {
    enabled: state.heatmap,
    everyMs: Math.max(intervalMs, HEATMAP_MS),
    freshMs: Math.max(intervalMs, FRESH_HOURS_MS),
  });
  const responses = chart.data;
  const data = useMemo(
    () => (responses === undefined ? null : chartData(responses, Number(snapshot.baseFee))),
    [responses, snapshot.baseFee],
  );
  const slots = data?.slots ?? [];
  const heatmap = hours.data?.heatmap ?? null;
  const slot = state.cursor === null || state.heatmap ? undefined : slots[slotAt(slots, state.cursor)];
  const price = slot === undefined ? null : slotPrice(slot);
  const reach = useReach(price, REACH_SEC, snapshot);

  const choose = (next: (before: ChartState) => Partial<ChartState>) =>
    change((before) => ({ ...before, ...next(before) }));
  const moveTo = (cursor: number | null) => choose(() => ({ cursor }));
  const moveBy = (by: number) => {
    // One press moves the cursor by one column.
    const step = Math.max(1, Math.round(slots.length / Math.max(chartPlotWidth(columns), 1)));
    const from = state.cursor === null ? slots.length - 1 : slotAt(slots, state.cursor);
    const to = Math.max(from + by * step, 0);
    moveTo(to >= slots.length - 1 ? null : (slots[to]?.timestamp ?? null));
  };
  const save = async (span: string, text: string) => {
    try {
      toast({ kind: 'info', text: `Saved ${await saveFile(csvName(snapshot.chainId, span, now()), text)}` });
    } catch (error) {
      toast({ kind: 'error', text: saveErrorText(error) });
    }
  };
  const write = state.heatmap
    ? heatmap && (() => void save('hours', heatmapCsv(heatmap)))
    : data && (() => void save(data.timeFrame, chartCsv(data)));
  const toggleHours = () => choose((before) => ({ heatmap: !before.heatmap }));
  const nextTimeFrame = () => choose((before) => ({ timeFrame: choiceOf(timeFrames, before.timeFrame, 1) }));
  const nextPercentile = () =>
    choose((before) => ({ percentile: choiceOf(percentiles, before.percentile, 1) }));
  const chartKeys = {
    ...(timeFrames.length > 1 ? { 'time-frame': nextTimeFrame } : {}),
    ...(percentiles.length > 1 ? { percentile: nextPercentile } : {}),
    compare: () => choose((before) => ({ compare: !before.compare })),
    ...(price === null ? {} : { alert: () => newAlert(thereAgain(price, snapshot.lanes.average.price)) }),
    'cursor-left': () => moveBy(-1),
    'cursor-right': () => moveBy(1),
    start: () => moveTo(slots[0]?.timestamp ?? null),
    end: () => moveTo(null),
  };
  useKeys('chart', {
    heatmap: toggleHours,
    write: write ?? 'Nothing to save yet: wait until the chart is there',
    ...(state.heatmap ? { close: toggleHours } : chartKeys),
  });

  const empty = (title: string, hint: string) => <PaneState kind="empty" title={title} hint={hint} />;
  if (state.heatmap) {
    const isKnown = heatmap?.some((row) => row.some((value) => value !== null)) === true;
    return (
      <PolledFrame polled={hours} what="the hours of the week">
        {(notice) =>
          heatmap === null || !isKnown ? (
            empty(
              'No hours to compare yet',
              'Each hour that is seen fills its place; h goes back to the chart.',
            )
          ) : (
            <HoursPane
              {...{ notice, heatmap }}
              timeFrame={hoursFrame}
              from={hours.data?.from ?? null}
              now={snapshot.blockTimestamp ?? now()}
            />
          )
        }
      </PolledFrame>
    );
  }
  return (
    <PolledFrame
      polled={chart}
      what={`the ${timeFrameName(state.timeFrame)}`}
      hint="r asks again now, t tries another time frame"
      pending={chart.pending}
    >
      {(notice) =>
        data === null || slots.length === 0 ? (
          empty('No history yet', 'The chart begins with the next block; t tries another time frame.')
        ) : (
          <ChartPane {...{ data, notice }} cursor={state.cursor} likely={reach.data?.probability ?? null} />
        )
      }
    </PolledFrame>
  );
}

/** `gastop-ethereum-24h-20261120T194407Z.csv`; `what` is the time frame, or another name of the content. */
export function csvName(chainId: number | null, what: string, now: number): string {
  const name = chainId === null ? 'chain' : chainProfile(chainId).name;
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  return `gastop-${slug}-${what}-${stamp}.csv`;
}

export function chartCsv(data: ChartData): string {
  const header = ['timestamp_utc', 'base_fee_gwei', 'base_fee_min_gwei', 'base_fee_max_gwei'];
  header.push(`priority_fee_${data.percentile}_gwei`, 'gas_used_ratio');
  if (data.compared) header.push(`base_fee_${data.timeFrame}_before_gwei`);
  header.push('marks');
  const marks = Map.groupBy(data.marks, ({ index }) => index);
  const rows = data.slots.flatMap((slot, index) => {
    // Steps in a hole of the history are drawn, but have no measurements.
    if (slot.base === null) return [];
    const cells = [
      new Date(slot.timestamp).toISOString(),
      gwei(slot.base),
      gwei(slot.low),
      gwei(slot.high),
      gwei(slot.tip),
      slot.gasUsedRatio === null ? '' : String(Number(slot.gasUsedRatio.toFixed(6))),
    ];
    if (data.compared) cells.push(gwei(slot.previous));
    cells.push(csvText((marks.get(index) ?? []).map(({ kind }) => kind).join(' ')));
    return [cells.join(',')];
  });
  return `${[header.join(','), ...rows].join('\n')}\n`;
}

export function heatmapCsv(heatmap: readonly (readonly (number | null)[])[]): string {
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
  const rows = heatmap.flatMap((hours, day) =>
    hours.map((value, hour) => `${days[day] ?? day},${hour},${gwei(value)}`),
  );
  return `${['weekday_utc,hour_utc,mean_base_fee_gwei', ...rows].join('\n')}\n`;
}

function gwei(wei: number | null): string {
  return wei === null ? '' : gweiString(BigInt(Math.round(wei)));
}

/** A service's text may contain commas, or begin like a spreadsheet formula. */
function csvText(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const SAVE_ERRORS = new Map<unknown, string>([
  ...['EACCES', 'EPERM', 'EROFS'].map(
    (code) => [code, 'the current folder is read-only; start gastop in one you can write to'] as const,
  ),
  ...['ENOSPC', 'EDQUOT'].map((code) => [code, 'the disk is full'] as const),
  ['ENOENT', 'the current folder is gone; start gastop in another'],
]);

export function saveErrorText(error: unknown): string {
  if (!(error instanceof Error)) return `Not saved: ${error}`;
  return `Not saved: ${SAVE_ERRORS.get('code' in error && error.code) ?? error.message}`.replaceAll(
    '\n',
    ' ',
  );
}
