import { displayWidth, truncate } from './components/fit.ts';
import type { Span } from './facts.ts';

/** One line of a pane, in pieces with one look each. */
export type Line = readonly Span[];

export const EMPTY_LINE: Line = [];

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + displayWidth(text), 0);
}

export function looksSame(one: Line, other: Line): boolean {
  return (
    one.length === other.length &&
    one.every((span, place) => {
      const next = other[place];
      return next !== undefined && span.text === next.text && hasSameLook(span, next);
    })
  );
}

function hasSameLook(one: Span, other: Span): boolean {
  return (
    one.color === other.color &&
    (one.bold ?? false) === (other.bold ?? false) &&
    (one.faint ?? false) === (other.faint ?? false) &&
    (one.inverse ?? false) === (other.inverse ?? false)
  );
}

/** The same line in as few pieces as it has looks: each piece costs as much as all that it says. */
export function joinedLine(line: Line): Line {
  const joined: Span[] = [];
  for (const span of line) {
    const last = joined.at(-1);
    if (last !== undefined && hasSameLook(last, span)) {
      joined[joined.length - 1] = { ...last, text: last.text + span.text };
    } else joined.push(span);
  }
  return joined;
}

/** `line` in exactly `width` columns; what does not fit ends in `ellipsis`. */
export function fitLine(line: Line, width: number, align: 'left' | 'right', ellipsis: string): Line {
  const own = lineWidth(line);
  if (own > width) return cutLine(line, width, ellipsis);
  const room: Span = { text: ' '.repeat(width - own) };
  if (own === width) return line;
  return align === 'left' ? [...line, room] : [room, ...line];
}

function cutLine(line: Line, width: number, ellipsis: string): Line {
  const kept: Span[] = [];
  let left = width;
  for (const span of line) {
    const own = displayWidth(span.text);
    // A piece that just fits is cut too where something follows it: the reader must see that there was more.
    if (own > left || (own === left && span !== line.at(-1))) {
      kept.push({ ...span, text: truncate(`${span.text} `, left, ellipsis) });
      return kept;
    }
    kept.push(span);
    left -= own;
  }
  return kept;
}

/** The first visible line so that `line` is within the `rows` that are shown, moved from `top` no more than needed. */
export function scrolledTo(line: number, top: number, rows: number): number {
  if (line < top) return line;
  return line >= top + rows ? line - rows + 1 : top;
}
