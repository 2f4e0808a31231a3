import { looksLikeKey } from './key-text.ts';
import { cleanText } from './text.ts';

/** The block or transaction that the user typed. */
type Sought =
  /** The newest block. */
  | { readonly kind: 'newest' }
  | { readonly kind: 'block'; readonly number: number }
  /** In lower case, with `0x`. */
  | { readonly kind: 'tx'; readonly hash: string }
  /** Neither; `problem` is one line that says why. */
  | { readonly kind: 'wrong'; readonly problem: string };

/** Message for an API key that was entered as a lookup. */
export const KEY_PROBLEM = 'this is a key, not a number or hash';

const HASH_DIGITS = 64;
const ADDRESS_DIGITS = 40;
/** Hexadecimal digits of the largest exact number (2^53 − 1). */
const NUMBER_DIGITS = 14;

/**
 * Parses a block or transaction: a number (`24337604`, `24,337,604`, `24_337_604`, `#24337604`), hex as nodes write
 * it (`0x1735cc4`), `latest`, or a transaction hash with or without `0x`.
 */
export function parseLookup(typed: string): Sought {
  const text = typed.trim();
  if (/^(latest|head)$/i.test(text)) return { kind: 'newest' };
  const hex = /^0x(.*)$/is.exec(text)?.[1];
  if (hex !== undefined) return parseHex(hex);
  if (/^[0-9a-f]{64}$/i.test(text)) return parseHex(text);
  return looksLikeKey(text) ? wrong(KEY_PROBLEM) : parseNumber(text);
}

function parseHex(digits: string): Sought {
  const stray = /[^0-9a-f]/iu.exec(digits)?.[0];
  if (stray !== undefined) return wrong(`${quoted(stray)} is no hexadecimal digit: 0 to 9 and a to f are`);
  if (digits === '') return wrong('digits are missing after 0x');
  if (digits.length === HASH_DIGITS) return { kind: 'tx', hash: `0x${digits.toLowerCase()}` };
  if (digits.length <= NUMBER_DIGITS) return block(Number.parseInt(digits, 16));
  if (digits.length === ADDRESS_DIGITS) {
    return wrong('this is an address; a transaction hash has 64 digits after 0x');
  }
  return wrong(`a transaction hash has 64 digits after 0x, this has ${digits.length}`);
}

function parseNumber(text: string): Sought {
  const digits = text.replace(/^#\s*/, '');
  if (/^\d+$/.test(digits)) return block(Number(digits));
  if (/^\d{1,3}([ ,._'’\u00a0\u2009\u202f])\d{3}(\1\d{3})*$/u.test(digits)) {
    return block(Number(digits.replace(/\D/gu, '')));
  }
  if (/^\d[\d ,._'’]*$/u.test(digits)) return wrong('digits stand in groups of three: 24,337,604');
  if (/^[0-9a-f]{15,}$/i.test(digits)) {
    return wrong(`a transaction hash has 64 digits, this has ${digits.length}`);
  }
  if (/^[0-9a-f]+$/i.test(digits)) return wrong('put 0x before a hexadecimal block number');
  const stray = /\D/u.exec(digits)?.[0];
  if (stray === undefined) return wrong('there are no digits');
  return wrong(`${quoted(stray)} belongs neither in a block number nor in a hash`);
}

function block(number: number): Sought {
  return Number.isSafeInteger(number)
    ? { kind: 'block', number }
    : wrong('no chain is that long: a block number has fewer digits');
}

const wrong = (problem: string): Sought => ({ kind: 'wrong', problem });

/** Names invisible characters by their code point. */
function quoted(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return cleanText(character).trim() === '' ? `U+${code}` : `“${character}”`;
}
