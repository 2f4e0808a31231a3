import type { Scope } from './keymap/key-binding.ts';

/** Fewer digits may be keys that were typed ahead of a slow screen. */
const LEAST_DIGITS = 20;
const DIGIT = /^[0-9a-f]$/i;
const BLANKS: ReadonlySet<unknown> = new Set(['space', 'return', 'tab']);

/** How many of the first keys may be hex digits as a terminal pastes them: `0x`, digits, blanks and line ends. */
export function hexRun(keys: readonly unknown[]): number {
  const other = keys.findIndex((key, place) => !isHex(key, keys[place - 1]));
  const end = other === -1 ? keys.length : other;
  // A line end by itself is somebody's Enter.
  return keys.slice(0, end).every((key) => BLANKS.has(key)) ? 0 : end;
}

function isHex(key: unknown, before: unknown): boolean {
  if (typeof key !== 'string') return false;
  return DIGIT.test(key) || BLANKS.has(key) || (key.toLowerCase() === 'x' && before === '0');
}

/**
 * Whether the first of `keys` is a key, whatever follows. No signed transaction begins with one of these digits (`0x`, the
 * types 01 to 04, or a list of 56 bytes and more, f8 to fb), and all that they do is to show a tab.
 */
export function isSurelyKey(keys: readonly unknown[]): boolean {
  const [first] = keys;
  return typeof first === 'string' && /^[1-6]$/.test(first);
}

/** Whether it is too many digits for anything but a paste; a key that is held down is one digit again and again. */
export function isSignedDigits(text: string): boolean {
  const digits = text.toLowerCase().replace(/[\s"'x]/g, '');
  return digits.length >= LEAST_DIGITS && /^[0-9a-f]+$/.test(digits) && new Set(digits).size > 1;
}

/** What is said of a text that was pasted where none is taken; it is not repeated. */
export function strayPasteWords(text: string, scopes: readonly Scope[]): string {
  const [nearest] = scopes;
  if (nearest === 'auto-tx-form' || nearest === 'alert-form') {
    return 'Not pasted: no text goes into this field; go to one that takes it';
  }
  if (nearest === 'question') return 'Not pasted: answer the question first';
  if (nearest === 'source') return 'Not pasted: press u first, then paste';
  if (nearest === 'auto-txs') return 'Not pasted: press n first, then paste';
  if (nearest === 'auto-tx') return 'Not pasted: go back, press n, then paste';
  if (nearest === 'explorer') return 'Not pasted: press / first, then paste';
  return isSignedDigits(text)
    ? 'That looks like a transaction: press n on Auto-tx first, then paste'
    : 'Not pasted: nothing here takes text';
}
