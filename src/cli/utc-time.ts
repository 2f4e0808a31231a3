/** `2026-11-20 19:44` in UTC; with seconds `2026-11-20 19:44:11`. */
export function utcTime(ms: number, precision: 'minutes' | 'seconds'): string {
  return new Date(ms)
    .toISOString()
    .slice(0, precision === 'seconds' ? 19 : 16)
    .replace('T', ' ');
}
