import { useIsScreenReaderEnabled } from 'ink';
import { Clickable } from '../input/mouse.tsx';
import { chartLines, indexAt, type LineChartOptions } from './chart-lines.ts';
import { LineList } from './text.tsx';
import { isAsciiTerminal } from './theme.ts';

interface LineChartProps extends LineChartOptions {
  /** Gets the index of a value that is clicked. */
  readonly onPick?: ((index: number) => void) | undefined;
}

/** Lines over a common axis; fills exactly `width` × `height`. Nothing for a screen reader. */
export function LineChart({ onPick, ...options }: LineChartProps) {
  if (useIsScreenReaderEnabled()) return null;
  const drawable = isAsciiTerminal() ? { ...options, drawing: 'line' as const } : options;
  const lines = <LineList lines={chartLines(drawable)} width={options.width} />;
  if (onPick === undefined) return lines;
  const pick = (column: number) => {
    const index = indexAt(column, options);
    if (index !== null) onPick(index);
  };
  return <Clickable onClick={pick}>{lines}</Clickable>;
}
