import { usdOf } from '../../core/units.ts';

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A count as a JSON integer; beyond 2^53−1 (9 million gwei, the greatest cap that can be signed) that limit, as in the store. */
export function wireInteger(count: bigint): number {
  if (count < 0n) return 0;
  return Number(count > LARGEST ? LARGEST : count);
}

export const integerOrNull = (count: bigint | null | undefined) =>
  count == null ? null : wireInteger(count);

type Wire<Value> = Value extends bigint
  ? number
  : Value extends readonly (infer Each)[]
    ? Wire<Each>[]
    : Value extends object
      ? { [Key in keyof Value]: Wire<Value[Key]> }
      : Value;

/** A value with every `bigint` in it as {@link wireInteger}. */
export function toWire<Value>(value: Value): Wire<Value>;
export function toWire(value: unknown): unknown {
  if (typeof value === 'bigint') return wireInteger(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => toWire(each));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toWire(each)]));
}

export function wholeWei(wei: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(wei)));
}

export const isoFromSec = (sec: number) => new Date(sec * 1_000).toISOString();

export const isoFromMs = (ms: number) => new Date(ms).toISOString();

export const isoOrNull = (ms: number | null) => (ms === null ? null : isoFromMs(ms));

/** An amount of wei in dollars; `null` while either is unknown. */
export const usdOrNull = (wei: bigint | null, nativeUsd: number | null) =>
  wei === null || nativeUsd === null ? null : usdOf(wei, nativeUsd);
