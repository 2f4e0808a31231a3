import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo } from 'react';
import type { ChartView, StatsView } from '../../../client/views/dashboard.ts';
import { formatGwei } from '../../../core/units.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { LineChart, legendGlyph } from '../../ui/line-chart.tsx';
import { bold, displayWidth, faint, type Line, OneLine, plain } from '../../ui/text.tsx';
import { wholeSpan } from '../../ui/time.ts';
import type { LiveView } from './live-pane.tsx';

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

/**
 * Compares the present price with the day, correctly even for equal prices, as at a chain's floor. Empty when `rank`,
 * the share of blocks with a lower base fee, belongs to another history than the figures, as briefly after a service
 * has filled more.
 */
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

interface SmallChartProps {
  readonly hour: ChartView;
  readonly width: number;
  readonly height: number;
}

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
