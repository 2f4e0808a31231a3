import { hexToBytes } from '@noble/hashes/utils';
import { TransactionError } from './signed-transaction.ts';

/** What text may hold besides digits: line breaks and blanks anywhere, also those that are not seen. */
const BLANK = /[\s\p{Cf}]+/gu;
const QUOTES = new Set(['"', "'", '`', '“', '”', '‘', '’']);
/** Six blobs with their proofs take 1.6 million. */
const LONGEST = 4_000_000;
const PHRASE_SHORTEST = 12;
const PHRASE_LONGEST = 24;

/**
 * The bytes of a signed transaction from its hex text, as wallets and files give it: with or without `0x`, quoted,
 * wrapped over lines.
 *
 * @throws TransactionError where the text is no hex; what it says repeats none of the text.
 */
export function transactionBytes(text: string): Uint8Array {
  if (text.length > 2 * LONGEST) throw tooLong();
  const digits = withoutQuotes(text.replace(BLANK, '')).replace(/^0x/i, '');
  if (digits === '') {
    throw new TransactionError('there is nothing: give the signed transaction, hex that begins with 0x');
  }
  if (/[^0-9a-f]/i.test(digits)) throw severalOf(digits) ?? noHex(text.trim());
  if (isTwice(digits)) throw twice();
  if (digits.length > LONGEST) throw tooLong();
  if (digits.length % 2 === 1) {
    throw new TransactionError(
      'the number of hex digits is odd: one is missing or too many, copy the whole transaction again',
    );
  }
  return hexToBytes(digits);
}

/** A loop: an expression for the end of a text takes its time with one that is all quotes but for its end. */
function withoutQuotes(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && QUOTES.has(text.charAt(from))) from++;
  while (to > from && QUOTES.has(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** A signed transaction has more digits than an address or a key. */
const SIGNED_SHORTEST = 140;

/** Where more than one is there, each with its `0x`; `null`: that is not what is wrong. */
function severalOf(digits: string): TransactionError | null {
  const parts = digits.split(/0x/i).map(withoutQuotes);
  if (parts.some((part) => part.length < SIGNED_SHORTEST || /[^0-9a-f]/i.test(part))) return null;
  if (parts.every((part) => part.toLowerCase() === parts[0]?.toLowerCase())) return twice();
  return new TransactionError(`these are ${parts.length} signed transactions: give them one at a time`);
}

/** Bytes that begin with their own length are never the same again behind it. */
function isTwice(digits: string): boolean {
  const half = digits.length / 2;
  return half >= SIGNED_SHORTEST && digits.length % 2 === 0 && digits.slice(0, half) === digits.slice(half);
}

const twice = () => new TransactionError('the same signed transaction is there more than once: give it once');

function noHex(text: string): TransactionError {
  if (/^[[{]/.test(text)) {
    return new TransactionError(
      'this is JSON: give only the signed transaction in it, the hex text (called rawTransaction, raw or signedTransaction)',
    );
  }
  if (isRecoveryPhrase(text)) {
    return new TransactionError(
      'this looks like a recovery phrase: never paste it anywhere, it gives away all that the wallet holds',
    );
  }
  return new TransactionError(
    'this is no hex: a signed transaction has only the digits 0 to 9 and a to f after 0x, copy it again',
  );
}

function isRecoveryPhrase(text: string): boolean {
  const words = text.slice(0, 1_000).split(/\s+/);
  return (
    words.length >= PHRASE_SHORTEST &&
    words.length <= PHRASE_LONGEST &&
    words.every((word) => /^[a-z]{3,8}$/i.test(word))
  );
}

const tooLong = () =>
  new TransactionError('this is longer than any transaction that a node takes: give one signed transaction');
