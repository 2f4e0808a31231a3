import { Box } from 'ink';
import { memo } from 'react';
import { formatGwei, formatPercent } from '../../../core/units.ts';
import { type ChartSeries, chartPlotWidth, LineChart } from '../../ui/line-chart.tsx';
import { fitSegments, type Line, SegmentLine } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import type { OffsetAt } from '../../ui/time.ts';
import { type ChartData, slotAt } from './chart-data.ts';
import { chartLayout } from './chart-layout.ts';
import { byRank, markLook } from './chart-marks.ts';
import { ChartSide } from './chart-side.tsx';
import {
  baseSegments,
  cursorSegments,
  gasSegments,
  legendSegments,
  previousSegments,
  tipSegments,
  titleSegments,
} from './chart-words.ts';
import { timeLabels } from './time-axis.ts';

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
                    label: 'gas used',
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
