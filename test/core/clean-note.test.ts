import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanNote, cleanText, graphemes } from '../../src/core/text.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { rounds } from '../helpers/rounds.ts';

const anyNote = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 4 }),
      fc.constantFrom('\u200c', '\u200d', '\u{1f3f4}', '\u{e0067}', '\u{e007f}', '\u{1f469}', 'م', 'a'),
      fc.constantFrom('\x1b[2J', '\x1b]0;t\x07', '\x9b31m', '\u202e', '\u2066', '\u200b', '\ufeff', '\ud83d'),
      fc.constantFrom('\r', '\n', '\r\n', '\t', '\u2028', '\x00', '\x1b', '\x7f', '\x85'),
    ),
  )
  .map((parts) => parts.join(''));

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
      fc.property(anyNote, (note) => {
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
