import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/core/text.ts';

describe('displayWidth', () => {
  it('counts each printable character as string-width does, but for single jamo, fillers and letters of flags', () => {
    const differing: number[] = [];
    for (let code = 0x20; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const text = String.fromCodePoint(code);
      if (/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/u.test(text)) continue;
      if (displayWidth(text) !== stringWidth(text)) differing.push(code);
    }
    const flagLetters = Array.from({ length: 26 }, (_, at) => 0x1f1e6 + at);
    expect(differing).toEqual([0x115f, 0x1160, 0x3164, 0xffa0, ...flagLetters]);
  });

  it.each([
    ...['gastop', '2 – 3 · 4', 'é', 'e\u0301', '日本', '한글', 'नमस्ते', '❤', '❤️', '☺️', '1️⃣', '#⃣'],
    ...['👍🏽', '🇩🇪', '👩‍👩‍👧', '🏳️‍🌈', '🫱🏻‍🫲🏿', 'gas 🚀 日本 é', ''],
  ])('counts %s as string-width does', (text) => {
    expect(displayWidth(text)).toBe(stringWidth(text));
  });
});
