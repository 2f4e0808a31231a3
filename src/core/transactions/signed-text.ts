import type { Hex } from '../block.ts';

/** Cheap checks of the shape of signed transactions, for code that must not show one. */

/** No node would accept the bytes. `message` is one line that says why, without any of the bytes. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError';
}

export function refuse(why: string): never {
  throw new TransactionError(why);
}

/** Ignored characters: line breaks and blanks anywhere, also invisible ones. */
const BLANK = /[\s\p{Cf}]+/gu;
const QUOTES = new Set(['"', "'", '`', '“', '”', '‘', '’']);
/** Six blobs with their proofs take 1.6 million. */
const MAX_DIGITS = 4_000_000;
/** Two words of signature and little else. */
const MIN_DIGITS = 140;
const PHRASE_SHORTEST = 12;
const PHRASE_LONGEST = 24;

/** The digits as wallets and files write them: with or without `0x`, quoted, wrapped. @throws TransactionError for no hex */
export function signedHex(text: string): Hex {
  if (text.length > 2 * MAX_DIGITS) refuse(TOO_LONG);
  const digits = withoutQuotes(text.replace(BLANK, '')).replace(/^0x/i, '');
  if (digits === '') {
    refuse('there is nothing: give the signed transaction, hex that begins with 0x');
  }
  if (/[^0-9a-f]/i.test(digits)) refuse(noHexWords(text.trim()));
  if (digits.length > MAX_DIGITS) refuse(TOO_LONG);
  if (digits.length % 2 === 1) {
    refuse('the number of hex digits is odd: one is missing or too many, copy the whole transaction again');
  }
  return `0x${digits}`;
}

/** The same digits of any text, in lower case and unchecked. */
export function bareHex(text: string): string {
  return text
    .replaceAll(/[\s\p{Cf}"'`“”‘’]/gu, '')
    .replace(/^0x/i, '')
    .toLowerCase();
}

/** Whether a text is hex of at least the length of a signed transaction. */
export function isLongHex(text: string): boolean {
  const hex = bareHex(text);
  return hex.length >= MIN_DIGITS && !/[^0-9a-f]/.test(hex);
}

/** Whether bare hex is one RLP list (typed or legacy) of exactly its stated length (EIP-2718). */
export function isSignedShape(hex: string): boolean {
  if (hex.length % 2 !== 0 || hex.length < MIN_DIGITS) return false;
  const list = /^0[1-4]/.test(hex) ? hex.slice(2) : hex;
  const header = Number.parseInt(list.slice(0, 2), 16);
  if (header < 0xf8) return false;
  const sizeBytes = header - 0xf7;
  const size = Number.parseInt(list.slice(2, 2 + 2 * sizeBytes), 16);
  return list.length === 2 * (1 + sizeBytes + size);
}

/** A loop: a regular expression for trailing quotes is slow on a text of many quotes. */
function withoutQuotes(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && QUOTES.has(text.charAt(from))) from++;
  while (to > from && QUOTES.has(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function noHexWords(text: string): string {
  if (/^[[{]/.test(text)) {
    return 'this is JSON: give only the signed transaction in it, the hex text (called rawTransaction, raw or signedTransaction)';
  }
  const words = text.slice(0, 1_000).split(/\s+/);
  const isPhrase = words.length >= PHRASE_SHORTEST && words.length <= PHRASE_LONGEST;
  return isPhrase && words.every((word) => /^[a-z]{3,8}$/i.test(word))
    ? 'this looks like a recovery phrase: never paste it anywhere, it gives away all that the wallet holds'
    : 'this is no hex: a signed transaction has only the digits 0 to 9 and a to f after 0x; copy exactly one again';
}

const TOO_LONG = 'this is longer than any transaction that a node takes: give one signed transaction';
