import { CALLDATA_LONGEST, TIME_FRAME_SEC } from '../contract/choices.ts';
import { cleanNote, cleanText } from '../core/text.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parsed text, or `undefined` (which JSON cannot say) where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** Whether a text is a web page (or other markup) where JSON was awaited. */
export function isWebPage(text: string): boolean {
  return /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(text.replace(/^\ufeff/, ''));
}

/** What could act on a terminal inside JSON strings: there an escape means the same. */
const UNSAFE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Valid JSON as it came, harmless on a terminal: the few unsafe characters that JSON allows to stand raw are
 * written as `\u` escapes, which mean the same to any reader; line ends are plain.
 */
export function harmlessJson(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSAFE, (character) =>
      Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
        .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
        .join(''),
    );
}

/**
 * Single values of a service never seen before: each reader gives a sound value or `null`, and never throws. What
 * is negative where it cannot be, not finite, or beyond all sense counts as not said.
 */

/** What a fee's number counts. `guess`: the name does not say, so its size has to. */
export type FeeUnit = 'wei' | 'gwei' | 'guess';

/** From here on an unnamed fee is taken for wei: no one has ever paid 100,000 gwei per gas. */
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

const KNOWN_FRAMES = new Map<string, number>(Object.entries(TIME_FRAME_SEC));
const UNIT_SEC: readonly (readonly [RegExp, number])[] = [
  // A capital M is a month where m is a minute.
  [/^(M|mo|months?)$/, 2_592_000],
  [/^(m|min|mins|minutes?)$/i, 60],
  [/^(h|hrs?|hours?)$/i, 3_600],
  [/^(d|days?)$/i, 86_400],
  [/^(w|weeks?)$/i, 604_800],
  [/^(y|years?)$/i, 31_536_000],
];

/**
 * Length of a time frame in seconds, from the contract's words or those of other services (`6h`, `2w`, `3 months`,
 * `day`); `null` where the word does not say (`epoch`).
 */
export function timeFrameSec(word: string): number | null {
  const known = KNOWN_FRAMES.get(word);
  if (known !== undefined) return known;
  const match = /^(\d{0,4})[\s_-]*([a-z]+)$/i.exec(word);
  const [, count = '', unit = ''] = match ?? [];
  const sec = UNIT_SEC.find(([name]) => name.test(unit))?.[1];
  if (sec === undefined || count === '0') return null;
  return sec * Number(count === '' ? 1 : count);
}

/** One clean line, or `null` where nothing is left of it. */
export function readText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  const text = cleanText(value, LONGEST_TEXT).trim();
  return text === '' ? null : text;
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

/** Deeper than any response of the contract, with its envelopes. */
const DEEPEST = 16;
/** As long as any address, URL or note may be, with room for other services' ideas. */
const LONGEST_WRITTEN = 2_048;
const LONGEST_NAME = 100;
const IDS = /^_?id$|^uuid$|Id$|_id$/;
const WRITTEN = /^(note|description|label)$/i;
const TARGETS = /^(to|target|recipient|email|webhookUrl)$/i;
const WEB_ADDRESS = /^https?:/i;
const HEX = /^0x[\da-f]*$/i;
const PLAIN = /^[\x20-\x7e]{0,300}$/;

/** A parsed response whose texts are harmless on a terminal and of bounded length, and whose depth is bounded. */
export function harmless(value: unknown, name = '', depth = 0): unknown {
  if (typeof value === 'string') return harmlessText(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return null;
  if (Array.isArray(value)) return value.map((one) => harmless(one, name, depth + 1));
  if (!isRecord(value)) return null;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const clean = PLAIN.test(key) ? key : cleanText(key, LONGEST_NAME);
      return [clean, harmless(one, clean, depth + 1)];
    }),
  );
}

/** An id is sent back as it came, so one that no terminal can show is none. */
function harmlessText(text: string, name: string): string | null {
  if (IDS.test(name))
    return text.trim() === '' || text.length > LONGEST_TEXT || cleanText(text) !== text ? null : text;
  if (WRITTEN.test(name)) return cleanNote(text, LONGEST_WRITTEN);
  if (PLAIN.test(text)) return text.trim();
  if (text.length <= CALLDATA_LONGEST && HEX.test(text)) return text;
  const isTarget = TARGETS.test(name) || WEB_ADDRESS.test(text);
  return cleanText(text, isTarget ? LONGEST_WRITTEN : LONGEST_TEXT).trim();
}
