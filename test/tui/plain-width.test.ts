import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { truncate } from '../../src/tui/components/fit.ts';
import { plainWidth } from '../../src/tui/components/plain-width.ts';
import { UNICODE_THEME } from '../../src/tui/theme.ts';

const character = (code: number) => String.fromCharCode(code);
const everyUnit = Array.from({ length: 0x1_00_00 }, (_, code) => character(code));
const plain = everyUnit.filter((unit) => plainWidth(unit) !== null);

describe('the quick width of plain text', () => {
  it('knows every glyph that the monitor draws with', () => {
    const drawn = [
      ...Object.values(UNICODE_THEME.glyph),
      'a Z 0 ~',
      '┌┬┐│╭╮╰╯┤┼',
      '█▇▅▃▁░▒▓',
      '⠁⣿',
      '↑ ↓ × · − ≤',
    ];
    expect(drawn.filter((text) => plainWidth(text) === null)).toEqual([]);
  });

  it('is one column for every character it knows', () => {
    expect(plain.length).toBeGreaterThan(500);
    expect(plain.filter((unit) => stringWidth(unit) !== 1)).toEqual([]);
  });

  it('is the width that string-width gives, whatever stands together', () => {
    const text = fc.array(fc.constantFrom(...plain), { maxLength: 40 }).map((units) => units.join(''));
    fc.assert(fc.property(text, (line) => plainWidth(line) === stringWidth(line)));
  });

  it.each([
    '中文',
    '👍',
    '👨‍👩‍👧',
    'e\u0301',
    '\u001b[1mx',
    '\u200b',
    '\u00ad',
    '☀\ufe0f',
    '\t',
    '\ud800',
    '◽',
    '⌚',
  ])('leaves %j to string-width', (text) => expect(plainWidth(text)).toBeNull());
});

describe('cutting', () => {
  it('cuts plain text as it cuts any other', () => {
    expect(truncate('Ethereum Mainnet', 8)).toBe('Ethereu…');
    expect(truncate('Ethereum', 8)).toBe('Ethereum');
    expect(truncate('中文中文', 4)).toBe('中…');
    expect(truncate('Ethereum', 1)).toBe('…');
    expect(truncate('Ethereum', 0)).toBe('');
  });
});
