export const MINUTE_SEC = 60;
export const HOUR_SEC = 60 * MINUTE_SEC;
export const DAY_SEC = 24 * HOUR_SEC;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The pause after `failures` in a row: `firstMs` after none before, then twice the last, at most `mostMs`. */
export const backOffMs = (failures: number, firstMs: number, mostMs = Number.POSITIVE_INFINITY): number =>
  Math.min(firstMs * 2 ** Math.min(failures, 30), mostMs);

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** `1h`, `1h30m`, `45s`, `0`: exact, and accepted by {@link msOfDuration}. */
export function durationOfMs(ms: number): string {
  let left = ms;
  let text = '';
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0' : text;
}

/** Ms of `90m`, `1h30m`, `1d 12h`, `0`; `null` when it is no duration. */
export function msOfDuration(text: string): number | null {
  const bare = text.trim().toLowerCase().replaceAll(' ', '');
  if (bare === '0') return 0;
  if (!/^(\d{1,12}(ms|[dhms]))+$/.test(bare)) return null;
  const sizes = new Map<string, number>(UNITS);
  return [...bare.matchAll(/(\d+)(ms|[dhms])/g)].reduce(
    (sum, [, count = '', unit = '']) => sum + Number(count) * (sizes.get(unit) ?? 0),
    0,
  );
}
