import asciichart from 'asciichart';
import { formatGwei, gweiString } from '../../core/units.ts';
import { utcTime } from '../utc-time.ts';
import type { HistoryRow } from './history-rows.ts';

const HEIGHT = 12;
/** asciichart puts a tick and a space behind each label. */
const TICK_WIDTH = 2;

/**
 * The mean base fee as a line, in gwei, as wide as `columns`; one line high where it never changed. A label stands
 * once, at the uppermost of the lines that share it.
 */
export function historyChart(rows: readonly HistoryRow[], columns: number): string {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return '';
  // A fraction of a wei is nothing that a block could ask for.
  const means = rows.map((row) => Math.round(row.mean));
  const low = Math.min(...means);
  const high = Math.max(...means);
  const label = labelling(low, high);
  const labelWidth = Math.max(...stepsOf(low, high).map((wei) => label(wei).length));
  const width = Math.max(columns - labelWidth - TICK_WIDTH, 10);
  const lines =
    low === high
      ? [`${label(low)} ┼${'─'.repeat(width - 1)}`]
      : lineOf(resample(means, width), (wei) => label(wei).padStart(labelWidth));
  const start = utcTime(first.timestamp, 'minutes');
  const end = `${utcTime(last.timestamp, 'minutes')} UTC`;
  const gap = Math.max(width - start.length - end.length, 2);
  const times = first === last ? end : `${start}${' '.repeat(gap)}${end}`;
  return `${lines.join('\n')}\n${' '.repeat(labelWidth + TICK_WIDTH)}${times}`;
}

function lineOf(means: readonly number[], label: (wei: number) => string): readonly string[] {
  let above = '';
  const format = (wei: number) => {
    const own = label(wei);
    const text = own === above ? ' '.repeat(own.length) : own;
    above = own;
    return text;
  };
  return asciichart
    .plot([...means], { height: HEIGHT, format })
    .split('\n')
    .map((each) => each.trimEnd());
}

/** As short as on every screen, unless that would call the lowest and the highest the same. */
function labelling(low: number, high: number): (wei: number) => string {
  const isTooShort = low < high && formatGwei(low) === formatGwei(high);
  return (wei) => {
    const whole = Math.max(Math.round(wei), 0);
    return isTooShort ? gweiString(BigInt(whole)) : formatGwei(whole);
  };
}

function stepsOf(low: number, high: number): readonly number[] {
  return Array.from({ length: HEIGHT + 1 }, (_, step) => low + ((high - low) * step) / HEIGHT);
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
