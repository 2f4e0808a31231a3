import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { shownWidth } from '../../src/tui/ui/text.tsx';

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, code) => String.fromCodePoint(code));

describe('the width of a text', () => {
  it.each([
    ['alone', (sign: string) => sign],
    ['between letters', (sign: string) => `a${sign}b`],
    ['after a dash and before a mark', (sign: string) => `–${sign}\u0301`],
    ['with the look of an emoji', (sign: string) => `${sign}\ufe0f`],
  ])('is that of string-width for every sign %s', (_, around) => {
    const texts = upTo(0x3200).map(around);
    expect(texts.map(shownWidth)).toEqual(texts.map((text) => stringWidth(text)));
  });
});
