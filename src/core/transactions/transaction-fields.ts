import { encodeRlpList, type RlpItem } from './rlp.ts';
import { TransactionError } from './signed-transaction.ts';

/** The largest integer that the wire carries. */
export const SAFE_MOST = BigInt(Number.MAX_SAFE_INTEGER);
export const UINT256_MOST = 2n ** 256n - 1n;

const ADDRESS_LENGTH = 20;
const WORD_LENGTH = 32;

/** What stands at each place of a transaction; each reading takes the next one. All throw TransactionError. */
export class TransactionFields {
  readonly #items: readonly RlpItem[];
  #next = 0;

  constructor(items: readonly RlpItem[]) {
    this.#items = items;
  }

  /** @param most Of what it may be, for what has more bits than the rules allow. */
  integer(name: string, most = UINT256_MOST): bigint {
    const bytes = this.bytes(name);
    if (bytes[0] === 0) {
      throw new TransactionError(`${name} is written with leading zeros, which no node takes: sign it again`);
    }
    if (bytes.length > WORD_LENGTH || toInteger(bytes) > most) {
      throw new TransactionError(
        `${name} is larger than ${wordsOf(most)}, the most it may be: sign it again with less`,
      );
    }
    return toInteger(bytes);
  }

  bytes(name: string): Uint8Array {
    const item = this.#take();
    if (item?.kind !== 'bytes') {
      throw new TransactionError(`${name} is a list where bytes belong: sign it again`);
    }
    return item.bytes;
  }

  /** 32 bytes. */
  word(name: string): Uint8Array {
    const bytes = this.bytes(name);
    if (bytes.length === WORD_LENGTH) return bytes;
    throw new TransactionError(`${name} has ${bytes.length} bytes instead of ${WORD_LENGTH}: sign it again`);
  }

  address(name: string): Uint8Array {
    const bytes = this.addressOrNone(name);
    if (bytes !== null) return bytes;
    throw new TransactionError(`${name} is missing, and this kind of transaction needs one: sign it again`);
  }

  /** `null`: nothing stands there. */
  addressOrNone(name: string): Uint8Array | null {
    const bytes = this.bytes(name);
    if (bytes.length === 0) return null;
    if (bytes.length === ADDRESS_LENGTH) return bytes;
    throw new TransactionError(
      `${name} has ${bytes.length} bytes instead of ${ADDRESS_LENGTH}: check the address and sign it again`,
    );
  }

  list(name: string): readonly RlpItem[] {
    const item = this.#take();
    if (item?.kind === 'list') return item.items;
    throw new TransactionError(`${name} is no list: sign it again`);
  }

  /** The fields of each entry of a list whose entries are lists of `length` fields. */
  entries(name: string, length: number): TransactionFields[] {
    return this.list(name).map((entry) => {
      if (entry.kind === 'list' && entry.items.length === length) return new TransactionFields(entry.items);
      throw new TransactionError(`${name} has an entry without its ${length} fields: sign it again`);
    });
  }

  /** Each item of a list, which `read` takes from what it is given. */
  each<T>(name: string, read: (entries: TransactionFields) => T): T[] {
    const items = this.list(name);
    const entries = new TransactionFields(items);
    return items.map(() => read(entries));
  }

  /** The first `length` fields as a list of their own, whatever was taken of them. */
  encodedList(length: number): Uint8Array {
    return encodeRlpList(this.#items.slice(0, length).map(({ encoded }) => encoded));
  }

  #take(): RlpItem | undefined {
    return this.#items[this.#next++];
  }
}

function toInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

function wordsOf(most: bigint): string {
  const bits = most.toString(2).length;
  return most === 2n ** BigInt(bits) - 1n ? `2^${bits} − 1` : `${most}`;
}
