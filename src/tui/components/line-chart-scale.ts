/** The values between which a plot is drawn, and the labels of its rows (row 0 is the lowest). */
export interface ChartScale {
  readonly low: number;
  readonly high: number;
  readonly labels: ReadonlyMap<number, string>;
}

/** Steps between two labels that people can add up in their heads. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const;

/** How many steps to try before labels that still look alike are accepted. */
const TRIES = 80;

/**
 * A scale of `rows` rows that holds `min` to `max` and whose labels are round numbers, so that it stays where
 * it is while values move a little. Labels that would read the same push the step up: 15.0, 15.1, never
 * 15.0 twice, so a flat series looks flat.
 */
export function chartScale(
  min: number,
  max: number,
  rows: number,
  format: (value: number) => string,
): ChartScale {
  const stride = rowsPerLabel(rows);
  // A plot of one row has no room for a range: it is labelled with its highest value.
  if (rows < 2) return { low: min, high: max, labels: new Map([[0, format(max)]]) };
  // All zero: any step would be invented.
  if (min === 0 && max === 0) return { low: 0, high: 1, labels: new Map([[0, format(0)]]) };
  const intervals = (rows - 1) / stride;
  let fallback: ChartScale | null = null;
  const first = firstStep(min, max, intervals);
  for (let attempt = 0, taken = 0; taken < TRIES; attempt += 1) {
    const step = stepAt(first, attempt);
    const low = lowest(min, max, step, intervals);
    const high = low + step * intervals;
    if (!Number.isFinite(high)) break;
    if (high < max - step * 1e-9) continue;
    taken += 1;
    const labels = new Map<number, string>();
    for (let row = 0; row < rows; row += stride) labels.set(row, format(low + (row / stride) * step));
    const scale = { low, high, labels };
    fallback ??= scale;
    if (new Set(labels.values()).size === labels.size) return scale;
  }
  return fallback ?? { low: min, high: max, labels: new Map() };
}

function rowsPerLabel(rows: number): number {
  if (rows <= 5) return 1;
  return rows <= 14 ? 2 : 3;
}

/** Exponent and place in {@link STEPS} of the greatest step that is certainly not too large. */
function firstStep(min: number, max: number, intervals: number): number {
  const span = max - min;
  const raw = span > 0 ? span / intervals : Math.max(Math.abs(max) / 1_000, 1);
  return Math.floor(Math.log10(raw));
}

function stepAt(exponent: number, attempt: number): number {
  const mantissa = STEPS[attempt % STEPS.length] ?? 1;
  return mantissa * 10 ** (exponent + Math.floor(attempt / STEPS.length));
}

/** The lowest label: a multiple of the step, with what room is left over shared between top and bottom. */
function lowest(min: number, max: number, step: number, intervals: number): number {
  const base = Math.floor(min / step + 1e-9);
  const spare = Math.floor((base * step + step * intervals - max) / step / 2);
  const shifted = base - Math.max(spare, 0);
  return (min >= 0 ? Math.max(shifted, 0) : shifted) * step;
}
