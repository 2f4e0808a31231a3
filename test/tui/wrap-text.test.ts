import { describe, expect, it } from 'vitest';
import { graphemes } from '../../src/core/text.ts';
import { displayWidth, wrapText } from '../../src/tui/ui/text.tsx';

describe('a text in lines', () => {
  it('is broken at blanks, and ends in an ellipsis where there are more lines than may be', () => {
    expect(wrapText('one two three', 7, 9)).toEqual(['one two', 'three']);
    expect(wrapText('one two three four', 7, 2)).toEqual(['one two', 'three …']);
  });

  it.each([
    ['a flag', '🇩🇪'],
    ['a skin colour', '👍🏽'],
    ['a family', '👨‍👩‍👧'],
    ['a heart on fire', '❤️‍🔥'],
    ['Scotland', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['a keycap', '1️⃣'],
  ])('is never broken within %s', (_, character) => {
    for (let width = 2; width < 12; width += 1) {
      const lines = wrapText(character.repeat(9), width, 99);
      expect(lines.flatMap(graphemes)).toEqual(Array(9).fill(character));
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(Math.max(width, 2));
    }
  });

  it('has all of a word that is longer than a line, and goes on behind it', () => {
    expect(wrapText('a 0123456789 b', 4, 9)).toEqual(['a', '0123', '4567', '89 b']);
    expect(wrapText('日'.repeat(3), 1, 9)).toEqual(['日', '日', '日']);
  });
});
