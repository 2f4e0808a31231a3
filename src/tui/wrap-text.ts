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
    line = word;
    while (displayWidth(line) > width) {
      const part = firstColumns(line, width);
      lines.push(part);
      line = line.slice(part.length);
    }
  }
  if (line !== '') lines.push(line);
  if (lines.length <= most) return lines;
  const rest = lines.slice(most - 1).join(' ');
  return [...lines.slice(0, most - 1), truncate(rest, width, ellipsis)];
}

/** As many characters as fit, at least one. */
function firstColumns(text: string, width: number): string {
  let part = '';
  for (const character of text) {
    if (part !== '' && displayWidth(part + character) > width) break;
    part += character;
  }
  return part;
}
