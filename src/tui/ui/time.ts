import { timeFrameSec } from '../../client/values.ts';
import { formatAge, formatDuration, formatSpan } from '../../core/units.ts';

/** Which time all texts of the monitor are in. */
export const ZONES = ['local', 'utc'] as const;
type Zone = (typeof ZONES)[number];

const terminal: { zone: Zone } = { zone: 'local' };

/** As {@link setAscii} it is the same for all that is drawn. */
export function setZone(zone: Zone): void {
  terminal.zone = zone;
}

/** Bucketed history starts up to an hour inside its window. */
const NEARLY = 0.95;

/** Whether a history of `sec` seconds covers a time frame of `frameSec`, within the precision of its start. */
export const fillsFrame = (sec: number, frameSec: number): boolean => sec >= frameSec * NEARLY;

/** How far back a history goes, in seconds: far enough, if that is not known. */
export const reachedSec = (from: number | null, end: number | null): number =>
  from === null || end === null ? Number.POSITIVE_INFINITY : (end - from) / 1_000;

/** `24h`; a shorter history, which must not be called that, is `3h05m`. */
export const spanOf = (sec: number, timeFrame: string): string =>
  fillsFrame(sec, timeFrameSec(timeFrame) ?? 0) ? timeFrame : formatSpan(sec);

/** Of a history that does not fill its time frame, while it grows. */
export const STILL_READ = 'more of it is being read';

/** Buckets begin up to two hours inside of a long window, and single blocks a little inside of a short one. */
const INSIDE_MS = 7_200_000;
const INSIDE_RATIO = 0.03;

/** Where a history begins (ms) that does not fill its time frame, however nearly; `null`: it does, or that is not known. */
export function shortStart(from: number | null, end: number | null, timeFrame: string): number | null {
  const frameMs = (timeFrameSec(timeFrame) ?? 0) * 1_000;
  const isShort =
    from !== null && end !== null && end - from < frameMs - Math.min(INSIDE_MS, frameMs * INSIDE_RATIO);
  return isShort ? from : null;
}

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Offset of the shown time from UTC at a time (ms), minutes. */
export const offsetAt = (at: number): number =>
  terminal.zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset();

/** A date whose UTC parts are those of the shown time. */
const shownDate = (at: number): Date => new Date(at + offsetAt(at) * 60_000);

/** `14:05`, or `14:05:12` with seconds, in the zone of all texts here. */
export const clockText = (at: number, seconds = false): string =>
  shownDate(at)
    .toISOString()
    .slice(11, seconds ? 19 : 16);

/** `4s ago`, or `now`. */
export const ageText = (at: number, present: number) => formatAge((present - at) / 1_000);

/** `in 3h04m`, or `now`. */
export const aheadText = (at: number, present: number) =>
  at <= present ? 'now' : `in ${formatDuration((at - present) / 1_000)}`;

/** `3 Nov` */
export function dayText(at: number): string {
  const date = shownDate(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''}`;
}

/** `3 Nov 2023 14:05 UTC+1`, for one time on a screen of its own. */
export const yearText = (at: number): string =>
  `${dayText(at)} ${shownDate(at).getUTCFullYear()} ${clockText(at)} ${zoneText(offsetAt(at))}`;

export const weekdayText = (at: number): string => WEEKDAYS[(shownDate(at).getUTCDay() + 6) % 7] ?? '';

/** `UTC`, `UTC+2`, `UTC−3:30`. */
export function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC';
  const minutes = Math.abs(offsetMinutes) % 60;
  const hours = Math.floor(Math.abs(offsetMinutes) / 60);
  return `UTC${offsetMinutes < 0 ? '−' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
}

const isSameDay = (one: number, other: number) =>
  dayText(one) === dayText(other) && Math.abs(one - other) <= 2 * 86_400_000;

/** `13:20:01`, on another day `5 Jan 13:20:01`. */
export function secondText(at: number, present: number): string {
  const clock = clockText(at, true);
  return isSameDay(at, present) ? clock : `${dayText(at)} ${clock}`;
}

/** `13:20`, on another day of this week `Tue 13:20`, otherwise `5 Jan`. */
export function untilText(at: number, present: number): string {
  if (isSameDay(at, present)) return clockText(at);
  const isNear = Math.abs(at - present) < 6 * 86_400_000;
  return isNear ? `${weekdayText(at)} ${clockText(at)}` : dayText(at);
}

/** `14 Nov 22:26:56`, with its year unless it is the present one, and its zone where clocks have changed since. */
export function momentText(at: number, present: number): string {
  const year = shownDate(at).getUTCFullYear();
  const named = year === shownDate(present).getUTCFullYear() ? '' : ` ${year}`;
  const zone = offsetAt(at) === offsetAt(present) ? '' : ` ${zoneText(offsetAt(at))}`;
  return `${dayText(at)}${named} ${clockText(at, true)}${zone}`;
}

/** `last 6h`, or `time frame epoch` for one of unknown length. */
export const timeFrameName = (word: string): string =>
  timeFrameSec(word) === null ? `time frame ${word}` : `last ${word}`;

export function longestTimeFrame(offered: readonly string[]): string | null {
  const known = offered.filter((word) => timeFrameSec(word) !== null);
  return known.sort((a, b) => (timeFrameSec(b) ?? 0) - (timeFrameSec(a) ?? 0))[0] ?? null;
}
