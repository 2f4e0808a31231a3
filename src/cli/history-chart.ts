import asciichart from 'asciichart';
import { formatGwei } from '../core/units.ts';
import type { HistoryRow } from './history-rows.ts';
import { utcTime } from './utc-time.ts';

const HEIGHT = 12;
/** asciichart puts a tick and a space behind each label. */
const TICK_WIDTH = 2;

/** The mean base fee as a line, in gwei, as wide as `columns`. */
export function historyChart(rows: readonly HistoryRow[], columns: number): string {
  const means = rows.map((row) => row.mean);
  const low = Math.min(...means);
  const high = Math.max(...means);
  const labelWidth = labelWidthOf(low, high);
  const width = Math.max(columns - labelWidth - TICK_WIDTH, 10);
  const line = asciichart.plot(resample(means, width), {
    height: HEIGHT,
    // A flat line still needs a scale.
    min: low,
    max: high > low ? high : low + 1,
    format: (wei: number) => formatGwei(Math.max(wei, 0)).padStart(labelWidth),
  });
  const lines = line.split('\n').map((each) => each.trimEnd());
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return '';
  const start = utcTime(first.timestamp, 'minutes');
  const end = `${utcTime(last.timestamp, 'minutes')} UTC`;
  const gap = Math.max(width - start.length - end.length, 2);
  return `${lines.join('\n')}\n${' '.repeat(labelWidth + TICK_WIDTH)}${start}${' '.repeat(gap)}${end}`;
}

function labelWidthOf(low: number, high: number): number {
  const steps = Array.from({ length: HEIGHT + 1 }, (_, step) => low + ((high - low) * step) / HEIGHT);
  return Math.max(...steps.map((wei) => formatGwei(wei).length));
}

/** Stretches or shrinks a series to `width` points; where several fall together, their mean. */
function resample(values: readonly number[], width: number): number[] {
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.max(Math.floor(((column + 1) * values.length) / width), from + 1);
    const part = values.slice(from, to);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
