import { useIsScreenReaderEnabled } from 'ink';
import { chartLines, type LineChartOptions } from './chart-lines.ts';
import { LineList } from './text.tsx';
import { isAsciiTerminal } from './theme.ts';

/** Lines over a common axis; fills exactly `width` × `height`. Nothing for a screen reader. */
export function LineChart(options: LineChartOptions) {
  if (useIsScreenReaderEnabled()) return null;
  const drawable = isAsciiTerminal() ? { ...options, drawing: 'line' as const } : options;
  return <LineList lines={chartLines(drawable)} width={options.width} />;
}
