import { describe, expect, it } from 'vitest';
import { drawnCharacters, EMPTY_INPUT, editLine, insertText } from '../../src/tui/input/text-input.tsx';

describe('a line being typed', () => {
  const typed = (...keys: string[]) => keys.reduce(editLine, EMPTY_INPUT);

  it('keeps joined emoji whole, typed or pasted, and the order of writing as it is', () => {
    const coder = '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}';
    expect(typed(...Array.from(coder)).text).toBe(coder);
    expect(insertText(EMPTY_INPUT, `a\u200db ${coder}\u202e`).text).toBe(`a\u200db ${coder}`);
    expect(drawnCharacters(`${coder}\r\nx`)).toEqual(['\u{1f469}\u{1f3fd}\u{1f4bb}', ' ', 'x']);
  });

  it('is a row of what people take for characters, however many pieces they have', () => {
    for (const character of ['🇩🇪', '👍🏽', '👨‍👩‍👧', '❤️‍🔥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'é', '1️⃣']) {
      const input = typed('a', ...Array.from(character), 'b');
      expect(input).toEqual({ text: `a${character}b`, cursor: 3 });
      expect(['left', 'backspace'].reduce(editLine, input)).toEqual({ text: 'ab', cursor: 1 });
      expect(['home', 'right', 'delete'].reduce(editLine, input).text).toBe('ab');
      expect(insertText({ text: 'ab', cursor: 1 }, character)).toEqual({ text: `a${character}b`, cursor: 2 });
    }
    expect(typed('\u{1f1e9}', 'left', '\u{1f1ea}')).toEqual({ text: '\u{1f1ea}\u{1f1e9}', cursor: 1 });
  });
});
