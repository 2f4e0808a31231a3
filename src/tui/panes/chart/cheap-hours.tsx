import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo } from 'react';
import { timeFrameSec } from '../../../client/values.ts';
import { formatChange, formatCount, formatDuration, formatGwei, formatPercent } from '../../../core/units.ts';
import { useRoom } from '../../ui/pane-context.tsx';
import {
  bold,
  colored,
  faint,
  type Line,
  LineList,
  placed,
  plain,
  SegmentLine,
  type Span,
} from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { fillsFrame, offsetAt, WEEKDAYS, wholeSpan, zoneText } from '../../ui/time.ts';
import { meanOf } from './chart-data.ts';
import { changeRatio } from './chart-lines.ts';

const HOURS = 24;
const WEEK_HOURS = 7 * HOURS;
const HOUR_MS = 3_600_000;
/** 1 January 1970 was a Thursday, the fourth day of a week that begins on Monday. */
const EPOCH_HOUR = 3 * HOURS;

type Hours = readonly (number | null)[];

interface HourWeek {
  readonly hours: Hours;
  readonly offsetMinutes: number;
  readonly current: number;
}

const wrap = (hour: number): number => ((hour % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
const knownOf = (hours: Hours) => hours.filter((value) => value !== null);

/** Shifts the week of UTC hours to local time; it stays in UTC where hours would have to be split. */
export function localWeek(heatmap: readonly Hours[], now: number): HourWeek {
  const offset = offsetAt(now);
  const offsetMinutes = offset % 60 === 0 ? offset : 0;
  const shift = offsetMinutes / 60;
  const hours = Array.from({ length: WEEK_HOURS }, (_, hour) => {
    const utc = wrap(hour - shift);
    return heatmap[Math.floor(utc / HOURS)]?.[utc % HOURS] ?? null;
  });
  return { hours, offsetMinutes, current: wrap(Math.floor(now / HOUR_MS) + EPOCH_HOUR + shift) };
}

/** A run of cheap hours; `start` is an hour of the week, `mean` is wei per gas. */
interface CheapStretch {
  readonly start: number;
  readonly hours: number;
  readonly mean: number;
}

/** The cheapest twelfth of the week's known hours, neighbours joined, cheapest first. */
export function cheapStretches(hours: Hours): readonly CheapStretch[] {
  const known = knownOf(hours).sort((a, b) => a - b);
  const limit = known[Math.max(Math.ceil(known.length / 12) - 1, 0)] ?? 0;
  const stretches: CheapStretch[] = [];
  for (const [hour, value] of hours.entries()) {
    if (value === null || value > limit) continue;
    const last = stretches.at(-1);
    if (last !== undefined && last.start + last.hours === hour) {
      const mean = (last.mean * last.hours + value) / (last.hours + 1);
      stretches[stretches.length - 1] = { ...last, hours: last.hours + 1, mean };
    } else stretches.push({ start: hour, hours: 1, mean: value });
  }
  return stretches.sort((a, b) => a.mean - b.mean);
}

export function hoursUntilCheap(stretches: readonly CheapStretch[], now: number) {
  const waits = stretches.map((stretch) => {
    const isWithin = wrap(now - stretch.start) < stretch.hours;
    return { stretch, hours: isWithin ? 0 : wrap(stretch.start - now) };
  });
  return waits.sort((a, b) => a.hours - b.hours)[0] ?? null;
}

export function hourWords({ hours, current }: HourWeek): readonly (readonly Line[])[] {
  const known = knownOf(hours);
  const mean = meanOf(known) ?? 0;
  if (known.length < HOURS) return [[[faint('cheap hours are named once a whole day is seen')]]];
  const stretches = cheapStretches(hours);
  const against = (value: number) => formatChange(changeRatio(mean, value) ?? 0, 0);
  const cheapest = stretches
    .slice(0, 4)
    .map(
      (stretch): Line => [
        bold(stretchText(stretch), 'good'),
        plain(` ${formatGwei(stretch.mean)}`),
        faint(` (${against(stretch.mean)})`),
      ],
    );
  const here = hours[current] ?? null;
  const next = hoursUntilCheap(stretches, current);
  const wait = next && `next cheap in ${formatDuration(next.hours * 3_600)}: ${stretchText(next.stretch)}`;
  const dearer = known.filter((one) => here !== null && one > here).length / known.length;
  const present: readonly Line[] = [
    [
      colored('▸ this hour', 'accent'),
      plain(here === null ? ' not seen yet' : ` ${formatGwei(here)}`),
      faint(here === null ? '' : ` (${against(here)} against the mean)`),
    ],
    ...(wait === null ? [] : [[plain(next?.hours === 0 ? 'among the cheapest' : wait)]]),
    ...(here === null ? [] : [[plain(`cheaper than ${formatPercent(dearer)} of hours`)]]),
  ];
  return [[[faint('cheapest')], ...cheapest], present];
}

/** `Sun 04–07h`: from the start of the first hour to the end of the last. */
function stretchText({ start, hours }: CheapStretch): string {
  const clock = (hour: number) => String(hour % HOURS).padStart(2, '0');
  return `${WEEKDAYS[Math.floor(start / HOURS)] ?? ''} ${clock(start)}–${clock(start + hours)}h`;
}

const SHADES: readonly { readonly glyph: string; readonly color: ColorName }[] = [
  { glyph: '░', color: 'good' },
  { glyph: '▒', color: 'accent' },
  { glyph: '▓', color: 'warn' },
  { glyph: '█', color: 'bad' },
];
const UNSEEN = '·';
/** `▒ 0.0412`: a cell of this width shows its value. */
const VALUE_WIDTH = 8;
const LABEL_WIDTH = 5;

/** The week as shades of quarters, so that one expensive hour does not make all others look cheap, and a legend. */
function mapLines({ hours, current }: HourWeek, width: number, height: number) {
  const room = Math.min(Math.max(Math.floor((width - LABEL_WIDTH - 1) / HOURS), 1), VALUE_WIDTH);
  const isTall = room > 3 && height - 3 >= 2 * WEEKDAYS.length;
  const sorted = knownOf(hours).sort((a, b) => a - b);
  // Equal values share a shade.
  const shades = SHADES.map((shade, place) => {
    const bound = sorted[Math.ceil(((place + 1) / SHADES.length) * sorted.length) - 1] ?? 0;
    return { ...shade, bound };
  });
  const filling = (value: number, glyph: string, isFirst: boolean): string => {
    const text = room === VALUE_WIDTH && isFirst ? formatGwei(value) : '';
    const fits = text !== '' && text.length <= room - 2;
    return fits ? `${glyph}${text.padStart(room - 2)} ` : glyph.repeat(room);
  };
  const cell = (value: number | null, isNow: boolean, isFirst: boolean): Span => {
    const shade = shades.find(({ bound }) => value !== null && value <= bound);
    const filled =
      value === null || shade === undefined
        ? UNSEEN.padStart(Math.ceil(room / 2)).padEnd(room)
        : filling(value, shade.glyph, isFirst);
    const text = isNow && room > 1 ? `[${filled.slice(1, -1)}]` : filled;
    return { text, bold: isNow, color: shade?.color, faint: shade === undefined };
  };
  const every = room >= 3 ? 1 : room === 2 ? 3 : 6;
  const heading = Array.from({ length: HOURS / every }, (_, place) =>
    String(place * every)
      .padStart(2, '0')
      .padEnd(room * every),
  );
  const rows = WEEKDAYS.flatMap((weekday, day) =>
    (isTall ? [true, false] : [true]).map(
      (isFirst): Line => [
        { text: ` ${isFirst ? weekday : ''}`.padEnd(LABEL_WIDTH), bold: Math.floor(current / HOURS) === day },
        ...hours
          .slice(day * HOURS, (day + 1) * HOURS)
          .map((value, hour) => cell(value, day * HOURS + hour === current, isFirst)),
      ],
    ),
  );
  const legend: readonly Line[] = [
    ...shades.map(({ glyph, color, bound }) => [{ text: glyph, color }, plain(` ≤ ${formatGwei(bound)}`)]),
    [faint('[ ] now')],
    [faint(`${UNSEEN} no data`)],
  ];
  return { lines: [[faint(`${' '.repeat(LABEL_WIDTH)}${heading.join('')}`)], ...rows], legend };
}

interface HoursPaneProps {
  /** Mean base fees, wei per gas, Monday first, UTC hours; at least one is known. */
  readonly heatmap: readonly Hours[];
  readonly timeFrame: string;
  readonly from: number | null;
  readonly now: number;
  readonly notice: Line | null;
}

export const HoursPane = memo(function HoursPane(props: HoursPaneProps) {
  const { heatmap, timeFrame, from, now, notice } = props;
  const { columns: width, rows: height } = useRoom();
  const week = localWeek(heatmap, now);
  const seen = knownOf(week.hours).length;
  const historySec = from === null ? Number.POSITIVE_INFINITY : (now - from) / 1_000;
  const whole = timeFrame === '30d' ? '30 days' : timeFrame;
  const span = fillsFrame(historySec, timeFrameSec(timeFrame) ?? 0) ? whole : wholeSpan(historySec);
  const title: readonly Line[] = [
    [bold('cheap hours', 'accent')],
    [plain(`day × hour in ${zoneText(week.offsetMinutes)}`)],
    ...(seen < WEEK_HOURS
      ? [[colored(`${formatCount(seen)} of ${WEEK_HOURS} hours seen so far`, 'warn')]]
      : []),
    [faint(`mean base fee of ${span}, gwei`)],
  ];
  const margin = height >= 16 ? 1 : 0;
  const above = notice === null ? [title] : [title, [notice]];
  const isSpoken = useIsScreenReaderEnabled();
  const { lines, legend } = mapLines(week, width, height - above.length - 2 * margin - 2);
  const line = (segments: readonly Line[]) => <SegmentLine segments={segments} />;
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {placed(above, line)}
      {isSpoken ? null : (
        <Box flexDirection="column" marginTop={margin} marginBottom={margin} flexShrink={0}>
          <LineList lines={lines} />
          {line(legend)}
        </Box>
      )}
      {placed(hourWords(week), line)}
    </Box>
  );
});
