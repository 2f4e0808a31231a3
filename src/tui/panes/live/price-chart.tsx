import { Box, Text } from 'ink';
import { memo, useMemo } from 'react';
import type { ChartView, StatsView } from '../../../client/views/dashboard.ts';
import { formatGwei } from '../../../core/units.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { LineChart, legendGlyph } from '../../ui/line-chart.tsx';
import { displayWidth, Words } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { spanOf } from './live-facts.ts';

interface DayRangeProps {
  readonly base: StatsView;
  /** Base fee of the next block, wei: what would be paid now. */
  readonly now: bigint;
  /** Share of the day's blocks whose base fee was below it; those that tie are not counted. */
  readonly rank: number | null;
  /** What the range spans: `24 h`, or less where history is young. */
  readonly span: string;
  readonly width: number;
}

/** The span of a whole day. */
export const DAY = '24 h';
const LEAST_LINE = 8;
const MOST_LINE = 60;

/** Where the base fee stands between the lowest and the highest of the day. */
export const DayRange = memo(function DayRange({ base, now, rank, span, width }: DayRangeProps) {
  const { glyph } = useTheme();
  // The day's figures are asked for less often than the price: it may have left their range since.
  const min = Math.min(base.min, Number(now));
  const max = Math.max(base.max, Number(now));
  const low = formatGwei(min);
  const high = formatGwei(max);
  const verdict = rank === null ? '' : verdictOf(rank, Number(now), base, span);
  const widest = useWidest(
    new Map([
      ['low', displayWidth(low)],
      ['high', displayWidth(high)],
      ['verdict', displayWidth(verdict)],
    ]),
  );
  const label = `${span}  `;
  const room = (id: string) => widest.get(id) ?? 0;
  const around = 2 + displayWidth(label) + room('low') + room('high') + 4;
  const withVerdict = width - around - room('verdict') - 3;
  const line = Math.min(withVerdict >= LEAST_LINE ? withVerdict : width - around, MOST_LINE);
  if (line < LEAST_LINE) return null;
  const place = Math.round(shareOf(Number(now), min, max) * (line - 1));
  return (
    <Text wrap="truncate">
      {' '}
      <Words faint>{label}</Words>
      <Words>{low.padEnd(room('low'))}</Words>
      <Words faint>{` ${glyph.lineLeft}${glyph.line.repeat(place)}`}</Words>
      <Words color="accent" bold>
        {glyph.marker}
      </Words>
      <Words faint>{`${glyph.line.repeat(line - 1 - place)}${glyph.lineRight} `}</Words>
      <Words>{high.padEnd(room('high'))}</Words>
      {withVerdict >= LEAST_LINE ? <Words>{`   ${verdict}`}</Words> : null}
    </Text>
  );
});

function shareOf(now: number, min: number, max: number): number {
  if (!(max > min)) return 0.5;
  return Math.min(Math.max((now - min) / (max - min), 0), 1);
}

/** How far off the median the price in the middle may lie: that of an even number is between two, and some blocks old. */
const AROUND_MEDIAN = 1.02;
/** From here on the advice calls it above its mean. */
const AROUND_MEAN = 1.05;

/**
 * In words that stay true where prices tie, as they do at a chain's floor. Nothing where `rank` is of another past than
 * the figures, as it is for a moment once a service has learnt of more.
 */
function verdictOf(
  rank: number,
  now: number,
  { min, p10, median, mean, max }: StatsView,
  span: string,
): string {
  const past = span === DAY ? 'the day' : span === '1 h' ? 'the last hour' : `the last ${span}`;
  if (median !== null && (rank > 0.5 ? now * AROUND_MEDIAN < median : now > median * AROUND_MEDIAN))
    return '';
  if (rank === 0) return min === max && now === max ? `unchanged in ${past}` : `the lowest of ${past}`;
  // No more than half lies below and yet the median is reached: the median itself.
  if (rank <= 0.5 && median !== null && now >= median) {
    // Half of a past that is dear against its mean: neither usual nor cheap.
    return mean !== null && now > mean * AROUND_MEAN ? '' : `the usual price of ${past}`;
  }
  // A tenth of the blocks asked for this very price, and how many more is not known.
  if (rank <= 0.1 && now === p10) return `among the lowest of ${past}`;
  return rank > 0.99 ? `among the highest of ${past}` : `cheaper than ${wholePercent(1 - rank)} of ${past}`;
}

/** Rounded down: 99.7 % of the blocks are not all. */
function wholePercent(ratio: number): string {
  return `${Math.floor(ratio * 100 + 1e-9)} %`;
}

interface SmallChartProps {
  readonly hour: ChartView;
  readonly width: number;
  readonly height: number;
}

/** Base fee and tip of the last hour, or of the shortest while the service knows, as far as they are known, with a legend above. */
export const SmallChart = memo(function SmallChart({ hour, width, height }: SmallChartProps) {
  const theme = useTheme();
  const series = useMemo(() => {
    const lines = [
      { label: 'base', name: 'base', style: 'solid', values: hour.points.map(({ base }) => base) },
      { label: 'tip', name: 'tip p50', style: 'dashed', values: hour.points.map(({ priority }) => priority) },
    ] as const;
    return lines
      .filter(({ values }) => values.some((value) => value !== null))
      .map((line) => ({ ...line, color: theme.color(line.label) }));
  }, [hour, theme]);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text wrap="truncate">
        {' '}
        <Words faint>{`${spanOf(hour)} in gwei`}</Words>
        {series.map(({ label, name, style }) => (
          <Text key={label}>
            {'   '}
            <Words color={label}>{legendGlyph(style, theme.ascii).repeat(2)}</Words>
            <Words>{` ${name}`}</Words>
          </Text>
        ))}
      </Text>
      <LineChart series={series} width={width} height={height - 1} format={formatGwei} />
    </Box>
  );
});
