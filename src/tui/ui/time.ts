import { timeFrameSec } from '../../client/values.ts';

/** The length of a history in whole units (`55 m`, `7 d`): its start is only known to a bucket. */
export function wholeSpan(sec: number): string {
  const units = [
    [1, 's', 60],
    [60, 'm', 60],
    [3_600, 'h', 24],
  ] as const;
  const unit = units.find(([length, , most]) => Math.round(sec / length) < most);
  return unit === undefined ? `${Math.round(sec / 86_400)} d` : `${Math.round(sec / unit[0])} ${unit[1]}`;
}

/** Bucketed history starts up to an hour inside its window. */
const NEARLY = 0.95;

/** Whether a history of `sec` seconds covers a time frame of `frameSec`, within the precision of its start. */
export const fillsFrame = (sec: number, frameSec: number): boolean => sec >= frameSec * NEARLY;

/** Offset of local time from UTC at a time (ms), minutes. */
export type OffsetAt = (timestamp: number) => number;

export const systemOffset: OffsetAt = (timestamp) => -new Date(timestamp).getTimezoneOffset();

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** A date whose UTC fields read as local ones. */
function localDate(timestamp: number, offsetAt: OffsetAt): Date {
  return new Date(timestamp + offsetAt(timestamp) * 60_000);
}

/** `14:05`, or `14:05:12` with seconds. */
export function clockText(timestamp: number, offsetAt: OffsetAt, seconds = false): string {
  return localDate(timestamp, offsetAt)
    .toISOString()
    .slice(11, seconds ? 19 : 16);
}

/** `3 Nov` */
export function dayText(timestamp: number, offsetAt: OffsetAt): string {
  const date = localDate(timestamp, offsetAt);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''}`;
}

export function weekdayText(timestamp: number, offsetAt: OffsetAt): string {
  return WEEKDAYS[(localDate(timestamp, offsetAt).getUTCDay() + 6) % 7] ?? '';
}

/** `UTC`, `UTC+2`, `UTC−3:30`. */
export function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC';
  const minutes = Math.abs(offsetMinutes) % 60;
  const hours = Math.floor(Math.abs(offsetMinutes) / 60);
  return `UTC${offsetMinutes < 0 ? '−' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
}

function isSameDay(one: number, other: number, offsetAt: OffsetAt): boolean {
  const [day, otherDay] = [one, other].map((at) => localDate(at, offsetAt).toISOString().slice(0, 10));
  return day === otherDay;
}

/** `13:20:01`, on another day `5 Jan 13:20:01`. */
export function secondText(at: number, present: number, offsetAt: OffsetAt): string {
  const clock = clockText(at, offsetAt, true);
  return isSameDay(at, present, offsetAt) ? clock : `${dayText(at, offsetAt)} ${clock}`;
}

/** `13:20`, on another day of this week `Tue 13:20`, otherwise `5 Jan`. */
export function untilText(at: number, present: number, offsetAt: OffsetAt): string {
  if (isSameDay(at, present, offsetAt)) return clockText(at, offsetAt);
  const isNear = Math.abs(at - present) < 6 * 86_400_000;
  return isNear ? `${weekdayText(at, offsetAt)} ${clockText(at, offsetAt)}` : dayText(at, offsetAt);
}

/** `14 Nov 22:26:56 UTC`, with its year unless it is the present one. */
export function momentText(at: number, present: number, offsetAt: OffsetAt): string {
  const year = localDate(at, offsetAt).getUTCFullYear();
  const isSame = year === localDate(present, offsetAt).getUTCFullYear();
  return `${dayText(at, offsetAt)}${isSame ? '' : ` ${year}`} ${clockText(at, offsetAt, true)} ${zoneText(offsetAt(at))}`;
}

/** `last 6h`, or `time frame epoch` for one of unknown length. */
export function timeFrameName(word: string): string {
  return timeFrameSec(word) === null ? `time frame ${word}` : `last ${word}`;
}

export function longestTimeFrame(offered: readonly string[]): string | null {
  return (
    [...offered]
      .filter((word) => timeFrameSec(word) !== null)
      .sort((a, b) => (timeFrameSec(b) ?? 0) - (timeFrameSec(a) ?? 0))[0] ?? null
  );
}
