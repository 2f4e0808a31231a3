import { Box, Text } from 'ink';
import { memo, useMemo } from 'react';
import type { ChartView } from '../../../client/views/dashboard.ts';
import { formatGwei } from '../../../core/units.ts';
import { LineChart } from '../../ui/line-chart.tsx';
import { legendGlyph } from '../../ui/plot.ts';
import { Words } from '../../ui/text.tsx';
import { useDim, useTheme } from '../../ui/theme.ts';
import { spanOf } from './span-of.ts';

interface SmallChartProps {
  readonly hour: ChartView;
  readonly width: number;
  readonly height: number;
}

/** Base fee and tip of the last hour, or of the shortest while the service knows, with a legend above. */
export const SmallChart = memo(function SmallChart({ hour, width, height }: SmallChartProps) {
  const theme = useTheme();
  const dim = useDim();
  const series = useMemo(
    () => [
      {
        label: 'base',
        color: theme.color('base'),
        style: 'solid' as const,
        values: hour.points.map(({ base }) => base),
      },
      {
        label: 'tip',
        color: theme.color('tip'),
        style: 'dashed' as const,
        values: hour.points.map(({ priority }) => priority),
      },
    ],
    [hour, theme],
  );
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text wrap="truncate">
        {' '}
        <Words faint>{`${spanOf(hour)} in gwei`}</Words>
        {'    '}
        <Words color="base">{legendGlyph('solid', theme.ascii).repeat(2)}</Words>
        <Words> base</Words>
        {'   '}
        <Words color="tip">{legendGlyph('dashed', theme.ascii).repeat(2)}</Words>
        <Words> tip</Words>
      </Text>
      <LineChart series={series} width={width} height={height - 1} format={formatGwei} dim={dim} />
    </Box>
  );
});
