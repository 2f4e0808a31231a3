import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cleanNote, cleanText, displayWidth, graphemes } from '../../src/core/text.ts';
import { hostileText } from '../helpers/any-character.ts';
import { rounds } from '../helpers/rounds.ts';

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('cleanText', () => {
  it('leaves nothing that a terminal acts on or that is not seen', () => {
    fc.assert(
      fc.property(hostileText, (text) => !UNSEEN.test(cleanText(text))),
      { numRuns: rounds(1_000) },
    );
  });

  it('is never longer than asked, and stays sound where it is cut', () => {
    fc.assert(
      fc.property(hostileText, fc.nat(30), (text, most) => {
        const clean = cleanText(text, most);
        return clean.length <= most && !UNSEEN.test(clean);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(fc.property(hostileText, (text) => cleanText(cleanText(text)) === cleanText(text)));
  });

  it('leaves text of any script as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!UNSEEN.test(text));
        return cleanText(text) === text;
      }),
    );
    expect(cleanText('  0.0412 gwei · 漢字 · ξ · 😀  ')).toBe('  0.0412 gwei · 漢字 · ξ · 😀  ');
  });

  it.each([
    ['colours', 'a\x1b[1;31mb\x1b[0mc', 'abc'],
    ['a window title', 'a\x1b]0;owned\x07b', 'ab'],
    ['a link', '\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\', 'text'],
    ['the clipboard', 'a\x1b]52;c;ZXZpbA==\x07b', 'ab'],
    ['an 8-bit sequence', 'a\x9b2Jb', 'ab'],
    ['a full reset', 'a\x1bcb', 'ab'],
    ['a character set', 'a\x1b(0b', 'ab'],
    ['a sequence broken off', 'a\x1b[31', 'a'],
    ['an unclosed title', 'a\x1b]0;rest of it', 'a'],
    ['line ends', 'a\r\nb\nc\td\u2028e', 'a b c d e'],
    ['a carriage return that would overwrite', 'paid 5\rpaid 1', 'paid 5 paid 1'],
    ['an override of direction', 'a\u202ecod.exe', 'acod.exe'],
    ['half a character', 'a\ud83db', 'ab'],
  ])('takes out %s', (_, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it('shows that something was cut off', () => {
    expect(cleanText('abcdef', 4)).toBe('abc…');
    expect(cleanText('abcd', 4)).toBe('abcd');
    expect(cleanText('ab😀cd', 4)).toBe('ab…');
    expect(cleanText('abc', 0)).toBe('');
  });
});

describe('a note', () => {
  it.each([
    'two lines\nand a third\r\n\tset in',
    '  blanks stay  ',
    '👨‍👩‍👧 👩🏽‍🚀 ❤️‍🔥 🏳️‍⚧️ 1️⃣ 🇩🇪',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    'می‌خواهم',
    'क्‍ष',
  ])('stays as it is: %j', (note) => expect(cleanNote(note)).toBe(note));

  it.each([
    ['colours and titles', 'a\x1b[31mb\x1b[0m \x1b]0;owned\x07c', 'ab c'],
    ['bidi overrides', 'a\u202eb\u2066c', 'abc'],
    ['text in tags that are of no flag', 'a\u{e0068}\u{e0069}b\u{e007f}', 'ab'],
    ['other line ends, which become ours', 'a\rb\u2028c\x85d', 'a\nb\nc\nd'],
  ])('loses %s', (_, note, left) => expect(cleanNote(note)).toBe(left));

  it('removes everything that acts on a terminal or the reading direction, and does not change a clean note', () => {
    fc.assert(
      fc.property(hostileText, (note) => {
        const clean = cleanNote(note);
        expect(clean).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/);
        expect(clean).not.toMatch(/[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/);
        expect(clean.isWellFormed()).toBe(true);
        expect(cleanNote(clean)).toBe(clean);
        // What is drawn of it is what would be drawn of the note as it came.
        expect(cleanText(clean)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
      { numRuns: rounds(1_000) },
    );
  });

  it('is cut between whole characters', () => {
    const cut = cleanNote(`x${'🇩🇪'.repeat(80)}`, 200);
    expect(cut.length).toBeLessThanOrEqual(200);
    expect(graphemes(cut)).toEqual(['x', ...Array(49).fill('🇩🇪'), '…']);
    expect(cleanText('👍🏽'.repeat(3), 7)).toBe('👍🏽…');
  });
});

describe('displayWidth', () => {
  it('counts each printable character as string-width does', () => {
    const differing: number[] = [];
    for (let code = 0x20; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const text = String.fromCodePoint(code);
      if (/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/u.test(text)) continue;
      if (displayWidth(text) !== stringWidth(text)) differing.push(code);
    }
    expect(differing).toEqual([]);
  });

  it.each([
    ...['gastop', '2 – 3 · 4', 'é', 'e\u0301', '日本', '한글', 'नमस्ते', '❤', '❤️', '☺️', '1️⃣', '#⃣'],
    ...['👍🏽', '🇩🇪', '👩‍👩‍👧', '🏳️‍🌈', '🫱🏻‍🫲🏿', 'gas 🚀 日本 é', ''],
  ])('counts %s as string-width does', (text) => {
    expect(displayWidth(text)).toBe(stringWidth(text));
  });
});
