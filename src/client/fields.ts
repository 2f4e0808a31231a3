import { cleanNote } from '../core/clean-note.ts';
import { cleanText } from '../core/clean-text.ts';
import { type Answer, lookUp } from './answer.ts';
import { isRecord, type JsonRecord } from './json.ts';

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

/**
 * Single values of a service never seen before: each reader gives a sound value or `null`, and never throws. What
 * is negative where it cannot be, not finite, or beyond all sense counts as not said.
 */

/** What a fee's number counts. `guess`: the name does not say, so its size has to. */
export type FeeUnit = 'wei' | 'gwei' | 'guess';

/** From here on an unnamed fee is taken for wei: nobody has ever paid 100,000 gwei per gas. */
const WEI_FROM = 100_000;
const GWEI_DECIMALS = 9;
/** A billion times the highest fee ever paid; more is noise. */
const HIGHEST_FEE_WEI = 10n ** 27n;

const LONGEST_TEXT = 300;
const LATEST_TIME_MS = 8.64e15;

interface Decimal {
  readonly digits: bigint;
  /** The value is digits × 10^exponent. */
  readonly exponent: number;
}

const DECIMAL = /^\+?(\d{0,60})(?:\.(\d{0,60}))?(?:e([+-]?\d{1,2}))?$/i;

function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Half up; a fee is a whole number of wei. */
function scale({ digits, exponent }: Decimal, places: number): bigint {
  const shift = exponent + places;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits + divisor / 2n) / divisor;
}

/** A decimal or `0x` number as text, without thousands separators and spaces around it; `null`: not a number. */
function numberText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? String(value) : null;
  if (typeof value !== 'string' || value.length > 80) return null;
  const text = value.trim();
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
}

/** A price per gas in wei, from a number or numeric text (`"0.0412"`, `"41200000"`, `"12 gwei"`, `"0x2736"`). */
export function readFee(value: unknown, unit: FeeUnit): bigint | null {
  // As our own service says it.
  if (typeof value === 'number' && unit === 'wei' && Number.isSafeInteger(value) && value >= 0)
    return BigInt(value);
  const text = numberText(value);
  if (text === null) return null;
  const named = /^(.*\d\.?)\s*(gwei|wei)$/i.exec(text);
  const plain = named?.[1] ?? text;
  if (/^0x[\da-f]{1,32}$/i.test(plain)) return sensible(BigInt(plain));
  const decimal = parseDecimal(plain);
  if (decimal === null) return null;
  const counted = (named?.[2]?.toLowerCase() as FeeUnit | undefined) ?? unit;
  const inWei = counted === 'wei' || (counted === 'guess' && Number(plain) >= WEI_FROM);
  return sensible(scale(decimal, inWei ? 0 : GWEI_DECIMALS));
}

function sensible(wei: bigint): bigint | null {
  return wei <= HIGHEST_FEE_WEI ? wei : null;
}

/** A whole amount of wei that may be larger than a number holds: a value, a cost. */
export function readWholeWei(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return /^(\d{1,60}|0x[\da-f]{1,50})$/i.test(text) ? BigInt(text) : null;
}

/** Any finite number, or text that is one. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'string') {
    const text = value.trim();
    return /^[+-]?(\d{1,60}\.?\d{0,60}|\.\d{1,60})(e[+-]?\d{1,2})?$/i.test(text)
      ? finite(Number(text))
      : null;
  }
  return typeof value === 'number' ? finite(value) : null;
}

function finite(value: number): number | null {
  // -0 prints as 0 but is not equal to it.
  return Number.isFinite(value) ? value + 0 : null;
}

/** A number ≥ 0: seconds, dollars. */
export function readAmount(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** A share, 0 to 1. */
export function readRatio(value: unknown): number | null {
  const number = readAmount(value);
  return number !== null && number <= 1 ? number : null;
}

/** A whole number ≥ 0: a block number, a chain id, a count. Hex text as in JSON-RPC too. */
export function readCount(value: unknown): number | null {
  const hex = typeof value === 'string' && /^0x[\da-f]{1,13}$/i.test(value) ? Number(value) : null;
  const number = hex ?? readAmount(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** ms since epoch, from ISO 8601 (UTC where no zone is given) or from seconds, ms or µs since epoch. */
export function readTime(value: unknown): number | null {
  const number = readAmount(value);
  if (number !== null) {
    const ms = number < 1e11 ? number * 1_000 : number < 1e14 ? number : number / 1_000;
    return ms <= LATEST_TIME_MS ? Math.round(ms) : null;
  }
  if (typeof value !== 'string') return null;
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
      value.trim(),
    );
  if (match === null) return null;
  const [, day = '', time = '00:00', zone = 'Z'] = match;
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

/** One clean line, or `null` where nothing is left of it. */
export function readText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  const text = cleanText(value, LONGEST_TEXT).trim();
  return text === '' ? null : text;
}

/** What people wrote as they wrote it, but for what acts on a terminal; it may be empty, and have several lines. */
export function readNote(value: unknown, longest: number): string | null {
  return typeof value === 'string' ? cleanNote(value, longest) : readText(value);
}

/** What people wrote, on one clean line, which may be empty; `null`: it is no text. */
export function readWrittenText(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return readText(value);
  return cleanText(value, longest);
}

/**
 * An id as it came, which paths are made of. `null` where it could not be sent back as it was: a number that JSON did
 * not carry whole, a text with something in it that no terminal can show.
 */
export function readExactId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  if (typeof value !== 'string' || value.trim() === '' || value.length > LONGEST_TEXT) return null;
  return cleanText(value) === value ? value : null;
}

/** A word of the contract in its own spelling (`Send now` → `SEND_NOW`); a word it does not know stays as it came. */
export function readWord(value: unknown, known: readonly string[]): string | null {
  const text = readText(value);
  if (text === null) return null;
  const spelled = text.toUpperCase().replace(/[\s-]+/g, '_');
  return known.includes(spelled) ? spelled : text;
}

export function readFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 ? false : null;
}
