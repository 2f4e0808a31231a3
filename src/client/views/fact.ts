import { formatCount, formatUsd, usdOf } from '../../core/units.ts';

/** For people; `null`: unknown, or there is none. */
export type Fact = readonly [name: string, text: string | null];

/** What turns amounts into coins and dollars. */
export interface Money {
  readonly symbol: string;
  /** The coin's present price, for amounts without dollars of their own. */
  readonly nativeUsd: number | null;
}

/** ` ($31.20)`, to stand behind an amount of wei; nothing where the coin's price is not known. */
export const dollarsBehind = (wei: bigint, nativeUsd: number | null): string =>
  nativeUsd === null ? '' : ` (${formatUsd(usdOf(wei, nativeUsd))})`;

export const mapped = <Value, Result>(
  value: Value | null | undefined,
  write: (value: Value) => Result,
): Result | null => (value === null || value === undefined ? null : write(value));

export const counted = (count: number, one: string): string =>
  `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
