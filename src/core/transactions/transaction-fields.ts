import { bytesToBigInt, fromRlp, toRlp } from 'viem/utils';
import { TransactionError } from './signed-transaction.ts';

/** A byte string or a list of items (recursive length prefix, yellow paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[];

/** Lists within lists: sidecar, transaction, access list, its entry, the entry's storage keys. */
const MAX_DEPTH = 5;
/** More than 128 KiB of the smallest authorizations have. */
const MAX_ITEMS = 50_000;
/** The longest payload whose header is one byte. */
const SHORT = 55;
const STRING = 0x80;
const LIST = 0xc0;

/**
 * Reads exactly one item. viem accepts any encoding, so the item is encoded again and compared: an accepted item has
 * no second encoding.
 *
 * @throws TransactionError
 */
export function readRlp(bytes: Uint8Array): RlpItem {
  checkItemCount(bytes);
  const item = parseRlp(bytes);
  if (depthOf(item) > MAX_DEPTH) throw tooDeep();
  if (!isEqual(toRlp(item, 'bytes'), bytes)) throw notShortest();
  return item;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** viem makes an object of each item: a megabyte of the smallest items would take hundreds of megabytes. */
function checkItemCount(bytes: Uint8Array): void {
  let items = 0;
  // Steps over the headers of lists, so that nested items count too.
  for (let at = 0; at < bytes.length; items++) {
    const first = bytes[at] ?? 0;
    const isString = first >= STRING && first < LIST;
    at += isString ? encodedLength(bytes, at) : first > LIST + SHORT ? 1 + first - LIST - SHORT : 1;
  }
  if (items > MAX_ITEMS) throw new TransactionError('no transaction has so many fields: sign it again');
}

/** Length of an item, as its header states it. */
function encodedLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first - (first >= LIST ? LIST : STRING);
  if (length <= SHORT) return 1 + length;
  const payload = at + 1 + length - SHORT;
  // At most eight bytes: beyond 2^53 the sum is inexact, but far longer than any input.
  return payload - at + bytes.subarray(at + 1, payload).reduce((sum, byte) => sum * 256 + byte, 0);
}

function parseRlp(bytes: Uint8Array): RlpItem {
  if (bytes.length === 0) throw cutOff();
  try {
    return fromRlp(bytes, 'bytes');
  } catch (error) {
    // viem's messages repeat input bytes.
    const name = error instanceof Error ? error.name : '';
    if (name === 'RlpDepthLimitExceededError') throw tooDeep();
    if (name === 'RlpTrailingBytesError') {
      throw new TransactionError(
        'there are bytes after the end of the transaction: copy exactly one transaction',
      );
    }
    if (encodedLength(bytes, 0) > bytes.length) throw cutOff();
    if (name === 'RlpListBoundaryExceededError' || name === 'PositionOutOfBoundsError') {
      throw new TransactionError(
        'a field of it reaches beyond its end: it was changed or is damaged, copy it again',
      );
    }
    // A length in more bytes than any transaction needs.
    throw notShortest();
  }
}

function depthOf(item: RlpItem): number {
  return item instanceof Uint8Array ? 0 : item.reduce((most, each) => Math.max(most, 1 + depthOf(each)), 1);
}

const cutOff = () =>
  new TransactionError('it ends in the middle: copy the whole signed transaction, up to its last digit');
const tooDeep = () => new TransactionError('no transaction has lists so deep in lists: sign it again');
const notShortest = () =>
  new TransactionError(
    'it is not encoded in the one way that nodes take (a length is written too long): sign it again',
  );

/** The largest integer in JSON. */
export const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_UINT256 = 2n ** 256n - 1n;
const ADDRESS_LENGTH = 20;
const WORD_LENGTH = 32;

/** Reads the fields of a list in order. All methods throw TransactionError. */
export class TransactionFields {
  readonly #items: readonly RlpItem[];
  #next = 0;

  constructor(items: readonly RlpItem[]) {
    this.#items = items;
  }

  /** @param most For fields with more bits than the rules allow. */
  integer(name: string, most = MAX_UINT256): bigint {
    const bytes = this.bytes(name);
    if (bytes[0] === 0) {
      throw new TransactionError(`${name} is written with leading zeros, which no node takes: sign it again`);
    }
    // Zero is the empty string.
    const value = bytes.length === 0 ? 0n : bytesToBigInt(bytes);
    if (bytes.length > WORD_LENGTH || value > most) {
      throw new TransactionError(
        `${name} is larger than 2^${most.toString(2).length} − 1, the most it may be: sign it again with less`,
      );
    }
    return value;
  }

  bytes(name: string): Uint8Array {
    const item = this.#items[this.#next++];
    if (item instanceof Uint8Array) return item;
    throw new TransactionError(`${name} is a list where bytes belong: sign it again`);
  }

  /** 32 bytes. */
  word(name: string): Uint8Array {
    const bytes = this.bytes(name);
    if (bytes.length === WORD_LENGTH) return bytes;
    throw new TransactionError(`${name} has ${bytes.length} bytes instead of ${WORD_LENGTH}: sign it again`);
  }

  address(name: string): Uint8Array {
    const bytes = this.addressOrNull(name);
    if (bytes !== null) return bytes;
    throw new TransactionError(`${name} is missing, and this kind of transaction needs one: sign it again`);
  }

  /** `null` when the field is empty. */
  addressOrNull(name: string): Uint8Array | null {
    const bytes = this.bytes(name);
    if (bytes.length === 0) return null;
    if (bytes.length === ADDRESS_LENGTH) return bytes;
    throw new TransactionError(
      `${name} has ${bytes.length} bytes instead of ${ADDRESS_LENGTH}: check the address and sign it again`,
    );
  }

  list(name: string): readonly RlpItem[] {
    const item = this.#items[this.#next++];
    if (item !== undefined && !(item instanceof Uint8Array)) return item;
    throw new TransactionError(`${name} is no list: sign it again`);
  }

  /** The entries of a list of lists with `length` fields each. */
  entries(name: string, length: number): (readonly RlpItem[])[] {
    return this.list(name).map((entry) => {
      if (!(entry instanceof Uint8Array) && entry.length === length) return entry;
      throw new TransactionError(`${name} has an entry without its ${length} fields: sign it again`);
    });
  }

  /** Reads each item of a list with `read`. */
  each<T>(name: string, read: (items: TransactionFields) => T): T[] {
    const items = this.list(name);
    const fields = new TransactionFields(items);
    return items.map(() => read(fields));
  }
}
