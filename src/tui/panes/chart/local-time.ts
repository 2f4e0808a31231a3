/** Minutes that local clocks are ahead of UTC at a moment (ms). */
export type OffsetAt = (timestamp: number) => number;

export const systemOffset: OffsetAt = (timestamp) => -new Date(timestamp).getTimezoneOffset();

/** As a week begins in the heatmap. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** A date whose UTC fields read as local ones. */
export function localDate(timestamp: number, offsetAt: OffsetAt): Date {
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

/** `Tue` */
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
