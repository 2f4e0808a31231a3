import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo } from 'react';
import { timeFrameSec } from '../../../client/values.ts';
import { changeRatio } from '../../../core/market-stats.ts';
import { HOUR_MS } from '../../../core/time.ts';
import { formatChange, formatDuration, formatGwei, formatSpan } from '../../../core/units.ts';
import { useRoom } from '../../ui/pane-context.tsx';
import {
  bold,
  colored,
  faint,
  type Line,
  LineList,
  placed,
  plain,
  rankColor,
  rankText,
  SegmentLine,
  type Span,
} from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { fillsFrame, offsetAt, STILL_READ, WEEKDAYS, zoneText } from '../../ui/time.ts';
import { meanOrNull } from './chart-data.ts';

const HOURS = 24;
const WEEK_HOURS = 7 * HOURS;
/** 1 January 1970 was a Thursday, the fourth day of a week that begins on Monday. */
const EPOCH_HOUR = 3 * HOURS;

type Hours = readonly (number | null)[];

interface HourWeek {
  readonly hours: Hours;
  readonly offsetMinutes: number;
  readonly current: number;
}

const wrap = (hour: number): number => ((hour % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
const clock = (hour: number) => String(hour % HOURS).padStart(2, '0');
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

/** The runs of hours among the cheapest twelfth of the known ones, cheapest first: mean in wei per gas, hours away. */
function cheapStretches({ hours, current }: HourWeek) {
  const sorted = knownOf(hours).sort((a, b) => a - b);
  const limit = sorted[Math.ceil(sorted.length / 12) - 1] ?? 0;
  const isCheap = (hour: number) => (hours[hour] ?? Number.POSITIVE_INFINITY) <= limit;
  const starts = [...hours.keys()].filter((hour) => isCheap(hour) && !isCheap(hour - 1));
  const stretches = starts.map((start) => {
    let end = start;
    while (isCheap(end)) end += 1;
    const isNow = wrap(current - start) < end - start;
    return {
      text: `${WEEKDAYS[Math.floor(start / HOURS)]} ${clock(start)}–${clock(end)}h`,
      mean: meanOrNull(knownOf(hours.slice(start, end))) ?? 0,
      away: isNow ? 0 : wrap(start - current),
    };
  });
  return stretches.sort((a, b) => a.mean - b.mean);
}

function rankLine(cheaper: number, dearer: number): Line {
  if (cheaper === 0) return [colored(dearer === 0 ? 'like every hour' : 'the cheapest hour', 'good')];
  return [colored(`${rankText(cheaper, dearer)} of hours`, rankColor(cheaper))];
}

export function hourWords(week: HourWeek): readonly (readonly Line[])[] {
  const known = knownOf(week.hours);
  if (known.length < HOURS) return [[[faint('cheap hours are named once a whole day is seen')]]];
  const mean = meanOrNull(known) ?? 0;
  const against = (value: number) => formatChange(changeRatio(value, mean), 0);
  const stretches = cheapStretches(week);
  const cheapest = stretches.slice(0, 4).map((of): Line => {
    return [bold(of.text, 'good'), plain(` ${formatGwei(of.mean)}`), faint(` (${against(of.mean)})`)];
  });
  const next = stretches.toSorted((one, other) => one.away - other.away)[0];
  const wait = next?.away
    ? `next cheap in ${formatDuration(next.away * 3_600)}: ${next.text}`
    : 'among the cheapest';
  const here = week.hours[week.current] ?? null;
  const name = colored('▸ this hour', 'accent');
  const present: readonly Line[] =
    here === null
      ? [[name, plain(' not seen yet')]]
      : [[name, plain(` ${formatGwei(here)}`), faint(` (${against(here)} against the mean)`)]];
  const share = (is: (one: number) => boolean) => known.filter(is).length / known.length;
  const rank =
    here === null
      ? []
      : [
          rankLine(
            share((one) => one < here),
            share((one) => one > here),
          ),
        ];
  return [
    [[faint('cheapest')], ...cheapest],
    [...present, [plain(wait)], ...rank],
  ];
}

const SHADES = '░▒▓█';
const SHADE_COLORS: readonly ColorName[] = ['good', 'accent', 'warn', 'bad'];
const UNSEEN = '·';
const WIDEST_CELL = 8;
const LABEL_WIDTH = 5;

/** The week as shades of quarters, so that one expensive hour does not make all others look cheap, and a legend. */
function mapLines({ hours, current }: HourWeek, width: number, height: number) {
  const room = Math.min(Math.max(Math.floor((width - LABEL_WIDTH - 1) / HOURS), 1), WIDEST_CELL);
  const isTall = room > 3 && height - 3 >= 2 * WEEKDAYS.length;
  const sorted = knownOf(hours).sort((a, b) => a - b);
  const shades = SHADE_COLORS.map((color, place) => {
    const bound = sorted[Math.ceil(((place + 1) / SHADES.length) * sorted.length) - 1] ?? 0;
    return { glyph: SHADES.charAt(place), color, bound };
  });
  const cell = (value: number | null, isNow: boolean): Span => {
    const shade = shades.find(({ bound }) => value !== null && value <= bound);
    const filled = shade?.glyph.repeat(room) ?? UNSEEN.padStart(Math.ceil(room / 2)).padEnd(room);
    const text = isNow && room > 1 ? `[${filled.slice(1, -1)}]` : filled;
    return { text, bold: isNow, color: shade?.color, faint: shade === undefined };
  };
  const every = room >= 3 ? 1 : room === 2 ? 3 : 6;
  const heading = Array.from({ length: HOURS / every }, (_, place) =>
    clock(place * every).padEnd(room * every),
  );
  const all = hours.map((value, hour) => cell(value, hour === current));
  const rows = WEEKDAYS.flatMap((weekday, day): readonly Line[] => {
    const cells = all.slice(day * HOURS, (day + 1) * HOURS);
    const label = { text: ` ${weekday}`.padEnd(LABEL_WIDTH), bold: Math.floor(current / HOURS) === day };
    return [[label, ...cells], ...(isTall ? [[plain(' '.repeat(LABEL_WIDTH)), ...cells]] : [])];
  });
  const legend: readonly Line[] = [
    ...shades.map(({ glyph, color, bound }) => [{ text: glyph, color }, plain(` ≤ ${formatGwei(bound)}`)]),
    ...[[faint('[ ] now')], [faint(`${UNSEEN} no data`)]],
  ];
  return { lines: [[faint(`${' '.repeat(LABEL_WIDTH)}${heading.join('')}`)], ...rows], legend };
}

interface HoursPaneProps {
  /** Mean base fees, wei per gas, Monday first, UTC hours; at least one is known. */
  readonly heatmap: readonly Hours[];
  readonly timeFrame: string;
  readonly from: number | null;
  /** More history is being read. */
  readonly isFilling?: boolean;
  readonly now: number;
  readonly notice: Line | null;
}

export const HoursPane = memo(function HoursPane(props: HoursPaneProps) {
  const { heatmap, timeFrame, from, isFilling = false, now, notice } = props;
  const { columns: width, rows: height } = useRoom();
  const week = localWeek(heatmap, now);
  const seen = knownOf(week.hours).length;
  const historySec = from === null ? Number.POSITIVE_INFINITY : (now - from) / 1_000;
  const whole = timeFrame === '30d' ? '30 days' : timeFrame;
  const span = fillsFrame(historySec, timeFrameSec(timeFrame) ?? 0) ? whole : formatSpan(historySec);
  const title: readonly Line[] = [
    [bold('cheap hours', 'accent')],
    [plain(`day × hour in ${zoneText(week.offsetMinutes)}`)],
    ...(seen < WEEK_HOURS ? [[colored(`${seen} of ${WEEK_HOURS} hours seen so far`, 'warn')]] : []),
    ...(isFilling ? [[colored(`history: ${STILL_READ}`, 'warn')]] : []),
    [faint(`mean base fee of ${span}, gwei`)],
  ];
  const margin = height >= 16 ? 1 : 0;
  const above = notice === null ? [title] : [title, [notice]];
  const isSpoken = useIsScreenReaderEnabled();
  const { lines, legend } = mapLines(week, width, height - above.length - 2 * margin - 2);
  const line = (segments: readonly Line[]) => <SegmentLine segments={segments} />;
  return (
    <Box flexDirection="column" width={width} height={height}>
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
