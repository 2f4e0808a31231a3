import { useRef } from 'react';
import { type Line, looksSame } from '../lines.ts';

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
