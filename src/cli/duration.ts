const UNIT_SEC = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
type Unit = keyof typeof UNIT_SEC;

export interface DurationRange {
  readonly min: string;
  readonly max: string;
  /** What to say behind the range to whom is outside of it. */
  readonly note?: string;
}

/**
 * Reads `90m`, `24h`, `7d` into seconds.
 * @throws RangeError for anything else, and for durations outside `min`–`max` (in the same notation).
 */
export function parseDuration(text: string, { min, max, note = '' }: DurationRange): number {
  const sec = secondsOf(text);
  if (sec === null) throw new RangeError(`"${text}" is not a duration; write 90m, 24h or 7d`);
  if (sec < (secondsOf(min) ?? 0) || sec > (secondsOf(max) ?? Number.POSITIVE_INFINITY)) {
    throw new RangeError(`"${text}" is out of range; from ${min} to ${max}${note}`);
  }
  return sec;
}

function secondsOf(text: string): number | null {
  const match = /^(\d{1,7})([smhd])$/.exec(text.trim());
  return match === null ? null : Number(match[1]) * UNIT_SEC[match[2] as Unit];
}

/** The shortest way to write seconds that {@link parseDuration} reads: `24h`, `7d`, `90m`. */
export function durationText(sec: number): string {
  if (sec % UNIT_SEC.d === 0 && sec > UNIT_SEC.d) return `${sec / UNIT_SEC.d}d`;
  if (sec % UNIT_SEC.h === 0) return `${sec / UNIT_SEC.h}h`;
  return sec % UNIT_SEC.m === 0 ? `${sec / UNIT_SEC.m}m` : `${sec}s`;
}
