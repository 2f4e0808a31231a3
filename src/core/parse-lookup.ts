import { looksLikeKey } from './key-text.ts';

/** The block or transaction that the user typed. */
type Sought =
  /** The newest block. */
  | { readonly kind: 'newest' }
  | { readonly kind: 'block'; readonly number: number }
  /** In lower case, with `0x`. */
  | { readonly kind: 'tx'; readonly hash: string }
  /** Neither; `problem` is one line that says why. */
  | { readonly kind: 'wrong'; readonly problem: string };

export const KEY_PROBLEM = 'this is a key, not a number or hash';

/** Hexadecimal digits of the largest exact number (2^53 − 1). */
const NUMBER_DIGITS = 14;

/** A number (`24,337,604`, `24_337_604`, `#24337604`), hex (`0x1735cc4`), `latest`, or a hash with or without `0x`. */
export function parseLookup(typed: string): Sought {
  const text = typed.trim();
  if (/^(latest|head)$/i.test(text)) return { kind: 'newest' };
  const hex = /^(?:0x)?([0-9a-f]{64})$|^0x([0-9a-f]+)$/i.exec(text);
  if (hex !== null) return parseHex(hex[1] ?? hex[2] ?? '');
  if (looksLikeKey(text)) return wrong(KEY_PROBLEM);
  const number = /^#?\s*(\d+|\d{1,3}(?:([ ,._'’\u00a0\u2009\u202f])\d{3}(?:\2\d{3})*))$/u.exec(text)?.[1];
  return number === undefined
    ? wrong('type a block (24,337,604) or a transaction hash (0x and 64 digits)')
    : block(Number(number.replace(/\D/gu, '')));
}

function parseHex(digits: string): Sought {
  if (digits.length === 64) return { kind: 'tx', hash: `0x${digits.toLowerCase()}` };
  if (digits.length <= NUMBER_DIGITS) return block(Number.parseInt(digits, 16));
  return wrong(
    digits.length === 40
      ? 'this is an address; a transaction hash has 64 digits after 0x'
      : `a transaction hash has 64 digits after 0x, this has ${digits.length}`,
  );
}

function block(number: number): Sought {
  return Number.isSafeInteger(number)
    ? { kind: 'block', number }
    : wrong('no chain is that long: a block number has fewer digits');
}

const wrong = (problem: string): Sought => ({ kind: 'wrong', problem });
