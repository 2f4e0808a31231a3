import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { MOST_GWEI } from '../contract/choices.ts';
import { ownValue } from '../core/own-value.ts';
import { systemCode } from '../core/system-code.ts';
import { nearest } from '../core/text.ts';
import {
  type PriceOrReason,
  parseThreshold,
  type Threshold,
  ThresholdError,
  thresholdText,
} from '../core/threshold/threshold.ts';
import { msOfDuration } from '../core/time.ts';
import { exactGwei, formatCount, formatGwei, gweiString, weiOfGwei } from '../core/units.ts';
import { isServerUrl } from '../store/database-url.ts';
import { usageError } from './errors.ts';
import { type Io, readAll } from './io.ts';

/** Runs `parse`; turns a `RangeError`, which says what is valid, into a usage error that names the setting. */
export function checked<Value>(setting: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${setting}: ${error.message}`);
    throw error;
  }
}

/** As {@link checked}, for optional text; `null` without it. */
export function parsedOrNull<Value>(
  setting: string,
  text: string | undefined,
  parse: (text: string) => Value,
): Value | null {
  return text === undefined ? null : checked(setting, () => parse(text));
}

export const parseCount = (text: string, most = 999_999_999): number => parseWhole(text, 'a count', 1, most);

export function parseWhole(text: string, what: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new RangeError(`"${text}" is not ${what}; a whole number from ${min} to ${formatCount(max)}`);
}

/** `90m`, `24h`, `7d` in seconds. @throws RangeError, also outside `min`–`max`, followed by `note` */
export function parseDuration(
  text: string,
  { min, max, note = '' }: { min: string; max: string; note?: string | undefined },
): number {
  const sec = secondsOf(text);
  if (sec === null) throw new RangeError(`"${text}" is not a duration; write 90m, 24h or 7d`);
  if (sec < (secondsOf(min) ?? 0) || sec > (secondsOf(max) ?? Number.POSITIVE_INFINITY)) {
    throw new RangeError(`"${text}" is out of range; from ${min} to ${max}${note}`);
  }
  return sec;
}

function secondsOf(text: string): number | null {
  const ms = msOfDuration(text);
  return ms === null ? null : Math.floor(ms / 1_000);
}

/** The shortest form of seconds that {@link parseDuration} reads: `24h`, `7d`, `90m`. */
export function durationText(sec: number): string {
  if (sec % 86_400 === 0 && sec > 86_400) return `${sec / 86_400}d`;
  if (sec % 3_600 === 0) return `${sec / 3_600}h`;
  return sec % 60 === 0 ? `${sec / 60}m` : `${sec}s`;
}

/** A decimal number of units of `decimals` decimals in the smallest one. @throws RangeError finer than that */
function inWei(text: string, whole: string, fraction: string, decimals: number): bigint {
  if (/[1-9]/.test(fraction.slice(decimals)))
    throw new RangeError(`"${text}" is finer than a wei; that many decimals are too many`);
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** A price in gwei (`5`, `0.05`, `1,200`) in wei. @throws RangeError, also for 0 and above a million gwei */
export function parseGwei(text: string): bigint {
  const word = text.trim().replace(/ ?gwei$/i, '');
  const digits = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(word) ? word.replaceAll(',', '') : word;
  const [, whole = '', decimals = ''] = /^(\d{1,15})?(?:\.(\d{1,30}))?$/.exec(digits) ?? [];
  if (whole + decimals === '')
    throw new RangeError(`"${text}" is not a price; write gwei, such as 5 or 0.05`);
  const wei = inWei(text, whole, decimals, 9);
  if (wei > 0n && wei <= weiOfGwei(MOST_GWEI)) return wei;
  throw new RangeError(`"${text}" is out of range; above 0, at most ${formatCount(MOST_GWEI)} gwei`);
}

/** As {@link parseGwei}, as the number of gwei that v1 takes. */
export const parseGweiNumber = (text: string): number => Number(gweiString(parseGwei(text)));
/** A threshold of any form. @throws RangeError that says what to write, and how: a shell takes a `$` that is not quoted */
export function parseWritten(text: string): Threshold {
  try {
    return parseThreshold(text);
  } catch (error) {
    if (!(error instanceof ThresholdError)) throw error;
    // What was meant may have been `$0.40/swap`, or `2% of $35/swap` without quotes.
    const isCut = error.message.includes('$') && !text.includes('$');
    throw new RangeError(`${error.message}${isCut ? '; in single quotes, since a shell reads $' : ''}`);
  }
}

/** `5 gwei`, `$0.40/swap (0.21 gwei now)`; `priced`: what it stands for, `null` while that is not worked out. */
export function thresholdWords(threshold: Threshold, priced: PriceOrReason | null): string {
  if (threshold.kind === 'gwei') return `${exactGwei(threshold.price)} gwei`;
  const now = priced !== null && 'price' in priced ? ` (${formatGwei(priced.price)} gwei now)` : '';
  return `${thresholdText(threshold)}${now}`;
}

const COIN_DECIMALS: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 };

/** An amount of the coin (`0.1`, `0.1 ether`, `5gwei`, `100wei`) in wei. @throws RangeError */
export function parseNative(text: string): bigint {
  const [, whole = '', fraction = '', unit = 'ether'] =
    /^(\d{1,78})(?:\.(\d{1,40}))? ?(wei|gwei|ether)?$/i.exec(text.trim()) ?? [];
  if (whole === '')
    throw new RangeError(`"${text}" is not an amount; write native coins, such as 0.1, or 100wei`);
  const wei = inWei(text, whole, fraction, COIN_DECIMALS[unit.toLowerCase()] ?? 0);
  if (wei < 2n ** 256n) return wei;
  throw new RangeError(`"${text}" is more than there can be`);
}

export const STDIN = '-';

interface Reading {
  readonly name: string;
  readonly mostBytes: number;
  /** What the text should be. */
  readonly wanted: string;
  /** What to name instead of a file that cannot be read. */
  readonly instead?: string;
}

/** A whole file, or (`-`) stdin, as text. @throws CliError (usage) that repeats no input */
export function readInput({ readInput: readStdin }: Pick<Io, 'readInput'>, file: string, reading: Reading) {
  return file === STDIN ? orUsage(readStdin(reading.mostBytes), reading) : readText(file, reading);
}

export function readText(file: string, reading: Reading): Promise<string> {
  const read = async () => {
    if ((await stat(file)).isDirectory()) throw new RangeError('is a folder');
    return readAll(createReadStream(file), reading.mostBytes);
  };
  return orUsage(read(), reading);
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read; check the rights on it',
};

async function orUsage(
  text: Promise<string>,
  { name, wanted, instead = 'name a file, or - for stdin' }: Reading,
): Promise<string> {
  try {
    return (await text).replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${name} ${error.message}; ${wanted}`);
    const code = systemCode(error);
    if (code === '') throw error;
    if (code === 'ENAMETOOLONG') throw usageError(`no file has so long a name; ${instead}`);
    throw usageError(`${name} ${ownValue(READ_FAILURES, code) ?? `cannot be read (${code})`}; ${instead}`);
  }
}

/** ISO 8601 with a zone: without one a time depends on the machine. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

/** `6h` from `now` (ms), or a time, as ISO 8601. @throws RangeError */
export function parseExpiry(text: string, now: number): string {
  const word = text.trim();
  const sec = secondsOf(word);
  const ms = sec !== null ? now + sec * 1_000 : TIME.test(word) ? Date.parse(word.toUpperCase()) : Number.NaN;
  if (Number.isNaN(new Date(ms).getTime())) {
    throw new RangeError(
      `"${text}" is neither a duration nor a time with its zone; write 6h or 2026-01-31T12:00Z`,
    );
  }
  return new Date(ms).toISOString();
}

/** The message that `word` is no command of `program`, with a suggestion. */
export function unknownCommand(word: string, program: Command): string {
  const names = program.commands.map((command) => command.name());
  const meant = names.find((name) => name.startsWith(word)) ?? nearest(word, names, word.length > 4 ? 2 : 1);
  return `unknown command "${word}"; ${meant ? `did you mean ${meant}?` : `known are ${names.join(', ')}`}`;
}

export const append = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export const wordsOf = (text: string) => text.split(/[\s,]+/).filter((part) => part !== '');

export function parseOrigins(text: string): readonly string[] {
  const origins = wordsOf(text);
  if (origins.length === 0) throw new RangeError(NO_ORIGIN);
  return origins.map((origin) => {
    if (origin === '*') return origin;
    const url = URL.parse(origin);
    if (url === null || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href)
      throw new RangeError(NO_ORIGIN);
    // Other characters, such as those of patterns, are in no host name, and would match no page.
    if (!/^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/.test(url.hostname)) throw new RangeError(NO_PATTERN);
    return url.origin;
  });
}

const NO_PATTERN =
  'a pattern matches no page here; name each origin, such as https://app.example.org, or * for every page';

const NO_ORIGIN =
  'not the origin of a page; write https://app.example.org, without a path, or * for every page';

export function parseSwitch(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off', ''].includes(word)) return false;
  throw new RangeError(`"${text}" is neither on nor off; write 1 or 0`);
}

/** One of `choices`. @throws RangeError with `note` */
export function parseChoice<Choice extends string>(
  text: string,
  choices: readonly Choice[],
  note: string,
): Choice {
  const word = text.trim().toLowerCase();
  const found = choices.find((choice) => choice === word);
  if (found !== undefined) return found;
  const [last = '', ...others] = choices.toReversed();
  const known = others.toReversed().join(', ');
  const none = choices.length > 2 ? `none of ${known} and ${last}` : `neither ${known} nor ${last}`;
  throw new RangeError(`"${text}" is ${none}; ${note}`);
}

export function parsePath(text: string): string {
  if (text.trim() === '' || text.includes('\0')) throw new RangeError('a file name is missing');
  if (isServerUrl(text))
    throw new RangeError('this is the URL of a database, not a file; --database takes it');
  // Only a shell expands it, and not everywhere: a folder named ~ is never meant.
  if (/^~[/\\]/.test(text))
    throw new RangeError('~ is not known here; write the whole path of your home folder');
  return text;
}
