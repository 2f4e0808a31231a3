import { type Answer, lookUp } from './answer.ts';
import { isRecord, type JsonRecord } from './json.ts';
import {
  type FeeUnit,
  readAmount,
  readCount,
  readFee,
  readFlag,
  readNumber,
  readRatio,
  readText,
  readTime,
  readWholeWei,
  readWord,
} from './values.ts';

/** What identifies a thing, by whichever name. */
const ID_NAMES = ['id', '_id', 'alertId', 'uuid'] as const;

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
  }

  /** Price per gas in wei. `lowPrice` may also be spelled `lowPriceGwei` or `lowPriceWei`, which then says the unit. */
  fee(...names: readonly string[]): bigint | null {
    const found = this.#fee(names);
    return found === null ? null : readFee(found.value, this.#unit(found.key));
  }

  requiredFee(...names: readonly string[]): bigint {
    const found = this.#fee(names);
    const fee = found === null ? null : readFee(found.value, this.#unit(found.key));
    if (fee === null) throw this.missing(names[0] ?? '', found?.value);
    return fee;
  }

  /** A fee that is only drawn, as a plain number of wei. */
  feeNumber(...names: readonly string[]): number | null {
    const fee = this.fee(...names);
    return fee === null ? null : Number(fee);
  }

  time(...names: readonly string[]): number | null {
    return readTime(this.#value(names));
  }

  count(...names: readonly string[]): number | null {
    return readCount(this.#value(names));
  }

  amount(...names: readonly string[]): number | null {
    return readAmount(this.#value(names));
  }

  /** A whole amount of wei, as a decimal string or a number. */
  wei(...names: readonly string[]): bigint | null {
    return readWholeWei(this.#value(names));
  }

  /** The names in a record whose values are counts, e.g. how many there are by status. */
  counts(...names: readonly string[]): Readonly<Record<string, number>> {
    const value = this.#value(names);
    if (!isRecord(value)) return {};
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
    return readNumber(this.#value(names));
  }

  ratio(...names: readonly string[]): number | null {
    return readRatio(this.#value(names));
  }

  text(...names: readonly string[]): string | null {
    return readText(this.#value(names));
  }

  id(): string | null {
    return readText(this.#value(ID_NAMES));
  }

  word(known: readonly string[], ...names: readonly string[]): string | null {
    return readWord(this.#value(names), known);
  }

  requiredWord(known: readonly string[], ...names: readonly string[]): string {
    const found = this.#value(names);
    const word = readWord(found, known);
    if (word === null) throw this.missing(names[0] ?? '', found);
    return word;
  }

  flag(...names: readonly string[]): boolean | null {
    return readFlag(this.#value(names));
  }

  child(...names: readonly string[]): Fields | null {
    const found = lookUp(this.#record, names);
    return found !== null && isRecord(found.value)
      ? new Fields(this.#answer, found.value, this.#at(names[0] ?? ''))
      : null;
  }

  /** A list of anything; empty where there is none. */
  list(...names: readonly string[]): readonly unknown[] {
    const value = this.#value(names);
    return Array.isArray(value) ? value : [];
  }

  /** The records of a list; what is not a record is left out. */
  children(...names: readonly string[]): readonly Fields[] {
    const path = this.#at(names[0] ?? '');
    return this.list(...names).flatMap((row, index) =>
      isRecord(row) ? [new Fields(this.#answer, row, `${path}[${index}]`)] : [],
    );
  }

  missing(name: string, found?: unknown) {
    return this.#answer.unreadable(this.#at(name), found);
  }

  #value(names: readonly string[]): unknown {
    return lookUp(this.#record, names)?.value;
  }

  #fee(names: readonly string[]) {
    return lookUp(
      this.#record,
      names.flatMap((name) => [name, `${name}Gwei`, `${name}Wei`]),
    );
  }

  #unit(key: string): FeeUnit {
    if (/gwei$/i.test(key)) return 'gwei';
    return this.#answer.exact || /wei$/i.test(key) ? 'wei' : 'guess';
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}
