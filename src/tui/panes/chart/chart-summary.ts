import type { ChartData } from './chart-data.ts';

/** What is said in words about one line of the chart; wei per gas. */
export interface LineSummary {
  readonly now: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  /** Newest against oldest value, as a share; `null` where the oldest is 0. */
  readonly changeRatio: number | null;
}

/** `null` where no value is known. */
export function summarise(values: readonly (number | null)[]): LineSummary | null {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const now = known.at(-1);
  if (first === undefined || now === undefined) return null;
  return {
    now,
    min: known.reduce((a, b) => Math.min(a, b)),
    mean: known.reduce((sum, value) => sum + value / known.length, 0),
    max: known.reduce((a, b) => Math.max(a, b)),
    changeRatio: changeRatio(first, now),
  };
}

/** The base fee of a chart: now and the extremes are those of single blocks, where they are known. */
export function summariseBase({ slots, nowBase }: Pick<ChartData, 'slots' | 'nowBase'>): LineSummary | null {
  const of = summarise(slots.map(({ base }) => base));
  if (of === null || nowBase === null) return of;
  const oldest = slots.find(({ base }) => base !== null)?.base ?? 0;
  return {
    ...of,
    now: nowBase,
    changeRatio: changeRatio(oldest, nowBase),
    min: summarise(slots.map(({ low }) => low))?.min ?? of.min,
    max: summarise(slots.map(({ high }) => high))?.max ?? of.max,
  };
}

/** How far `to` lies above (or below) `from`, as a share of `from`. */
export function changeRatio(from: number, to: number): number | null {
  return from > 0 ? to / from - 1 : null;
}

/** The value below which the share `at` of the known values lies (nearest rank). */
export function quantile(values: readonly (number | null)[], at: number): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known[Math.min(Math.max(Math.ceil(at * known.length) - 1, 0), known.length - 1)] ?? null;
}
