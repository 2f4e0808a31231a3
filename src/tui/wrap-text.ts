import { graphemes } from '../core/graphemes.ts';
import { displayWidth, truncate } from './components/fit.ts';

/**
 * `text` in lines of at most `width` columns, broken at blanks, and within a word only where that is longer than a
 * line. Of more than `most` lines the last ends in `ellipsis`.
 */
export function wrapText(text: string, width: number, most: number, ellipsis: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (displayWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = partsOf(word, width);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  }
  if (line !== '') lines.push(line);
  if (lines.length <= most) return lines;
  const rest = lines.slice(most - 1).join(' ');
  return [...lines.slice(0, most - 1), truncate(rest, width, ellipsis)];
}

/** A word in parts of at most `width` columns, each of at least one whole character. */
function partsOf(word: string, width: number): readonly string[] {
  if (displayWidth(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of graphemes(word)) {
    const wide = displayWidth(character);
    if (part !== '' && used + wide > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += wide;
  }
  return [...parts, part];
}
