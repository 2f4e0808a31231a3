import type { OffsetAt } from '../../ui/time.ts';

const DAYS = 7;
const HOURS = 24;
const WEEK_HOURS = DAYS * HOURS;
const HOUR_MS = 3_600_000;
/** 1 January 1970 was a Thursday, the fourth day of a week that begins on Monday. */
const EPOCH_HOUR_OF_WEEK = 3 * HOURS;

export type WeekCells = readonly (readonly (number | null)[])[];

/** Hours of the week, Monday first, as clocks at the place show them. */
export interface HourWeek {
  readonly cells: WeekCells;
  /** Minutes that the rows are ahead of UTC. */
  readonly offsetMinutes: number;
  /** The hour that `now` lies in. */
  readonly current: { readonly row: number; readonly column: number };
}

/**
 * Turns the week of UTC hours to local time. Where local clocks are not whole hours from UTC the hours would have to be
 * cut in two: there the week stays in UTC.
 */
export function localWeek(heatmap: WeekCells, now: number, offsetAt: OffsetAt): HourWeek {
  const offset = offsetAt(now);
  const offsetMinutes = offset % 60 === 0 ? offset : 0;
  const shift = offsetMinutes / 60;
  const cells = Array.from({ length: DAYS }, (_, day) =>
    Array.from({ length: HOURS }, (_, hour) => {
      const utc = wrap(day * HOURS + hour - shift);
      return heatmap[Math.floor(utc / HOURS)]?.[utc % HOURS] ?? null;
    }),
  );
  const hour = wrap(Math.floor(now / HOUR_MS) + EPOCH_HOUR_OF_WEEK + shift);
  return { cells, offsetMinutes, current: { row: Math.floor(hour / HOURS), column: hour % HOURS } };
}

/** A stretch of cheap hours; `start` counts hours from Monday 0:00, `mean` is wei per gas. */
export interface CheapStretch {
  readonly start: number;
  readonly hours: number;
  readonly mean: number;
}

/** The cheapest twelfth of the week's known hours, neighbours joined, cheapest first. */
export function cheapStretches(cells: WeekCells): readonly CheapStretch[] {
  const values = cells.flat();
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const limit = known[Math.max(Math.ceil(known.length / 12) - 1, 0)];
  if (limit === undefined) return [];
  const stretches: CheapStretch[] = [];
  for (const [hour, value] of values.entries()) {
    if (value === null || value > limit) continue;
    const last = stretches.at(-1);
    if (last !== undefined && last.start + last.hours === hour) {
      const mean = (last.mean * last.hours + value) / (last.hours + 1);
      stretches[stretches.length - 1] = { start: last.start, hours: last.hours + 1, mean };
    } else stretches.push({ start: hour, hours: 1, mean: value });
  }
  return stretches.sort((a, b) => a.mean - b.mean);
}

/** Whole hours until the next of `stretches` begins; 0 within one, `null` where there is none. */
export function hoursUntilCheap(
  stretches: readonly CheapStretch[],
  current: HourWeek['current'],
): { readonly hours: number; readonly stretch: CheapStretch } | null {
  const now = current.row * HOURS + current.column;
  const waits = stretches.map((stretch) => {
    const since = wrap(now - stretch.start);
    return { stretch, hours: since < stretch.hours ? 0 : wrap(stretch.start - now) };
  });
  return waits.sort((a, b) => a.hours - b.hours)[0] ?? null;
}

/** Share of the known hours that are cheaper than `value`. */
export function shareCheaper(cells: WeekCells, value: number): number {
  const known = cells.flat().filter((one) => one !== null);
  return known.length === 0 ? 0 : known.filter((one) => one < value).length / known.length;
}

function wrap(hour: number): number {
  return ((hour % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
}
