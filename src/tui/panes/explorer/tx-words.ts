import type { ColorName, Theme } from '../../ui/theme.ts';

/** EIP-2718 types in words. */
const TYPES: Readonly<Record<number, string>> = {
  0: 'legacy',
  1: 'access list (EIP-2930)',
  2: 'dynamic fee (EIP-1559)',
  3: 'blobs (EIP-4844)',
  4: 'sets account code (EIP-7702)',
  // OP stack: not signed, it comes from the chain below.
  126: 'deposit from the chain below',
};

export function typeWords(type: number): string {
  const words = TYPES[type];
  return words === undefined ? String(type) : `${type}, ${words}`;
}

export interface StatusWords {
  readonly text: string;
  readonly color: ColorName;
}

/** A glyph and a word, so that the colour does not speak alone. */
export function statusWords(status: string | null, { glyph }: Theme): StatusWords | null {
  switch (status) {
    case null:
      return null;
    case 'SUCCESS':
      return { text: `${glyph.live} success`, color: 'good' };
    case 'REVERTED':
      return { text: `${glyph.warning} reverted`, color: 'bad' };
    case 'PENDING':
      return { text: `${glyph.stale} pending`, color: 'warn' };
    default:
      return { text: status.toLowerCase(), color: 'accent' };
  }
}

const SHORT = new Map([['SUCCESS', 'ok']]);

/** The same for a column, in fewer letters. */
export function shortStatus(status: string | null, theme: Theme): StatusWords | null {
  const words = statusWords(status, theme);
  const short = SHORT.get(status ?? '');
  if (words === null || short === undefined) return words;
  return { ...words, text: words.text.replace(/\S+$/, short) };
}
