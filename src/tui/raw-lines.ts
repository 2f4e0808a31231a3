import { cleanText } from '../core/clean-text.ts';
import { displayWidth } from './components/fit.ts';

const MOST_LINES = 5_000;

/** An answer as lines no wider than `width`: JSON is set out, anything else stays as it came. */
export function rawLines(answer: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const line of setOut(answer).split('\n')) {
    // JSON escapes may hide control characters, so they are looked for after it is set out.
    for (const piece of pieces(cleanText(line), Math.max(width, 1))) {
      if (lines.length === MOST_LINES) return [...lines, `(cut after ${MOST_LINES} lines)`];
      lines.push(piece);
    }
  }
  return lines;
}

function setOut(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 2);
  } catch {
    return answer;
  }
}

function pieces(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  const cut: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    const own = displayWidth(character);
    if (used + own > width) {
      cut.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += own;
  }
  return [...cut, piece];
}
