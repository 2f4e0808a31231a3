import { CALLDATA_LONGEST } from '../contract/choices.ts';
import { cleanNote, cleanText } from '../core/text.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parsed text, or `undefined` (which JSON cannot express) when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

export function isWebPage(text: string): boolean {
  return /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(text.replace(/^\ufeff/, ''));
}

/** Characters in JSON strings that could act on a terminal; an escape is equivalent. */
const UNSAFE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Valid JSON, unchanged but for `\\u` escapes of what could act on a terminal. */
export function harmlessJson(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSAFE, (character) =>
      character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    );
}

/** Readers of an unknown service's values: a valid value or `null`. Impossible and absurd values count as absent. */

/** Unit of a fee. `guess`: the name does not state it, so its size decides. */
export type FeeUnit = 'wei' | 'gwei' | 'guess';
/** From this value on an unnamed fee is wei: no one has ever paid 100,000 gwei per gas. */
const WEI_FROM = 100_000;
/** A billion times the highest fee ever paid; more is noise. */
const HIGHEST_FEE_WEI = 1e27;
const LATEST_TIME_MS = 8.64e15;

export function readFee(value: unknown, unit: FeeUnit): bigint | null {
  const fee = readAmount(value);
  if (fee === null) return null;
  const isWei = unit === 'wei' || (unit === 'guess' && fee >= WEI_FROM);
  const wei = Math.round(isWei ? fee : fee * 1e9);
  return wei <= HIGHEST_FEE_WEI ? BigInt(wei) : null;
}

/** A whole amount of wei that may exceed a safe integer: a value, a cost. */
export function readWholeWei(value: unknown): bigint | null {
  const isWhole = typeof value === 'string' ? /^\s*\d{1,60}\s*$/.test(value) : Number.isSafeInteger(value);
  const wei = isWhole ? BigInt(String(value)) : -1n;
  return wei >= 0n ? wei : null;
}

export function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  // -0 prints as 0 but is not equal to it.
  return typeof number === 'number' && Number.isFinite(number) ? number + 0 : null;
}

function readAmount(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** ISO 8601, from itself (UTC without a zone) or from seconds or ms since epoch. */
export function readTime(value: unknown): string | null {
  const number = readAmount(value);
  const isIso = typeof value === 'string' && /^\s*\d{4}-\d{2}-\d{2}/.test(value);
  const hasZone = isIso && (!value.includes(':') || /(Z|[+-]\d{2}:?\d{2})\s*$/i.test(value));
  const parsed = isIso ? Date.parse(hasZone ? value : `${value.trim()}Z`) : Number.NaN;
  const ms = number === null ? parsed : number < 1e11 ? number * 1_000 : number;
  return ms >= 0 && ms <= LATEST_TIME_MS ? new Date(Math.round(ms)).toISOString() : null;
}

const UNIT_SEC: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Length of a time frame such as `6h` or `2w` in seconds; `null` for others (`epoch`). */
export function timeFrameSec(word: string): number | null {
  const [, count = '', unit = ''] = /^([1-9]\d{0,3})([mhdw])$/.exec(word) ?? [];
  return count === '' ? null : Number(count) * (UNIT_SEC[unit] ?? 0);
}

export function readFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 ? false : null;
}

const DEEPEST = 16;
const LONGEST_NAME = 100;
const LONGEST_ID = 300;
const LONGEST_WRITTEN = 2_048;
const IDS = /^_?id$|^uuid$|Id$|_id$/;
const WRITTEN = /^(note|description|label)$/i;
const HEX = /^0x[\da-f]*$/i;

/** A parsed response with harmless texts of bounded length and bounded depth. */
export function harmless(value: unknown, name = '', depth = 0): unknown {
  if (typeof value === 'string') return harmlessText(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return null;
  if (Array.isArray(value)) return value.map((one) => harmless(one, name, depth + 1));
  if (!isRecord(value)) return null;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const clean = cleanText(key, LONGEST_NAME);
      return [clean, harmless(one, clean, depth + 1)];
    }),
  );
}

/** An id is sent back unchanged, so one that a terminal cannot show is invalid. */
function harmlessText(text: string, name: string): string | null {
  if (IDS.test(name)) return text.trim() !== '' && cleanText(text, LONGEST_ID) === text ? text : null;
  if (WRITTEN.test(name)) return cleanNote(text, LONGEST_WRITTEN);
  if (text.length <= CALLDATA_LONGEST && HEX.test(text)) return text;
  return cleanText(text, LONGEST_WRITTEN).trim();
}

/** `gas_price` and `Gas-Price` are one name. */
export const normalKey = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '');
