import { Box } from 'ink';
import { memo, useRef } from 'react';
import type { ChartView } from '../../../client/views/dashboard.ts';
import { HOUR_SEC } from '../../../core/time.ts';
import { formatGwei, formatSpan } from '../../../core/units.ts';
import { legendGlyph } from '../../ui/chart-lines.ts';
import { LineChart } from '../../ui/line-chart.tsx';
import { colored, faint, type Line, LineList, plain } from '../../ui/text.tsx';
import { type ChartData, chartData } from '../chart/chart-data.ts';
import { ChartPlot } from '../chart/chart-plot.tsx';

type HourChartProps = { readonly hour: ChartView | undefined; readonly head: number };

/** The Chart pane's chart of the last hour, from what Live has polled; drawn anew with the hour, not with each block. */
export function HourChart({ hour, head }: HourChartProps) {
  const drawn = useRef<{ readonly hour: ChartView; readonly data: ChartData }>(null);
  if (hour === undefined) return null;
  if (drawn.current?.hour !== hour) {
    const none = { rows: [], problem: null };
    const chart = { ...hour, made: null, problem: null };
    const rest = { percentile: 'p50', tips: none, isByBlock: true, ranges: [], previous: null };
    drawn.current = { hour, data: chartData({ timeFrame: hour.timeFrame, chart, ...rest }, { base: head }) };
  }
  const { data } = drawn.current;
  return data.slots.length < 2 ? null : (
    <ChartPlot data={data} cursor={null} notice={null} hasCursor={false} />
  );
}

/** `last hour`, also of one whose last bucket is missing, or `last 12m`. */
export function spanText(hour: ChartView | undefined, mostSec = Number.POSITIVE_INFINITY): string {
  const [first, last] = [hour?.points[0], hour?.points.at(-1)];
  const ownSec = first && last && (last.timestamp - first.timestamp) / 1_000 + (hour?.bucketSec ?? 0);
  const sec = Math.min(ownSec ?? HOUR_SEC, mostSec);
  return Math.abs(sec / HOUR_SEC - 1) < 0.1 ? 'last hour' : `last ${formatSpan(sec)}`;
}

type SmallChartProps = { readonly hour: ChartView; readonly width: number; readonly height: number };

export const SmallChart = memo(function SmallChart({ hour, width, height }: SmallChartProps) {
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
      <LineList lines={[[faint(` ${spanText(hour)} in gwei`), ...legend]]} width={width} />
      <LineChart series={series} width={width} height={height - 1} format={formatGwei} />
    </Box>
  );
});
