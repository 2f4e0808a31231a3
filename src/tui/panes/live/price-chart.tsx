import { Box } from 'ink';
import { memo } from 'react';
import type { ChartView, StatsView } from '../../../client/views/dashboard.ts';
import { formatGwei } from '../../../core/units.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { LineChart, legendGlyph } from '../../ui/line-chart.tsx';
import { displayWidth, type Line, OneLine } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { spanOf } from './live-facts.ts';

interface DayRange {
  readonly base: StatsView;
  /** Base fee of the next block, wei: what would be paid now. */
  readonly now: bigint;
  /** Share of the day's blocks whose base fee was below it; those that tie are not counted. */
  readonly rank: number | null;
  /** What the range spans: `24 h`, or less where history is young. */
  readonly span: string;
}

/** The span of a whole day. */
export const DAY = '24 h';
const LEAST_LINE = 8;
const MOST_LINE = 60;

/** Where the base fee stands between the lowest and the highest of the day. */
export function useDayRange(range: DayRange | null, width: number): readonly Line[] {
  const { glyph } = useTheme();
  const now = Number(range?.now ?? 0n);
  // The day's figures are asked for less often than the price: it may have left their range since.
  const min = Math.min(range?.base.min ?? now, now);
  const max = Math.max(range?.base.max ?? now, now);
  const [low, high] = [formatGwei(min), formatGwei(max)];
  const verdict =
    range === null || range.rank === null ? '' : verdictOf(range.rank, now, range.base, range.span);
  const texts = range === null ? [] : Object.entries({ low, high, verdict });
  const widest = useWidest(new Map(texts.map(([id, text]) => [id, displayWidth(text)])));
  const room = (id: string) => widest.get(id) ?? 0;
  const label = `${range?.span}  `;
  const around = 2 + displayWidth(label) + room('low') + room('high') + 4;
  const withVerdict = width - around - room('verdict') - 3;
  const hasVerdict = withVerdict >= LEAST_LINE;
  const cells = Math.min(hasVerdict ? withVerdict : width - around, MOST_LINE);
  if (range === null || cells < LEAST_LINE) return [];
  const share = max > min ? (now - min) / (max - min) : 0.5;
  const place = Math.round(share * (cells - 1));
  return [
    [
      { text: ` ${label}`, faint: true },
      { text: low.padEnd(room('low')) },
      { text: ` ${glyph.lineLeft}${glyph.line.repeat(place)}`, faint: true },
      { text: glyph.marker, color: 'accent', bold: true },
      { text: `${glyph.line.repeat(cells - 1 - place)}${glyph.lineRight} `, faint: true },
      { text: high.padEnd(room('high')) },
      { text: hasVerdict ? `   ${verdict}` : '' },
    ],
  ];
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
  if (rank > 0.99) return `among the highest of ${past}`;
  // Rounded down: 99.7 % of the blocks are not all.
  return `cheaper than ${Math.floor((1 - rank) * 100 + 1e-9)} % of ${past}`;
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

/** Base fee and tip of the last hour, or of the shortest while the service knows, as far as they are known, with a legend above. */
export const SmallChart = memo(function SmallChart({ hour, width, height }: SmallChartProps) {
  const theme = useTheme();
  const shown = LINES.map((line) => ({ ...line, values: hour.points.map((point) => point[line.of]) })).filter(
    ({ values }) => values.some((value) => value !== null),
  );
  const legend: Line = [
    { text: ` ${spanOf(hour)} in gwei`, faint: true },
    ...shown.flatMap(
      ({ color, name, style }): Line => [
        { text: '   ' },
        { text: legendGlyph(style, theme.ascii).repeat(2), color },
        { text: ` ${name}` },
      ],
    ),
  ];
  const series = shown.map(({ color, style, values }) => ({ color: theme.color(color), style, values }));
  return (
    <Box flexDirection="column" flexShrink={0}>
      <OneLine line={legend} width={width} />
      <LineChart series={series} width={width} height={height - 1} format={formatGwei} />
    </Box>
  );
});
