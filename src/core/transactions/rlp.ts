import { TransactionError } from './signed-transaction.ts';

/** A string of bytes, or a list of items; `encoded` is how it stands in the input. */
export type RlpItem = RlpBytes | RlpList;

export interface RlpBytes {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
  readonly encoded: Uint8Array;
}

export interface RlpList {
  readonly kind: 'list';
  readonly items: readonly RlpItem[];
  readonly encoded: Uint8Array;
}

/** Lists within lists: sidecar, transaction, access list, its entry, the entry's storage keys. */
const DEEPEST = 5;
/** More than 128 KiB of the smallest authorizations are. What is not read as items costs no memory. */
const MOST_ITEMS = 50_000;
/** Longest payload whose header is one byte. */
const SHORT = 55;
const STRING = 0x80;
const LIST = 0xc0;

/**
 * Recursive length prefix, as it must be: what can be written shorter is refused, so whatever is accepted has no second
 * encoding (yellow paper, appendix B).
 *
 * @param input One item and nothing after it.
 * @throws TransactionError
 */
export function decodeRlp(input: Uint8Array): RlpItem {
  const item = readItem(input, 0, input.length, { depth: 0, items: { left: MOST_ITEMS } });
  if (item.encoded.length < input.length) {
    throw new TransactionError(
      'there are bytes after the end of the transaction: copy exactly one transaction',
    );
  }
  return item;
}

/** How deep it is in lists, and how many items there may yet be in all. */
interface Allowance {
  readonly depth: number;
  readonly items: { left: number };
}

function readItem(input: Uint8Array, start: number, end: number, allowance: Allowance): RlpItem {
  if (allowance.items.left-- === 0)
    throw new TransactionError('no transaction has so many fields: sign it again');
  const first = input[start];
  if (first === undefined || start >= end) throw cutOff();
  if (first < STRING) {
    const bytes = input.subarray(start, start + 1);
    return { kind: 'bytes', bytes, encoded: bytes };
  }
  const isList = first >= LIST;
  const [from, length] = readHeader(input, start, end, isList ? LIST : STRING);
  const to = from + length;
  if (to > end) throw allowance.depth === 0 ? cutOff() : beyond();
  const encoded = input.subarray(start, to);
  if (isList) return { kind: 'list', items: readItems(input, from, to, allowance), encoded };
  const bytes = input.subarray(from, to);
  const only = bytes[0];
  if (length === 1 && only !== undefined && only < STRING) throw notShortest();
  return { kind: 'bytes', bytes, encoded };
}

function readItems(input: Uint8Array, from: number, to: number, around: Allowance): RlpItem[] {
  const allowance = { ...around, depth: around.depth + 1 };
  if (allowance.depth > DEEPEST)
    throw new TransactionError('no transaction has lists so deep in lists: sign it again');
  const items: RlpItem[] = [];
  for (let at = from; at < to; ) {
    const item = readItem(input, at, to, allowance);
    items.push(item);
    at += item.encoded.length;
  }
  return items;
}

/** Where the payload begins and how long it is. */
function readHeader(input: Uint8Array, start: number, end: number, base: number): [number, number] {
  const length = (input[start] ?? 0) - base;
  if (length <= SHORT) return [start + 1, length];
  const from = start + 1 + length - SHORT;
  if (from > end) throw cutOff();
  if (input[start + 1] === 0) throw notShortest();
  let long = 0;
  // Eight bytes at most; beyond 2^53 it is not exact, and far beyond what any input has.
  for (let at = start + 1; at < from; at++) long = long * 256 + (input[at] ?? 0);
  if (long <= SHORT) throw notShortest();
  return [from, long];
}

/** A list of items that are encoded already. */
export function encodeRlpList(items: readonly Uint8Array[]): Uint8Array {
  const length = items.reduce((sum, { length }) => sum + length, 0);
  const header =
    length <= SHORT ? [LIST + length] : [LIST + SHORT + bigEndian(length).length, ...bigEndian(length)];
  const list = new Uint8Array(header.length + length);
  list.set(header);
  let at = header.length;
  for (const item of items) {
    list.set(item, at);
    at += item.length;
  }
  return list;
}

/** A number that is not negative, up to 2^53 − 1. */
export function encodeRlpNumber(value: number): Uint8Array {
  const bytes = bigEndian(value);
  return Uint8Array.from(bytes.length === 1 && value < STRING ? bytes : [STRING + bytes.length, ...bytes]);
}

/** Without leading zeros; nothing for 0. */
function bigEndian(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

const cutOff = () =>
  new TransactionError('it ends in the middle: copy the whole signed transaction, up to its last digit');
const beyond = () =>
  new TransactionError('a field of it reaches beyond its end: it was changed or is damaged, copy it again');
const notShortest = () =>
  new TransactionError(
    'it is not encoded in the one way that nodes take (a length is written too long): sign it again',
  );
