import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { memo, useMemo } from 'react';
import {
  formatChange,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer, useNavigation } from '../../app/ui-state.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useDescription, useMonitor, useReach } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { type ChartSeries, chartPlotWidth, LineChart } from '../../ui/line-chart.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { displayWidth, fitSegments, type Line, placed, SegmentLine, Words } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { type OffsetAt, systemOffset, timeFrameName, zoneText } from '../../ui/time.ts';
import { thereAgain } from '../alerts/alert-prefill.ts';
import { chartCsv, csvName, heatmapCsv, saveErrorText } from './chart-csv.ts';
import { type ChartData, chartData, slotAt, useChartData, useHeatmap } from './chart-data.ts';
import {
  chartChoices,
  chartReducer,
  hoursTimeFrame,
  INITIAL_CHART_STATE,
  offeredChoice,
} from './chart-state.ts';
import {
  baseSegments,
  byRank,
  countMarks,
  cursorSegments,
  gasSegments,
  type LineSummary,
  legendSegments,
  markLook,
  moment,
  previousSegments,
  quantile,
  REACH_SEC,
  slotPrice,
  summarise,
  summariseBase,
  timeLabels,
  tipSegments,
  titleSegments,
} from './chart-words.ts';
import { HoursPane } from './cheap-hours.tsx';

/** How the room of the pane is shared; rows and columns. */
interface ChartLayout {
  readonly chartWidth: number;
  /** Columns of the figures at the right; 0 where there is no room. */
  readonly sideWidth: number;
  readonly baseRows: number;
  /** 0: the tips are drawn into the chart of the base fee. */
  readonly tipRows: number;
  /** 0: not shown. */
  readonly gasRows: number;
}

/** A name of 8 columns and two prices of 11, as those of some wei are, with what keeps them apart. */
const SIDE_WIDTH = 35;
const SIDE_FROM = 116;
/** Below this two charts would both be too flat to read. */
const TWO_CHARTS_FROM = 7;
const THREE_CHARTS_FROM = 26;

/**
 * Shares what title, captions, time labels and cursor line leave (`rows`). Base fee and tips are charts of their own
 * where possible: a tip of 2 gwei over a base fee of 0.05 would otherwise press one of them flat.
 */
export function chartLayout(width: number, rows: number, hasTips: boolean): ChartLayout {
  const sideWidth = width >= SIDE_FROM ? SIDE_WIDTH : 0;
  const chartWidth = width - sideWidth;
  const only = { chartWidth, sideWidth, baseRows: Math.max(rows, 1), tipRows: 0, gasRows: 0 };
  const gasRows = rows >= THREE_CHARTS_FROM ? Math.round((rows - 1) * 0.2) : 0;
  const left = gasRows > 0 ? rows - gasRows - 1 : rows;
  // One row goes to the caption of each chart after the first.
  if (!hasTips || left - 1 < TWO_CHARTS_FROM) return { ...only, baseRows: Math.max(left, 1), gasRows };
  const tipRows = Math.max(Math.round((left - 1) * 0.33), 2);
  return { ...only, baseRows: left - 1 - tipRows, tipRows, gasRows };
}

interface ChartSideProps {
  readonly data: ChartData;
  readonly width: number;
  readonly height: number;
  readonly offsetAt: OffsetAt;
}

/** Figures of the window beside a wide chart: base fee and tips in columns, gas used, the latest marks. */
export function ChartSide({ data, width, height, offsetAt }: ChartSideProps) {
  const theme = useTheme();
  const inner = width - 3;
  const rows = figureRows(data);
  const room = Math.max(height - rows.length - 4, 0);
  const marks = data.marks.slice(Math.max(data.marks.length - room, 0)).toReversed();
  return (
    <Box
      flexDirection="column"
      width={width}
      height={height}
      paddingLeft={2}
      paddingRight={1}
      overflow="hidden"
    >
      <Words faint>{theme.text(columns(['', 'base', `tip ${data.percentile}`], inner))}</Words>
      {rows.map(([name, base, tip]) => (
        <Words key={name}>{theme.text(columns([name, base, tip], inner))}</Words>
      ))}
      {marks.length > 0 && (
        <Box flexDirection="column" marginTop={1}>
          <Words faint>marked, newest first</Words>
          {placed(marks, (mark) => {
            const look = markLook(mark.kind, theme.ascii);
            const when = moment(mark.timestamp, data, offsetAt);
            const value = mark.value === null ? '' : formatGwei(mark.value);
            const left = `${look.glyph} ${when} ${look.name}`;
            return (
              <Words color={look.color}>
                {left + value.padStart(Math.max(inner - displayWidth(left), value.length + 1))}
              </Words>
            );
          })}
        </Box>
      )}
    </Box>
  );
}

function figureRows(data: ChartData): readonly (readonly [string, string, string])[] {
  const base = data.slots.map((slot) => slot.base);
  const tip = data.slots.map((slot) => slot.tip);
  const [of, tips] = [summariseBase(data), summarise(tip)];
  const gas = summarise(data.slots.map(({ gasUsedRatio }) => gasUsedRatio));
  const gwei = (value: number | null | undefined) => (value == null ? UNKNOWN : formatGwei(value));
  const change = (value: number | null | undefined) => (value == null ? UNKNOWN : formatChange(value));
  const spread = (at: number): [string, string] => [gwei(quantile(base, at)), gwei(quantile(tip, at))];
  return [
    ['now', gwei(of?.now), gwei(tips?.now)],
    ['change', change(of?.changeRatio), change(tips?.changeRatio)],
    ['max', gwei(of?.max), gwei(tips?.max)],
    ['p90', ...spread(0.9)],
    ['mean', gwei(of?.mean), gwei(tips?.mean)],
    ['median', ...spread(0.5)],
    ['p10', ...spread(0.1)],
    ['min', gwei(of?.min), gwei(tips?.min)],
    ['full', gas === null ? UNKNOWN : formatPercent(gas.mean), gas === null ? '' : '(mean)'],
  ];
}

function columns([name, base, tip]: readonly [string, string, string], width: number): string {
  const each = Math.floor((width - 8) / 2);
  return name.padEnd(8) + ` ${base}`.padStart(each) + ` ${tip}`.padStart(each);
}

export interface ChartPaneProps {
  /** At least one slot. */
  readonly data: ChartData;
  readonly width: number;
  readonly height: number;
  /** The moment under the cursor, ms; `null` follows the newest value. */
  readonly cursor: number | null;
  /** A line about the data itself: what is loading, or why it is old. */
  readonly notice: Line | null;
  readonly offsetAt: OffsetAt;
  /** How likely the price under the cursor is reached again soon; left out: not known. */
  readonly likely?: number | null;
}

/** The chart of base fee and tips with all that is said about it; fills exactly its room. */
export const ChartPane = memo(function ChartPane({
  data,
  width,
  height,
  cursor,
  notice,
  offsetAt,
  likely = null,
}: ChartPaneProps) {
  const theme = useTheme();
  const { slots } = data;
  const hasTips = slots.some(({ tip }) => tip !== null);
  const legend = legendSegments(data, theme);
  const title = fitSegments([...titleSegments(data, offsetAt), ...legend], width - 2);
  // Nothing is drawn that is not explained: what the title has no room for stands below it.
  const unexplained = legend.filter((segment) => !title.includes(segment));
  // Title, base caption, time labels and cursor line; then what is there only at times.
  const more = (notice === null ? 0 : 1) + (unexplained.length === 0 ? 0 : 1);
  const lines = 4 + more + (data.compared ? 1 : 0);
  const layout = chartLayout(width, height - lines - (hasTips ? 0 : 1), hasTips);
  const { chartWidth, baseRows, tipRows, gasRows } = layout;

  const index = cursor === null ? null : slotAt(slots, cursor);
  const slot = slots[index ?? slots.length - 1];
  const labels = timeLabels(
    slots.map(({ timestamp }) => timestamp),
    chartPlotWidth(chartWidth),
    offsetAt,
  );
  const marks = byRank(data.marks).map((mark) => {
    const look = markLook(mark.kind, theme.ascii);
    return { index: mark.index, glyph: look.glyph, color: theme.color(look.color) };
  });
  // The cursor names the marks in its column.
  const reach = slots.length / Math.max(chartPlotWidth(chartWidth), 1) / 2;
  const explained = index === null ? [] : data.marks.filter((mark) => Math.abs(mark.index - index) <= reach);
  const base: ChartSeries = {
    label: 'base',
    color: theme.color('base'),
    style: 'solid',
    values: slots.map((one) => one.base),
    lows: slots.map((one) => one.low),
    highs: slots.map((one) => one.high),
  };
  const tip: ChartSeries = {
    label: 'tip',
    color: theme.color('tip'),
    style: 'dashed',
    values: slots.map((one) => one.tip),
  };
  const previous: ChartSeries = {
    label: 'before',
    color: theme.color('previous'),
    style: 'dotted',
    values: slots.map((one) => one.previous),
  };
  const upper = [base, ...(data.compared ? [previous] : []), ...(tipRows === 0 && hasTips ? [tip] : [])];
  const shared = { width: chartWidth, format: formatGwei, cursor: index } as const;
  const last = gasRows > 0 ? 'gas' : tipRows > 0 ? 'tip' : 'base';
  const bottom = (place: typeof last) => (place === last ? { xLabels: labels } : {});
  const extra = (place: typeof last) => (place === last ? 1 : 0);

  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={title} width={width} />
      {unexplained.length > 0 && <SegmentLine segments={unexplained} width={width} />}
      {notice !== null && <SegmentLine segments={[notice]} width={width} />}
      <Box flexDirection="row">
        <Box flexDirection="column" width={chartWidth} flexShrink={0}>
          <SegmentLine segments={baseSegments(data, theme)} width={chartWidth} />
          {data.compared && <SegmentLine segments={previousSegments(data, theme)} width={chartWidth} />}
          <LineChart
            {...shared}
            series={upper}
            marks={marks}
            height={baseRows + extra('base')}
            {...bottom('base')}
          />
          {tipRows > 0 && (
            <>
              <SegmentLine segments={tipSegments(data, theme)} width={chartWidth} />
              <LineChart {...shared} series={[tip]} height={tipRows + extra('tip')} {...bottom('tip')} />
            </>
          )}
          {gasRows > 0 && (
            <>
              <SegmentLine segments={gasSegments(data, theme)} width={chartWidth} />
              <LineChart
                {...shared}
                format={(ratio) => formatPercent(ratio)}
                include={[0, 1]}
                series={[
                  {
                    label: 'full',
                    color: theme.color('warn'),
                    values: slots.map(({ gasUsedRatio }) => gasUsedRatio),
                  },
                ]}
                height={gasRows + extra('gas')}
                {...bottom('gas')}
              />
            </>
          )}
          {!hasTips && <SegmentLine segments={tipSegments(data, theme)} width={chartWidth} />}
        </Box>
        {layout.sideWidth > 0 && (
          <ChartSide data={data} width={layout.sideWidth} height={height - 2 - more} offsetAt={offsetAt} />
        )}
      </Box>
      {slot && (
        <SegmentLine
          segments={cursorSegments(data, slot, index === null, explained, theme, offsetAt, likely)}
          width={width}
        />
      )}
    </Box>
  );
});

interface SpokenChartProps {
  readonly data: ChartData;
  readonly cursor: number | null;
  readonly offsetAt: OffsetAt;
  /** How likely the price under the cursor is reached again soon. */
  readonly likely: number | null;
}

/** The chart in sentences, for screen readers: a drawing of lines would be read sign by sign. */
function SpokenChart({ data, cursor, offsetAt, likely }: SpokenChartProps) {
  const slot = data.slots[cursor === null ? data.slots.length - 1 : slotAt(data.slots, cursor)];
  const marks = countMarks(data.marks, true).map(({ look, count }) => `${count} ${look.name}`);
  return (
    <Box flexDirection="column">
      <Text>{`Chart of the ${timeFrameName(data.timeFrame)}, in gwei.`}</Text>
      <Text>{sentence('Base fee', summariseBase(data))}</Text>
      <Text>{sentence(`Tip ${data.percentile}`, summarise(data.slots.map(({ tip }) => tip)))}</Text>
      {data.compared && (
        <Text>
          {data.previousProblem ??
            sentence(
              `Base fee ${data.timeFrame} before`,
              summarise(data.slots.map(({ previous }) => previous)),
            )}
        </Text>
      )}
      {marks.length > 0 && <Text>{`Marked: ${marks.join(', ')}.`}</Text>}
      {slot && (
        <Text>
          {`At ${moment(slot.timestamp, data, offsetAt)} ${zoneText(offsetAt(slot.timestamp))}: base fee ${gwei(slot.base)}, ` +
            `tip ${gwei(slot.tip)}, ${slot.gasUsedRatio === null ? UNKNOWN : formatPercent(slot.gasUsedRatio)} full.`}
        </Text>
      )}
      {cursor !== null && likely !== null && (
        <Text>{`Reached again within ${formatDuration(REACH_SEC)}: ${formatLikelihood(likely)} likely.`}</Text>
      )}
    </Box>
  );
}

function sentence(name: string, of: LineSummary | null): string {
  if (of === null) return `${name}: not known.`;
  const change = of.changeRatio === null ? '' : `, ${formatChange(of.changeRatio)} over the window`;
  return (
    `${name}: ${formatGwei(of.now)} now, lowest ${formatGwei(of.min)}, mean ${formatGwei(of.mean)}, ` +
    `highest ${formatGwei(of.max)}${change}.`
  );
}

function gwei(wei: number | null): string {
  return wei === null ? UNKNOWN : formatGwei(wei);
}

/** The Chart tab: gathers what it draws and says what its keys do. */
export function ChartScreen({ snapshot, columns, rows }: TabScreenProps) {
  const [chosen, dispatch] = useKeptReducer('chart', chartReducer, INITIAL_CHART_STATE);
  const description = useDescription();
  const choices = chartChoices(description);
  const { timeFrames, percentiles } = choices;
  const state = {
    ...chosen,
    timeFrame: offeredChoice(timeFrames, chosen.timeFrame),
    percentile: offeredChoice(percentiles, chosen.percentile),
  };
  const { saveFile, now } = useMonitor();
  const toast = useToast();
  const { newAlert } = useNavigation();
  const spoken = useIsScreenReaderEnabled();
  const chart = useChartData(state, snapshot);
  const hoursFrame = hoursTimeFrame(description);
  const hours = useHeatmap(state.heatmap, hoursFrame);
  const answer = chart.data?.value;
  const data = useMemo(
    () => (answer === undefined ? null : chartData(answer, Number(snapshot.baseFee))),
    [answer, snapshot.baseFee],
  );
  const heatmap = hours.data?.value.heatmap ?? null;
  const slot =
    state.cursor === null || state.heatmap ? undefined : data?.slots[slotAt(data.slots, state.cursor)];
  const reach = useReach(slot === undefined ? null : slotPrice(slot), REACH_SEC, snapshot);
  const likely = reach.data?.probability ?? null;

  const moveCursor = (by: number) => {
    if (data === null || data.slots.length === 0) return;
    // One press moves the cursor by what can be seen: a column.
    const step = Math.max(1, Math.round(data.slots.length / Math.max(chartPlotWidth(columns), 1)));
    const newest = data.slots.length - 1;
    const from = state.cursor === null ? newest : slotAt(data.slots, state.cursor);
    const to = Math.max(from + by * step, 0);
    dispatch({ type: 'move-cursor', to: to >= newest ? null : (data.slots[to]?.timestamp ?? null) });
  };
  const save = async (span: string, text: string) => {
    try {
      const name = csvName(snapshot.chainId, span, now());
      toast({ kind: 'info', text: `Saved ${await saveFile(name, text)}` });
    } catch (error) {
      toast({ kind: 'error', text: saveErrorText(error) });
    }
  };
  const write = state.heatmap
    ? heatmap && (() => void save('hours', heatmapCsv(heatmap)))
    : data && (() => void save(data.timeFrame, chartCsv(data)));
  const price = slot === undefined ? null : slotPrice(slot);
  const nextTimeFrame = () => dispatch({ type: 'next-time-frame', offered: timeFrames });
  const nextPercentile = () => dispatch({ type: 'next-percentile', offered: percentiles });
  const chartKeys = {
    ...(timeFrames.length > 1 ? { 'time-frame': nextTimeFrame } : {}),
    ...(percentiles.length > 1 ? { percentile: nextPercentile } : {}),
    compare: () => dispatch({ type: 'toggle-compare' }),
    ...(price === null ? {} : { alert: () => newAlert(thereAgain(price, snapshot.lanes.average.price)) }),
    'cursor-left': () => moveCursor(-1),
    'cursor-right': () => moveCursor(1),
    start: () => dispatch({ type: 'move-cursor', to: data?.slots[0]?.timestamp ?? null }),
    end: () => dispatch({ type: 'move-cursor', to: null }),
  };
  useKeys('chart', {
    heatmap: () => dispatch({ type: 'toggle-heatmap' }),
    write: write ?? 'Nothing to save yet: wait until the chart is there',
    ...(state.heatmap ? { close: () => dispatch({ type: 'toggle-heatmap' }) } : chartKeys),
  });

  const room = { width: columns, height: rows, offsetAt: systemOffset };
  if (state.heatmap) {
    return (
      <PolledFrame polled={hours} what="the hours of the week" pending={false} width={columns} height={rows}>
        {(notice) =>
          heatmap?.some((row) => row.some((value) => value !== null)) ? (
            <HoursPane
              {...room}
              notice={notice}
              heatmap={heatmap}
              timeFrame={hoursFrame}
              from={hours.data?.value.from ?? null}
              now={snapshot.blockTimestamp ?? now()}
            />
          ) : (
            <Empty
              {...room}
              title="No hours to compare yet"
              hint="Each hour that is seen fills its place; h goes back to the chart."
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
      width={columns}
      height={rows}
    >
      {(notice) => {
        if (data === null || data.slots.length === 0) {
          return (
            <Empty
              {...room}
              title="No history yet"
              hint="The chart begins with the next block; t tries another time frame."
            />
          );
        }
        if (spoken)
          return <SpokenChart data={data} cursor={state.cursor} offsetAt={systemOffset} likely={likely} />;
        return <ChartPane {...room} notice={notice} data={data} cursor={state.cursor} likely={likely} />;
      }}
    </PolledFrame>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly hint: string;
  readonly width: number;
  readonly height: number;
}

function Empty({ title, hint, width, height }: EmptyProps) {
  return (
    <Box width={width} height={height}>
      <PaneState kind="empty" title={title} hint={hint} />
    </Box>
  );
}
