import { type Answer, lookUp } from './answer.ts';
import { isRecord, type JsonRecord } from './json.ts';
import {
  type FeeUnit,
  readAmount,
  readCount,
  readExactId,
  readFee,
  readFlag,
  readNote,
  readNumber,
  readRatio,
  readText,
  readTime,
  readWholeWei,
  readWord,
  readWrittenText,
} from './values.ts';

/** What identifies a thing, by whichever name. */
export const ID_NAMES = ['id', '_id', 'alertId', 'uuid'] as const;

/**
 * One record of an answer, read field by field. Each method takes the names a field may go by, the contract's own
 * first, and gives `null` where none of them says anything sound; `required…` is an `unreadable` error instead.
 */
export class Fields {
  readonly #answer: Answer;
  readonly #record: JsonRecord;
  /** Where the record stands, e.g. `lanes.slow`; empty for the answer itself. */
  readonly #path: string;

  constructor(answer: Answer, record: JsonRecord, path = '') {
    this.#answer = answer;
    this.#record = record;
    this.#path = path;
    answer.trace?.record(path, record);
  }

  /** Price per gas in wei. `lowPrice` may also be spelled `lowPriceGwei` or `lowPriceWei`, which then says the unit. */
  fee(...names: readonly string[]): bigint | null {
    return this.#fee(names).fee;
  }

  requiredFee(...names: readonly string[]): bigint {
    const { fee, value } = this.#fee(names);
    if (fee === null) throw this.missing(names[0] ?? '', value);
    return fee;
  }

  /** A fee that is only drawn, as a plain number of wei. */
  feeNumber(...names: readonly string[]): number | null {
    const fee = this.fee(...names);
    return fee === null ? null : Number(fee);
  }

  time(...names: readonly string[]): number | null {
    return this.#read(names, readTime);
  }

  count(...names: readonly string[]): number | null {
    return this.#read(names, readCount);
  }

  amount(...names: readonly string[]): number | null {
    return this.#read(names, readAmount);
  }

  /** A whole amount of wei, as a decimal string or a number. */
  wei(...names: readonly string[]): bigint | null {
    return this.#read(names, readWholeWei);
  }

  /** The names in a record whose values are counts, e.g. how many there are by status. */
  counts(...names: readonly string[]): Readonly<Record<string, number>> {
    const value = this.#read(names, recordOf);
    if (value === null) return {};
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, count]) => {
        const name = readText(key);
        const number = readCount(count);
        return name === null || number === null ? [] : [[name, number]];
      }),
    );
  }

  /** Any finite number, also below 0: a change, a saving. */
  number(...names: readonly string[]): number | null {
    return this.#read(names, readNumber);
  }

  ratio(...names: readonly string[]): number | null {
    return this.#read(names, readRatio);
  }

  text(...names: readonly string[]): string | null {
    return this.#read(names, readText);
  }

  /** Text that people write themselves: it may be long, and be empty. */
  writtenText(longest: number, ...names: readonly string[]): string | null {
    return this.#read(names, (value) => readWrittenText(value, longest));
  }

  /** What people wrote with its line breaks, to be sent back as it is; see `cleanNote` of the core. */
  note(longest: number, ...names: readonly string[]): string | null {
    return this.#read(names, (value) => readNote(value, longest));
  }

  id(): string | null {
    return this.#read(ID_NAMES, readText);
  }

  /** An id that is asked for again: exactly as it came, or not at all. */
  exactId(...names: readonly string[]): string | null {
    return this.#read(names, readExactId);
  }

  word(known: readonly string[], ...names: readonly string[]): string | null {
    return this.#read(names, (value) => readWord(value, known));
  }

  requiredWord(known: readonly string[], ...names: readonly string[]): string {
    const word = this.word(known, ...names);
    if (word === null) throw this.missing(names[0] ?? '', lookUp(this.#record, names)?.value);
    return word;
  }

  flag(...names: readonly string[]): boolean | null {
    return this.#read(names, readFlag);
  }

  /** A record of anything; empty where there is none. */
  record(...names: readonly string[]): JsonRecord {
    return this.#read(names, recordOf) ?? {};
  }

  child(...names: readonly string[]): Fields | null {
    const record = this.#read(names, recordOf);
    return record === null ? null : new Fields(this.#answer, record, this.#at(names[0] ?? ''));
  }

  /** A record that is no more than a further envelope around the same fields. */
  inside(name: string): Fields | null {
    const found = lookUp(this.#record, [name]);
    if (found === null || !isRecord(found.value)) return null;
    this.#answer.trace?.envelope(found.key);
    return new Fields(this.#answer, found.value, this.#path);
  }

  /** A list of anything; empty where there is none. */
  list(...names: readonly string[]): readonly unknown[] {
    return this.#read(names, listOf) ?? [];
  }

  /** The records of a list; what is not a record is left out. */
  children(...names: readonly string[]): readonly Fields[] {
    return this.childrenIfAny(...names) ?? [];
  }

  /** The same, and `null` where there is no list. */
  childrenIfAny(...names: readonly string[]): readonly Fields[] | null {
    const path = this.#at(names[0] ?? '');
    const rows = this.#read(names, listOf);
    if (rows === null) return null;
    return rows.flatMap((row, index) =>
      isRecord(row) ? [new Fields(this.#answer, row, `${path}[${index}]`)] : [],
    );
  }

  missing(name: string, found?: unknown) {
    return this.#answer.unreadable(this.#at(name), found);
  }

  #read<Value>(names: readonly string[], read: (value: unknown) => Value | null): Value | null {
    const found = lookUp(this.#record, names);
    const value = found === null ? null : read(found.value);
    this.#answer.trace?.field(this.#at(names[0] ?? ''), found?.key ?? null, value !== null);
    return value;
  }

  #fee(names: readonly string[]): { readonly fee: bigint | null; readonly value?: unknown } {
    const { trace } = this.#answer;
    const found = this.#findFee(names);
    if (found === null) {
      trace?.field(this.#at(names[0] ?? ''), null, false);
      return { fee: null };
    }
    const unit = this.#unit(found.key);
    const fee = readFee(found.value, unit);
    trace?.field(this.#at(names[0] ?? ''), found.key, fee !== null);
    trace?.fee(this.#at(names[0] ?? ''), found.value, unit, fee);
    return { fee, value: found.value };
  }

  #findFee(names: readonly string[]): ReturnType<typeof lookUp> {
    for (const name of names) {
      const found = lookUp(this.#record, [name]) ?? lookUp(this.#record, [`${name}Gwei`, `${name}Wei`]);
      if (found !== null) return found;
    }
    return null;
  }

  #unit(key: string): FeeUnit {
    if (/gwei$/i.test(key)) return 'gwei';
    return this.#answer.exact || /wei$/i.test(key) ? 'wei' : 'guess';
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}

function recordOf(value: unknown): JsonRecord | null {
  return isRecord(value) ? value : null;
}

function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}
