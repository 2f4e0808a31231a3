import type { Hex } from '../core/block.ts';

// Parsers of column values. They throw a RangeError for a value that gastop did not write.

/** The latest representable date, ms since epoch: ECMA-262, “Time Values and Time Range”. */
const LAST_MOMENT = 8_640_000_000_000_000;
/** Of 2^256 − 1. */
const MOST_DIGITS = 78;
const ADDRESS_LENGTH = 42;
const HASH_LENGTH = 66;

export const unreadable = () => new RangeError('no row of ours');

export function maybe<Value, Result>(
  value: Value | null | undefined,
  read: (value: Value) => Result,
): Result | null {
  return value === null || value === undefined ? null : read(value);
}

export function whole(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw unreadable();
}

/** Ms since epoch within the range of dates. */
export function moment(value: unknown): number {
  const read = whole(value);
  if (read > LAST_MOMENT) throw unreadable();
  return read;
}

/** Wei per gas, and gas. */
export const wei = (value: unknown): bigint => BigInt(whole(value));

/** Wei as decimal text, for amounts that may exceed 2^53 − 1. */
export function amount(value: unknown): bigint {
  if (typeof value === 'string' && value.length <= MOST_DIGITS && /^\d+$/.test(value)) return BigInt(value);
  throw unreadable();
}

export const isHex = (value: string): value is Hex =>
  value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);

export function hex(value: unknown): Hex {
  if (typeof value === 'string' && isHex(value)) return value;
  throw unreadable();
}

const ofLength = (length: number) => (value: unknown) => {
  const read = hex(value);
  if (read.length === length) return read;
  throw unreadable();
};

export const address = ofLength(ADDRESS_LENGTH);
export const hash = ofLength(HASH_LENGTH);

export function oneOf<const Choice>(choices: readonly Choice[], value: unknown): Choice {
  const found = choices.find((each) => each === value);
  if (found === undefined) throw unreadable();
  return found;
}
