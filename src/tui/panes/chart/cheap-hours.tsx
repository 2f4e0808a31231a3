import { Box } from 'ink';
import { memo } from 'react';
import { timeFrameSec } from '../../../client/values.ts';
import { formatChange, formatCount, formatDuration, formatGwei, formatPercent } from '../../../core/units.ts';
import { type Line, LineList, placed, SegmentLine, type Span } from '../../ui/text.tsx';
import { type ColorName, type Theme, useTheme } from '../../ui/theme.ts';
import { fillsFrame, type OffsetAt, WEEKDAYS, wholeSpan, zoneText } from '../../ui/time.ts';
import { changeRatio, summarise } from './chart-lines.ts';

const HOURS = 24;
const WEEK_HOURS = 7 * HOURS;
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

const wrap = (hour: number): number => ((hour % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
const knownOf = (cells: WeekCells) => cells.flat().filter((value) => value !== null);

/**
 * Turns the week of UTC hours to local time. Where local clocks are not whole hours from UTC the hours would have to be
 * cut in two: there the week stays in UTC.
 */
export function localWeek(heatmap: WeekCells, now: number, offsetAt: OffsetAt): HourWeek {
  const offset = offsetAt(now);
  const offsetMinutes = offset % 60 === 0 ? offset : 0;
  const shift = offsetMinutes / 60;
  const cells = WEEKDAYS.map((_, day) =>
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
  const known = knownOf(cells).sort((a, b) => a - b);
  const limit = known[Math.max(Math.ceil(known.length / 12) - 1, 0)] ?? 0;
  const stretches: CheapStretch[] = [];
  for (const [hour, value] of cells.flat().entries()) {
    if (value === null || value > limit) continue;
    const last = stretches.at(-1);
    if (last?.start !== undefined && last.start + last.hours === hour) {
      const mean = (last.mean * last.hours + value) / (last.hours + 1);
      stretches[stretches.length - 1] = { start: last.start, hours: last.hours + 1, mean };
    } else stretches.push({ start: hour, hours: 1, mean: value });
  }
  return stretches.sort((a, b) => a.mean - b.mean);
}

/** Whole hours until the next of `stretches` begins; 0 within one, `null` where there is none. */
export function hoursUntilCheap(stretches: readonly CheapStretch[], { row, column }: HourWeek['current']) {
  const now = row * HOURS + column;
  const waits = stretches.map((stretch) => {
    const isWithin = wrap(now - stretch.start) < stretch.hours;
    return { stretch, hours: isWithin ? 0 : wrap(stretch.start - now) };
  });
  return waits.sort((a, b) => a.hours - b.hours)[0] ?? null;
}

/** The cheapest stretches, then what the present hour is like and when the next cheap one begins. */
export function hourWords(
  cells: WeekCells,
  current: HourWeek['current'],
  arrow: string,
): readonly (readonly Line[])[] {
  const known = knownOf(cells);
  const mean = summarise(known)?.mean ?? 0;
  if (known.length < HOURS)
    return [[[{ text: 'cheap hours are named once a whole day is seen', faint: true }]]];
  const stretches = cheapStretches(cells);
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
  const present: Line[] = [
    [
      { text: `${arrow} this hour`, color: 'accent' },
      { text: here === null ? ' not seen yet' : ` ${formatGwei(here)}` },
      { text: here === null ? '' : ` (${against(here)} against the mean)`, faint: true },
    ],
  ];
  const next = hoursUntilCheap(stretches, current);
  if (next !== null) {
    const wait = `next cheap in ${formatDuration(next.hours * 3_600)}: ${stretchText(next.stretch)}`;
    present.push([{ text: next.hours === 0 ? 'among the cheapest' : wait }]);
  }
  if (here !== null) {
    const share = known.filter((one) => one > here).length / known.length;
    present.push([{ text: `cheaper than ${formatPercent(share)} of hours` }]);
  }
  return [[[{ text: 'cheapest', faint: true }], ...cheapest], present];
}

/** `Sun 04–07h`: from the beginning of the first hour to the end of the last. */
function stretchText({ start, hours }: CheapStretch): string {
  const clock = (hour: number) => String(hour % 24).padStart(2, '0');
  return `${WEEKDAYS[Math.floor(start / 24)] ?? ''} ${clock(start)}–${clock(start + hours)}h`;
}

const COLORS: readonly ColorName[] = ['good', 'accent', 'warn', 'bad'];
/** `▒ 0.0412`: from here on a cell holds its value. */
const VALUE_WIDTH = 8;
const LABEL_WIDTH = 5;

/**
 * The week as a table of shades and its legend: every quarter of the hours differs by glyph as well as by colour, so
 * that one dear hour does not make all others look cheap. `height` is that of header, cells and legend.
 */
function mapLines({ cells, current }: HourWeek, width: number, height: number, theme: Theme) {
  const shades = theme.ascii ? '.:+#' : '░▒▓█';
  const unknown = theme.ascii ? '_' : '·';
  const room = Math.min(Math.max(Math.floor((width - LABEL_WIDTH - 1) / HOURS), 1), VALUE_WIDTH);
  const isTall = room > 3 && height - 3 >= 2 * WEEKDAYS.length;
  const sorted = knownOf(cells).sort((a, b) => a - b);
  // Equal values share a shade.
  const bounds = [0.25, 0.5, 0.75, 1].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  const cell = (value: number | null, isNow: boolean, isFirst: boolean): Span => {
    const level = value === null ? -1 : bounds.findIndex((bound) => value <= bound);
    const shade = shades[level] ?? unknown;
    const color = COLORS[level];
    const text = value === null || room < VALUE_WIDTH || !isFirst ? '' : formatGwei(value);
    const filled =
      text !== '' && text.length <= room - 2
        ? `${shade}${text.padStart(room - 2)} `
        : value === null
          ? shade.padStart(Math.ceil(room / 2)).padEnd(room)
          : shade.repeat(room);
    return {
      text: isNow && room > 1 ? `[${filled.slice(1, -1)}]` : filled,
      bold: isNow,
      ...(color === undefined ? { faint: true } : { color }),
    };
  };
  const every = room >= 3 ? 1 : room === 2 ? 3 : 6;
  const hours = Array.from({ length: HOURS / every }, (_, place) =>
    String(place * every)
      .padStart(2, '0')
      .padEnd(room * every),
  );
  const rows = cells.flatMap((row, y) =>
    (isTall ? [true, false] : [true]).map(
      (isFirst): Line => [
        { text: ` ${isFirst ? WEEKDAYS[y] : ''}`.padEnd(LABEL_WIDTH), bold: current.row === y },
        ...row.map((value, x) => cell(value, current.row === y && current.column === x, isFirst)),
      ],
    ),
  );
  const legend: readonly Line[] = [
    ...bounds.map(
      (bound, level): Line => [
        { text: shades[level] ?? '', color: COLORS[level] ?? 'accent' },
        { text: ` ≤ ${formatGwei(bound)}` },
      ],
    ),
    [{ text: '[ ] now', faint: true }],
    [{ text: `${unknown} no data`, faint: true }],
  ];
  return { lines: [[{ text: `${' '.repeat(LABEL_WIDTH)}${hours.join('')}`, faint: true }], ...rows], legend };
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
export const HoursPane = memo(function HoursPane(props: HoursPaneProps) {
  const { heatmap, timeFrame, from, now, width, height, notice, offsetAt } = props;
  const theme = useTheme();
  const week = localWeek(heatmap, now, offsetAt);
  const seen = knownOf(week.cells).length;
  const historySec = from === null ? Number.POSITIVE_INFINITY : (now - from) / 1_000;
  const whole = timeFrame === '30d' ? '30 days' : timeFrame;
  const span = fillsFrame(historySec, timeFrameSec(timeFrame) ?? 0) ? whole : wholeSpan(historySec);
  const title: readonly Line[] = [
    [{ text: 'cheap hours', bold: true, color: 'accent' }],
    [{ text: `day × hour in ${zoneText(week.offsetMinutes)}` }],
    ...(seen < WEEK_HOURS
      ? [[{ text: `${formatCount(seen)} of ${WEEK_HOURS} hours seen so far`, color: 'warn' } as const]]
      : []),
    [{ text: `mean base fee of ${span}, gwei`, faint: true }],
  ];
  const margin = height >= 16 ? 1 : 0;
  const above = notice === null ? [title] : [title, [notice]];
  const { lines, legend } = mapLines(week, width, height - above.length - 2 * margin - 2, theme);
  const line = (segments: readonly Line[]) => <SegmentLine segments={segments} width={width} />;
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {placed(above, line)}
      <Box flexDirection="column" marginTop={margin} marginBottom={margin} flexShrink={0}>
        <LineList lines={lines} width={width} />
        {line(legend)}
      </Box>
      {placed(hourWords(week.cells, week.current, theme.glyph.arrow), line)}
    </Box>
  );
});
