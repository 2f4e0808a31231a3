import { Box } from 'ink';
import { memo } from 'react';
import { timeFrameSec } from '../../../client/values.ts';
import { formatChange, formatCount, formatDuration, formatGwei, formatPercent } from '../../../core/units.ts';
import { Heatmap } from '../../ui/heatmap.tsx';
import { type Line, placed, SegmentLine } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { fillsFrame, type OffsetAt, WEEKDAYS, wholeSpan, zoneText } from '../../ui/time.ts';
import { changeRatio, summarise } from './chart-words.ts';

const DAYS = 7;
const HOURS = 24;
const WEEK_HOURS = DAYS * HOURS;
const HOUR_MS = 3_600_000;
/** 1 January 1970 was a Thursday, the fourth day of a week that begins on Monday. */
const EPOCH_HOUR_OF_WEEK = 3 * HOURS;

type WeekCells = readonly (readonly (number | null)[])[];

/** Hours of the week, Monday first, as clocks at the place show them. */
interface HourWeek {
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
interface CheapStretch {
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

/** Share of the known hours that `value` is cheaper than. */
export function shareAbove(cells: WeekCells, value: number): number {
  const known = cells.flat().filter((one) => one !== null);
  return known.length === 0 ? 0 : known.filter((one) => one > value).length / known.length;
}

function wrap(hour: number): number {
  return ((hour % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
}

/** What the map shows and how full it is. */
function hoursTitle(cells: WeekCells, offsetMinutes: number, span: string): readonly Line[] {
  const known = cells.flat().filter((value) => value !== null).length;
  return [
    [{ text: 'cheap hours', bold: true, color: 'accent' }],
    [{ text: `day × hour in ${zoneText(offsetMinutes)}` }],
    ...(known < 168
      ? [[{ text: `${formatCount(known)} of 168 hours seen so far`, color: 'warn' as const }]]
      : []),
    [{ text: `mean base fee of ${span}, gwei`, faint: true }],
  ];
}

/** The cheapest stretches, then what the present hour is like and when the next cheap one begins. */
export function hourWords(
  cells: WeekCells,
  current: { readonly row: number; readonly column: number },
  arrow: string,
): readonly (readonly Line[])[] {
  const stretches = cheapStretches(cells);
  const mean = summarise(cells.flat())?.mean;
  if (mean === undefined) return [];
  if (cells.flat().filter((value) => value !== null).length < HOURS) {
    return [[[{ text: 'cheap hours are named once a whole day is seen', faint: true }]]];
  }
  const against = (value: number) => formatChange(changeRatio(mean, value) ?? 0, 0);
  const cheapest = stretches
    .slice(0, 4)
    .map(
      (stretch): Line => [
        { text: stretchText(stretch), bold: true, color: 'good' },
        { text: ` ${formatGwei(stretch.mean)}` },
        { text: ` (${against(stretch.mean)})`, faint: true },
      ],
    );
  const here = cells[current.row]?.[current.column] ?? null;
  const next = hoursUntilCheap(stretches, current);
  const present: Line[] = [
    [
      { text: `${arrow} this hour`, color: 'accent' },
      { text: here === null ? ' not seen yet' : ` ${formatGwei(here)}` },
      { text: here === null ? '' : ` (${against(here)} against the mean)`, faint: true },
    ],
    ...(next === null ? [] : [[{ text: nextText(next) }]]),
    ...(here === null ? [] : [[{ text: `cheaper than ${formatPercent(shareAbove(cells, here))} of hours` }]]),
  ];
  return [[[{ text: 'cheapest', faint: true }], ...cheapest], present];
}

function nextText({ hours, stretch }: { readonly hours: number; readonly stretch: CheapStretch }): string {
  if (hours === 0) return 'among the cheapest';
  return `next cheap in ${formatDuration(hours * 3_600)}: ${stretchText(stretch)}`;
}

/** `Sun 04–07h`: from the beginning of the first hour to the end of the last. */
function stretchText({ start, hours }: CheapStretch): string {
  const day = WEEKDAYS[Math.floor(start / 24)] ?? '';
  const clock = (hour: number) => String(hour % 24).padStart(2, '0');
  return `${day} ${clock(start)}–${clock(start + hours)}h`;
}

interface HoursPaneProps {
  /** Mean base fees, wei per gas, Monday first, UTC hours; at least one is known. */
  readonly heatmap: WeekCells;
  /** What they are means over, as far as history reaches. */
  readonly timeFrame: string;
  /** Where history begins, ms, if later than the time frame does; `null`: not known. */
  readonly from: number | null;
  /** The chain's present, ms. */
  readonly now: number;
  readonly width: number;
  readonly height: number;
  readonly notice: Line | null;
  readonly offsetAt: OffsetAt;
}

/** When gas is cheap: the week as a map, and in words. */
export const HoursPane = memo(function HoursPane({
  heatmap,
  timeFrame,
  from,
  now,
  width,
  height,
  notice,
  offsetAt,
}: HoursPaneProps) {
  const theme = useTheme();
  const week = localWeek(heatmap, now, offsetAt);
  const airy = height >= 16;
  const historySec = from === null ? Number.POSITIVE_INFINITY : (now - from) / 1_000;
  const isWhole = fillsFrame(historySec, timeFrameSec(timeFrame) ?? 0);
  const whole = timeFrame === '30d' ? '30 days' : timeFrame;
  const span = isWhole ? whole : wholeSpan(historySec);
  const used = 5 + (notice === null ? 0 : 1) + (airy ? 2 : 0);
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={hoursTitle(week.cells, week.offsetMinutes, span)} width={width} />
      {notice !== null && <SegmentLine segments={[notice]} width={width} />}
      <Box flexDirection="column" marginTop={airy ? 1 : 0} marginBottom={airy ? 1 : 0} flexShrink={0}>
        <Heatmap
          cells={week.cells}
          rowLabels={WEEKDAYS}
          format={formatGwei}
          current={week.current}
          width={width}
          height={height - used + 2}
        />
      </Box>
      {placed(hourWords(week.cells, week.current, theme.glyph.arrow), (segments) => (
        <SegmentLine segments={segments} width={width} />
      ))}
    </Box>
  );
});
