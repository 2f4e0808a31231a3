const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** `1h`, `1h30m`, `45s`, `0`: exact, and as it can be typed again. */
export function cooldownText(ms: number): string {
  let left = ms;
  let text = '';
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0' : text;
}

/** Ms of `90m`, `1h30m`, `1d 12h`, `0`; `null`: that is no duration. */
export function parseCooldown(text: string): number | null {
  const bare = text.trim().toLowerCase().replaceAll(' ', '');
  if (bare === '0') return 0;
  if (!/^(\d{1,12}(ms|[dhms]))+$/.test(bare)) return null;
  const sizes = new Map<string, number>(UNITS);
  return [...bare.matchAll(/(\d+)(ms|[dhms])/g)].reduce(
    (sum, [, count = '', unit = '']) => sum + Number(count) * (sizes.get(unit) ?? 0),
    0,
  );
}
