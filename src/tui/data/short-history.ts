/** A history that does not fill its time frame yet, because more of it is still being read. */
export interface ShortHistory {
  /** Where it begins, ms since epoch. */
  readonly from: number;
  /** When it was first received, or last reached further back, ms. */
  readonly since: number;
  readonly hasGrown: boolean;
}

interface Received {
  readonly short?: ShortHistory | null;
  /** When it was received last, ms. */
  readonly at: number;
}

/** So long after it has grown last it is asked for with each head: a stage of filling takes a minute and more. */
const MAY_FILL_MS = 180_000;
/** So long it counts as one that is being read. */
const FILLS_MS = 60_000;
/** A remote service counts requests. */
export const FILLS_ELSEWHERE_MS = 15_000;

/** `from`: where a response received `at` begins; `null`: it fills its time frame. */
export function shortOf(
  from: number | null,
  before: ShortHistory | null | undefined,
  at: number,
): ShortHistory | null {
  if (from === null) return null;
  const hasGrown = before != null && from < before.from;
  if (before == null || hasGrown) return { from, since: at, hasGrown };
  return { ...before, from };
}

const hasGrownWithin = ({ short, at }: Received, ms: number) => short != null && at - short.since < ms;

export const mayFill = (data: Received): boolean => hasGrownWithin(data, MAY_FILL_MS);

export const isFilling = (data: Received): boolean =>
  data.short?.hasGrown === true && hasGrownWithin(data, FILLS_MS);
