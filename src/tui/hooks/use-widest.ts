import { useRef } from 'react';

/** Remembers the widest that each named thing has been, so that columns grow but never jump back and forth. */
export function useWidest(widths: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const widest = useRef(new Map<string, number>());
  for (const [id, width] of widths) {
    widest.current.set(id, Math.max(width, widest.current.get(id) ?? 0));
  }
  return widest.current;
}
