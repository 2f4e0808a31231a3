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
  // A plot of one row has no room for a range: it is labelled with its highest value.
  if (rows < 2) return { low: min, high: max, labels: new Map([[0, format(max)]]) };
  // All zero: any step would be invented.
  if (min === 0 && max === 0) return { low: 0, high: 1, labels: new Map([[0, format(0)]]) };
  const stride = rowsPerLabel(rows);
  const exponent = firstExponent(min, max, (rows - 1) / stride);
  let fallback: ChartScale | null = null;
  for (let attempt = 0, taken = 0; taken < TRIES; attempt += 1) {
    const rowStep = stepAt(exponent, attempt) / stride;
    const bottom = bottomRow(min, max, rowStep, rows);
    const [low, high] = [bottom * rowStep, (bottom + rows - 1) * rowStep];
    if (!Number.isFinite(high)) break;
    if (high < max - rowStep * 1e-6) continue;
    taken += 1;
    const labels = new Map<number, string>();
    for (let row = 0; row < rows; row += 1) {
      if ((bottom + row) % stride === 0) labels.set(row, format((bottom + row) * rowStep));
    }
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

/** Power of ten of a step that is certainly not too large. */
function firstExponent(min: number, max: number, intervals: number): number {
  const span = max - min;
  const raw = span > 0 ? span / intervals : Math.max(Math.abs(max) / 1_000, 1);
  return Math.floor(Math.log10(raw));
}

/** The step between two labels to try next, ascending. */
function stepAt(exponent: number, attempt: number): number {
  const mantissa = STEPS[attempt % STEPS.length] ?? 1;
  return mantissa * 10 ** (exponent + Math.floor(attempt / STEPS.length));
}

/** The value of the lowest row in row steps; rows left over are shared between top and bottom. */
function bottomRow(min: number, max: number, rowStep: number, rows: number): number {
  const lowest = Math.floor(min / rowStep + 1e-6);
  const highest = Math.ceil(max / rowStep - 1e-6);
  const spare = Math.max(Math.floor((lowest + rows - 1 - highest) / 2), 0);
  return min >= 0 ? Math.max(lowest - spare, 0) : lowest - spare;
}
