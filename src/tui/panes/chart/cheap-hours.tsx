import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo } from 'react';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { changeRatio } from '../../../core/market-stats.ts';
import { HOUR_MS, HOUR_SEC } from '../../../core/time.ts';
import { formatChange, formatDuration, formatGwei } from '../../../core/units.ts';
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
import { offsetAt, reachedSec, STILL_READ, spanOf, WEEKDAYS, zoneText } from '../../ui/time.ts';
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
  /** Of the current hour, seconds. */
  readonly passedSec: number;
}

export const wrapHour = (hour: number): number => ((hour % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
const clock = (hour: number) => String(hour % HOURS).padStart(2, '0');
const knownOf = (hours: Hours) => hours.filter((value) => value !== null);

/** Shifts the week of UTC hours to local time; it stays in UTC where hours would have to be split. */
export function localWeek(heatmap: readonly Hours[], now: number): HourWeek {
  const offset = offsetAt(now);
  const offsetMinutes = offset % 60 === 0 ? offset : 0;
  const shift = offsetMinutes / 60;
  const hours = Array.from({ length: WEEK_HOURS }, (_, hour) => {
    const utc = wrapHour(hour - shift);
    return heatmap[Math.floor(utc / HOURS)]?.[utc % HOURS] ?? null;
  });
  const current = wrapHour(Math.floor(now / HOUR_MS) + EPOCH_HOUR + shift);
  return { hours, offsetMinutes, current, passedSec: (now % HOUR_MS) / 1_000 };
}

/** The highest mean of each quarter of the known hours: shades are quarters, and cheap is the first one. */
function quartersOf(hours: Hours): readonly number[] {
  const sorted = knownOf(hours).sort((a, b) => a - b);
  const [first = 0, ...others] = [1, 2, 3, 4].map(
    (quarter) => sorted[Math.ceil((quarter / 4) * sorted.length) - 1] ?? 0,
  );
  // Of many equal hours none is cheap, but for those that are cheaper.
  const isCommon = sorted[Math.ceil(sorted.length / 4)] === first;
  return [(isCommon && sorted.findLast((value) => value < first)) || first, ...others];
}

const dayOf = (hour: number) => WEEKDAYS[Math.floor(wrapHour(hour) / HOURS)];
const hourName = (start: number, hours = 1) =>
  (start % HOURS) + hours > HOURS
    ? `${dayOf(start)} ${clock(start)}h – ${dayOf(start + hours)} ${clock(start + hours)}h`
    : `${dayOf(start)} ${clock(start)}–${clock(start + hours)}h`;

/** The runs of cheap hours, the next one in time first: mean in wei per gas, seconds away. */
function cheapStretches({ hours, current, passedSec }: HourWeek) {
  const [limit = 0] = quartersOf(hours);
  const isCheap = (hour: number) => (hours[wrapHour(hour)] ?? Number.POSITIVE_INFINITY) <= limit;
  const all = [...hours.keys()];
  const starts = all.every(isCheap) ? [current] : all.filter((hour) => isCheap(hour) && !isCheap(hour - 1));
  const stretches = starts.map((start) => {
    const length = all.findIndex((past) => !isCheap(start + past));
    const count = length < 0 ? WEEK_HOURS : length;
    const means = all.slice(0, count).map((past) => hours[wrapHour(start + past)] ?? null);
    const isNow = wrapHour(current - start) < count;
    return {
      text: hourName(start, count),
      mean: meanOrNull(knownOf(means)) ?? 0,
      awaySec: isNow ? 0 : wrapHour(start - current) * HOUR_SEC - passedSec,
    };
  });
  return stretches.sort((a, b) => a.awaySec - b.awaySec);
}

/** The hour of the week with the lowest mean; `null` before a whole day is seen. */
function cheapestHour({ hours }: Pick<HourWeek, 'hours'>): number | null {
  const known = knownOf(hours);
  return known.length < HOURS ? null : hours.indexOf(Math.min(...known));
}

/** What Average costs in an hour of the week (the cheapest without one): its usual base fee and the present tip, wei per gas. */
export function usualPrice(
  week: Pick<HourWeek, 'hours'>,
  hour: number | null,
  { priorityFee }: Pick<SnapshotView, 'priorityFee'>,
) {
  const of = hour ?? cheapestHour(week);
  const mean = of === null ? null : (week.hours[of] ?? null);
  if (of === null || mean === null) return null;
  const tip = priorityFee ?? 0n;
  const madeOf = `${hourName(of)} usually base ${formatGwei(mean)} + tip ${formatGwei(tip)} of now`;
  return { wei: BigInt(Math.round(mean)) + tip, madeOf };
}

function rankLine(here: number, all: readonly number[]): Line {
  const share = (is: (one: number) => boolean) => all.filter(is).length / all.length;
  const [cheaper, dearer] = [share((one) => one < here), share((one) => one > here)];
  if (cheaper === 0) return [colored(dearer === 0 ? 'like every hour' : 'the cheapest hour', 'good')];
  return [colored(`${rankText(cheaper, dearer)} of hours`, rankColor(cheaper))];
}

interface HourWordsOptions {
  /** The hour under the cursor. */
  readonly cursor?: number | null;
  /** The base fee of the head, wei per gas. */
  readonly base?: number | null;
  /** Of the service, over all weekdays. */
  readonly cheapestHourUtc?: number | null;
}

/** Which hours are cheap; and the hour under the cursor, or the present one, against the others. */
export function hourWords(
  week: HourWeek,
  { cursor = null, base = null, cheapestHourUtc = null }: HourWordsOptions = {},
): readonly (readonly Line[])[] {
  const known = knownOf(week.hours);
  const lowest = cheapestHour(week);
  if (lowest === null) return [[[faint('cheap hours are named once a whole day is seen')]]];
  const mean = meanOrNull(known) ?? 0;
  const against = (value: number) => formatChange(changeRatio(value, mean) ?? 0, 0);
  const figures = (value: number, what = ''): Line => [
    plain(` ${formatGwei(value)}`),
    faint(` (${against(value)}${what})`),
  ];
  const lowestFigures = figures(week.hours[lowest] ?? 0, ' against the mean');
  const stretches = cheapStretches(week);
  const [next] = stretches;
  const ofDay = cheapestHourUtc === null ? null : wrapHour(cheapestHourUtc + week.offsetMinutes / 60) % HOURS;
  const cheapest: readonly Line[] = [
    [faint('cheapest '), bold(hourName(lowest), 'good'), ...lowestFigures],
    ...(ofDay === null ? [] : [[faint('of all days '), plain(`${clock(ofDay)}–${clock(ofDay + 1)}h`)]]),
  ];
  const cheap = stretches.slice(0, 5).map(({ text, mean: own }, place): Line => {
    return [faint(place === 0 ? 'cheap, next first  ' : ''), bold(text, 'good'), ...figures(own)];
  });
  const hour = cursor ?? week.current;
  const here = week.hours[hour] ?? null;
  const name = colored(`▸ ${hourName(hour)}`, 'accent');
  const usual: readonly Line[] =
    here === null ? [[name, plain(' not seen yet')]] : [[name, plain(' usually'), ...figures(here)]];
  const rank = here === null ? [] : [rankLine(here, known)];
  const wait =
    next === undefined || next.awaySec === 0
      ? 'now is a cheap hour'
      : `cheap in ${formatDuration(next.awaySec)}: ${next.text}`;
  return [
    cheapest,
    cheap,
    [...usual, ...(base === null ? [] : [[faint('now '), plain(formatGwei(base))]]), [plain(wait)], ...rank],
  ];
}

const SHADES = '░▒▓█';
const SHADE_COLORS: readonly ColorName[] = ['good', 'accent', 'warn', 'bad'];
const UNSEEN = '·';
const WIDEST_CELL = 8;
const LABEL_WIDTH = 5;

/** The week as shades of quarters, so that one expensive hour does not make all others look cheap, and a legend. */
function mapLines({ hours, current }: HourWeek, cursor: number | null, width: number, height: number) {
  const room = Math.min(Math.max(Math.floor((width - LABEL_WIDTH - 1) / HOURS), 1), WIDEST_CELL);
  const isTall = room > 3 && height - 3 >= 2 * WEEKDAYS.length;
  const bounds = quartersOf(hours);
  const shades = SHADE_COLORS.map((color, place) => {
    return { glyph: SHADES.charAt(place), color, bound: bounds[place] ?? 0 };
  });
  const cell = (value: number | null, hour: number): Span => {
    const shade = shades.find(({ bound }) => value !== null && value <= bound);
    const filled = shade?.glyph.repeat(room) ?? UNSEEN.padStart(Math.ceil(room / 2)).padEnd(room);
    const isNow = hour === current;
    const isUnder = hour === cursor;
    const [left, right] = isUnder ? '<>' : '[]';
    const text = (isNow || isUnder) && room > 1 ? `${left}${filled.slice(1, -1)}${right}` : filled;
    return { text, bold: isNow || isUnder, color: shade?.color, faint: shade === undefined };
  };
  const every = room >= 3 ? 1 : room === 2 ? 3 : 6;
  const heading = Array.from({ length: HOURS / every }, (_, place) =>
    clock(place * every).padEnd(room * every),
  );
  const all = hours.map(cell);
  const rows = WEEKDAYS.flatMap((weekday, day): readonly Line[] => {
    const cells = all.slice(day * HOURS, (day + 1) * HOURS);
    const label = { text: ` ${weekday}`.padEnd(LABEL_WIDTH), bold: Math.floor(current / HOURS) === day };
    return [[label, ...cells], ...(isTall ? [[plain(' '.repeat(LABEL_WIDTH)), ...cells]] : [])];
  });
  const legend: readonly Line[] = [
    ...shades.map(({ glyph, color, bound }, place) => {
      return [{ text: glyph, color }, plain(` ${place === 0 ? 'cheap ' : ''}≤ ${formatGwei(bound)}`)];
    }),
    [faint('[ ] now')],
    [faint(`${UNSEEN} no data`)],
  ];
  return { lines: [[faint(`${' '.repeat(LABEL_WIDTH)}${heading.join('')}`)], ...rows], legend };
}

const ROOMY_ROWS = 16;

interface CheapHoursProps extends HourWordsOptions {
  /** Mean base fees, wei per gas; at least one is known. */
  readonly week: HourWeek;
  readonly timeFrame: string;
  readonly from: number | null;
  /** More history is being read. */
  readonly isFilling?: boolean;
  readonly now: number;
  readonly notice: Line | null;
}

export const CheapHours = memo(function CheapHours(props: CheapHoursProps) {
  const { week, timeFrame, from, isFilling = false, now, notice, ...words } = props;
  const { columns: width, rows: height } = useRoom();
  const seen = knownOf(week.hours).length;
  const span = spanOf(reachedSec(from, now), timeFrame);
  const title: readonly Line[] = [
    [bold('cheap hours', 'accent')],
    [plain(`day × hour in ${zoneText(week.offsetMinutes)}`)],
    ...(seen < WEEK_HOURS ? [[colored(`${seen} of ${WEEK_HOURS} hours seen so far`, 'warn')]] : []),
    ...(isFilling ? [[colored(`history: ${STILL_READ}`, 'warn')]] : []),
    [faint(`mean base fee of ${span === '30d' ? '30 days' : span}, gwei`)],
  ];
  const margin = height >= ROOMY_ROWS ? 1 : 0;
  const above = notice === null ? [title] : [title, [notice]];
  const isSpoken = useIsScreenReaderEnabled();
  const [cheapest = [], ...others] = hourWords(week, words);
  const [cheap = [], ...rest] = others;
  const said = height >= ROOMY_ROWS || isSpoken ? [cheapest, ...others] : [[...cheapest, ...cheap], ...rest];
  const cursor = words.cursor ?? null;
  const { lines, legend } = mapLines(week, cursor, width, height - above.length - 2 * margin - said.length);
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
      {placed(said, line)}
    </Box>
  );
});
