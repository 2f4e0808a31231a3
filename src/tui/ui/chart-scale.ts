/** Where values are on a plot of some rows, and what its rows are labelled. */
export interface Scale {
  /** The row of a value, with its fraction, from 0 at the bottom; what is beyond the scale is at its edge. */
  readonly levelOf: (value: number) => number;
  /** By row, from 0 at the bottom. */
  readonly labels: ReadonlyMap<number, string>;
}

export const AXES = ['linear', 'log'] as const;
export type Axis = (typeof AXES)[number];

/** A single spike beyond it presses everything else into the lowest rows of a linear axis. */
const LOG_FROM = 8;

/** The axis on which most values can be read: a logarithmic one where the highest is over eight times the median. */
export function readableAxis(values: readonly number[], highest = Math.max(...values)): Axis {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return median > 0 && highest > LOG_FROM * median ? 'log' : 'linear';
}

/** A scale for values of any order, with labels that all read differently. */
export function chartScale(
  values: readonly number[],
  { rows, format, axis = 'linear' }: { rows: number; format: (value: number) => string; axis?: Axis },
): Scale {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (min > max) return { levelOf: () => 0, labels: new Map() };
  // A plot of one row has no range: its label is the highest value.
  if (rows < 2) return { levelOf: () => 0, labels: new Map([[0, format(max)]]) };
  return (axis === 'log' ? logScale(values, rows, format) : null) ?? linearScale(min, max, rows, format);
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
const rowsPerLabel = (rows: number) => (rows <= 5 ? 1 : rows <= 14 ? 2 : 3);

/** Label steps that are easy to add up. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const;
/** Ten orders of magnitude: with smaller steps labels look alike. */
const TRIES = 10 * STEPS.length;

/** A scale with round labels, which stays while values move a little; equal labels enlarge its step. */
function linearScale(min: number, max: number, rows: number, format: (value: number) => string): Scale {
  const between = (low: number, high: number) => (value: number) =>
    high > low ? clamp(((value - low) / (high - low)) * (rows - 1), 0, rows - 1) : 0;
  // All zero: any step would be arbitrary.
  if (min === 0 && max === 0) return { levelOf: () => 0, labels: new Map([[0, format(0)]]) };
  const perLabel = rowsPerLabel(rows);
  // A step that is certainly small enough; the next ones ascend from there.
  const span = max > min ? ((max - min) * perLabel) / (rows - 1) : Math.max(Math.abs(max) / 1_000, 1);
  const exponent = Math.floor(Math.log10(span));
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const power = 10 ** (exponent + Math.floor(attempt / STEPS.length));
    const step = ((STEPS[attempt % STEPS.length] ?? 1) * power) / perLabel;
    const lowest = Math.floor(min / step + 1e-6);
    const highest = Math.ceil(max / step - 1e-6);
    // Spare rows are shared between top and bottom; nothing goes below 0 unnecessarily.
    const spare = Math.max(Math.floor((lowest + rows - 1 - highest) / 2), 0);
    const bottom = min >= 0 ? Math.max(lowest - spare, 0) : lowest - spare;
    const [low, high] = [bottom * step, (bottom + rows - 1) * step];
    if (high < max - step * 1e-6) continue;
    const labelled = Array.from({ length: rows }, (_, row) => row).filter(
      (row) => (bottom + row) % perLabel === 0,
    );
    const labels = new Map(labelled.map((row) => [row, format((bottom + row) * step)]));
    if (new Set(labels.values()).size === labels.size) return { levelOf: between(low, high), labels };
  }
  return { levelOf: between(min, max), labels: new Map() };
}

/** How many times each label is the one below: those that repeat with each decade, or double, where they are many. */
const RATIOS = [
  ...[1.01, 1.02, 1.05, 1.1, 1.2, 1.25, 1.5, 10 ** (1 / 4), 2, 10 ** (1 / 3), 2.5, 10 ** (1 / 2), 4, 5],
  ...[10, 20, 50, 100, 1e3, 1e4, 1e6, 1e9],
];

/** Equal factors are equally far apart. The lowest label is round, and 0 has a row below it. `null` without a value above 0. */
function logScale(values: readonly number[], rows: number, format: (value: number) => string): Scale | null {
  const positive = values.filter((value) => value > 0);
  const first = positive.length < values.length ? 1 : 0;
  const steps = rows - 1 - first;
  if (positive.length === 0 || steps < 1) return null;
  const [min, max] = [Math.min(...positive), Math.max(...positive)];
  const power = 10 ** Math.floor(Math.log10(min) + 1e-9);
  const low = (STEPS.findLast((step) => step * power <= min * (1 + 1e-9)) ?? 1) * power;
  const perLabel = rowsPerLabel(rows);
  for (const ratio of RATIOS) {
    const valueAt = (row: number) => low * ratio ** (row / perLabel);
    if (valueAt(steps) < max * (1 - 1e-9)) continue;
    const places = Array.from({ length: Math.floor(steps / perLabel) + 1 }, (_, place) => place * perLabel);
    const labels = new Map(places.map((row) => [row + first, format(valueAt(row))]));
    if (first > 0) labels.set(0, format(0));
    if (new Set(labels.values()).size < labels.size) continue;
    const perRow = Math.log(ratio) / perLabel;
    const levelOf = (value: number) =>
      value <= 0 ? 0 : clamp(first + Math.log(value / low) / perRow, first, rows - 1);
    return { levelOf, labels };
  }
  return null;
}
