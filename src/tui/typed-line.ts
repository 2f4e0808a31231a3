import { drawnCharacters } from './text-input.ts';
import { displayWidth, type Line, lineWidth, type Span } from './ui/text.tsx';
import type { Theme } from './ui/theme.ts';

/** Pieces side by side, `gap` between them, on as many lines of `width` columns as they need. */
export function flowedLines(parts: readonly Line[], width: number, gap: string): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const part of parts) {
    const line = lines.at(-1) ?? [];
    const isFirst = line.length === 0;
    if (!isFirst && lineWidth(line) + gap.length + lineWidth(part) > width) lines.push([...part]);
    else line.push(...(isFirst || gap === '' ? [] : [{ text: gap }]), ...part);
  }
  return lines;
}

/** A text that nobody is typing, in `room` columns. */
export function shownLine(text: string, room: number, theme: Theme): Line {
  if (text === '') return [{ text: theme.glyph.unknown, faint: true }];
  const characters = drawnCharacters(text).map(theme.text);
  const shown = characters.join('');
  if (displayWidth(shown) <= room) return [{ text: shown }];
  return [{ text: windowOf(characters, 0, room - 1).join('') }, { text: theme.glyph.ellipsis }];
}

/** The text around the cursor, which stands under the character that the next one goes before. */
export function typedLine(text: string, cursor: number, room: number, theme: Theme): Line {
  const characters = drawnCharacters(text).map(theme.text);
  const from = windowStart(characters, cursor, room - 2);
  const shown = windowOf(characters, from, room);
  const place = cursor - from;
  return [
    { text: shown.slice(0, place).join('') },
    { text: shown[place] || ' ', inverse: true },
    { text: shown.slice(place + 1).join('') },
  ];
}

/** The first character of which all up to the cursor fit into `room` columns. */
function windowStart(characters: readonly string[], cursor: number, room: number): number {
  let from = cursor;
  let used = 0;
  while (from > 0) {
    used += displayWidth(characters[from - 1] ?? '');
    if (used > room) break;
    from -= 1;
  }
  return from;
}

/** As many characters from `from` on as fit into `room` columns. */
function windowOf(characters: readonly string[], from: number, room: number): readonly string[] {
  let used = 0;
  let end = from;
  while (end < characters.length) {
    used += displayWidth(characters[end] ?? '');
    if (used > room) break;
    end += 1;
  }
  return characters.slice(from, end);
}
