import { useRef } from 'react';
import type { Line } from '../lines.ts';

/** Lines by what they are of. One that looks as it did last is the same object again, so that it is not drawn anew. */
export function useSameLines(lines: ReadonlyMap<string, Line>): ReadonlyMap<string, Line> {
  const last = useRef<ReadonlyMap<string, Line>>(new Map());
  last.current = new Map(
    [...lines].map(([id, line]) => {
      const before = last.current.get(id);
      return [id, before !== undefined && looksSame(before, line) ? before : line];
    }),
  );
  return last.current;
}

function looksSame(one: Line, other: Line): boolean {
  return (
    one.length === other.length &&
    one.every((span, place) => {
      const { text, color, bold, faint, inverse } = other[place] ?? span;
      return (
        span.text === text &&
        span.color === color &&
        span.bold === bold &&
        span.faint === faint &&
        span.inverse === inverse
      );
    })
  );
}
