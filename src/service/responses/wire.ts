import { usdOf } from '../../core/units.ts';

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A whole number as a JSON integer; `null` where it is unknown, or from 2^53−1 on: it is not told apart there from a larger one. */
export function integerOrNull(count: bigint | null | undefined): number | null {
  if (count == null || count >= LARGEST) return null;
  return count < 0n ? 0 : Number(count);
}

/** An amount of gas; no block holds 2^53 of it. */
export const gasCount = (gas: bigint) => Number(gas < LARGEST ? gas : LARGEST);

type Wire<Value> = Value extends bigint
  ? number | null
  : Value extends readonly (infer Each)[]
    ? Wire<Each>[]
    : Value extends object
      ? { [Key in keyof Value]: Wire<Value[Key]> }
      : Value;

/** A value with every `bigint` in it as {@link integerOrNull}. */
export function toWire<Value>(value: Value): Wire<Value>;
export function toWire(value: unknown): unknown {
  if (typeof value === 'bigint') return integerOrNull(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => toWire(each));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toWire(each)]));
}

/** A mean or a sum of wei as {@link integerOrNull}. */
export function wholeWeiOrNull(wei: number): number | null {
  const whole = Math.max(0, Math.round(wei));
  return whole < Number.MAX_SAFE_INTEGER ? whole : null;
}

/** Prices of one record, with the reason where one is `null`. */
export function explained<Prices extends object>(prices: Prices): Prices & { reason?: string } {
  if (!Object.values(prices).includes(null)) return prices;
  return { ...prices, reason: 'it is above 9,007,199 gwei (2^53 − 1 wei), more than a JSON integer holds' };
}

/** {@link explained}, of means or sums of wei. */
export const meansToWire = <Name extends string>(means: Readonly<Record<Name, number>>) =>
  explained(
    Object.fromEntries(
      Object.entries<number>(means).map(([name, wei]) => [name, wholeWeiOrNull(wei)]),
    ) as Record<Name, number | null>,
  );

export const isoFromSec = (sec: number) => new Date(sec * 1_000).toISOString();

export const isoFromMs = (ms: number) => new Date(ms).toISOString();

export const isoOrNull = (ms: number | null) => (ms === null ? null : isoFromMs(ms));

/** An amount of wei in dollars; `null` while either is unknown. */
export const usdOrNull = (wei: bigint | null, nativeUsd: number | null) =>
  wei === null || nativeUsd === null ? null : usdOf(wei, nativeUsd);

/** Of an alert or auto-tx whose rule stands for no price now, for this reason. */
export const thresholdWarnings = (reason: string | null | undefined) =>
  reason == null ? [] : [{ path: 'threshold', message: `it waits: ${reason}` }];
