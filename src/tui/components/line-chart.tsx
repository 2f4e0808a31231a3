import { Box, Text, type TextProps } from 'ink';
import type { ReactElement } from 'react';
import { useDim } from '../hooks/use-dim.ts';
import { useTheme } from '../theme.ts';
import { type ChartFrameOptions, type ChartSeries, chartFrame, type DrawnCell } from './line-chart-frame.ts';

export interface LineChartProps extends ChartFrameOptions {
  /** No colours; default: as everything around it. */
  readonly dim?: boolean;
}

/** Lines over a common axis, drawn with asciichart; fills exactly `width` × `height`. */
export function LineChart({ dim: dimmed, ...options }: LineChartProps): ReactElement {
  const { width, height, series } = options;
  const theme = useTheme();
  const around = useDim();
  const dim = dimmed ?? around;
  const rows = chartFrame({ ascii: theme.ascii, ...options });
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0} overflow="hidden">
      {rows.map((cells, y) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <Text key={y} wrap="truncate">
          {spansOf(cells).map((span, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: so is a span
            <Text key={place} {...lookOf(span.cell, series, dim)}>
              {span.text}
            </Text>
          ))}
        </Text>
      ))}
    </Box>
  );
}

interface Span {
  readonly cell: DrawnCell;
  readonly text: string;
}

/** Neighbours that look the same become one piece of text; a space looks like anything. */
function spansOf(cells: readonly DrawnCell[]): readonly Span[] {
  const spans: { cell: DrawnCell; text: string }[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    if (last && (cell.glyph === ' ' || looksLike(last.cell, cell))) last.text += cell.glyph;
    else spans.push({ cell, text: cell.glyph });
  }
  return spans;
}

function looksLike(one: DrawnCell, other: DrawnCell): boolean {
  return one.series === other.series && one.role === other.role && one.color === other.color;
}

function lookOf(cell: DrawnCell, series: readonly ChartSeries[], dim: boolean): Partial<TextProps> {
  const own = cell.series === null ? undefined : series[cell.series];
  const color = dim ? undefined : (cell.color ?? own?.color);
  const faint = dim || own?.dim === true || cell.role === 'spread' || cell.role === 'cursor';
  return {
    ...(color === undefined ? {} : { color }),
    dimColor: faint,
    bold: cell.role === 'mark' && !dim,
  };
}
