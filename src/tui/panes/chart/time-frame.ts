import { TIME_FRAME_SEC } from '../../../contract/choices.ts';

const KNOWN = new Map<string, number>(Object.entries(TIME_FRAME_SEC));
const UNIT_SEC: readonly (readonly [RegExp, number])[] = [
  // A capital M is a month where m is a minute.
  [/^(M|mo|months?)$/, 2_592_000],
  [/^(m|min|mins|minutes?)$/i, 60],
  [/^(h|hrs?|hours?)$/i, 3_600],
  [/^(d|days?)$/i, 86_400],
  [/^(w|weeks?)$/i, 604_800],
  [/^(y|years?)$/i, 31_536_000],
];

/**
 * Length of a time frame in seconds, from the contract's words or those of other services (`6h`, `2w`, `3 months`,
 * `day`); `null` where the word does not say (`epoch`).
 */
export function timeFrameSec(word: string): number | null {
  const known = KNOWN.get(word);
  if (known !== undefined) return known;
  const match = /^(\d{0,4})[\s_-]*([a-z]+)$/i.exec(word);
  const [, count = '', unit = ''] = match ?? [];
  const sec = UNIT_SEC.find(([name]) => name.test(unit))?.[1];
  if (sec === undefined || count === '0') return null;
  return sec * Number(count === '' ? 1 : count);
}

/** `last 6h`, or `time frame epoch` where nobody knows how long that is. */
export function timeFrameName(word: string): string {
  return timeFrameSec(word) === null ? `time frame ${word}` : `last ${word}`;
}

/** The longest of `offered` that says how long it is; for what needs as much past as there is. */
export function longestTimeFrame(offered: readonly string[]): string | null {
  return (
    [...offered]
      .filter((word) => timeFrameSec(word) !== null)
      .sort((a, b) => (timeFrameSec(b) ?? 0) - (timeFrameSec(a) ?? 0))[0] ?? null
  );
}
