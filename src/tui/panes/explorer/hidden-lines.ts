import type { Line } from '../../ui/text.tsx';

/** A title that says how many lines lie below the screen, before what may be left out of it. */
export function withHidden(title: readonly Line[], below: number): readonly Line[] {
  if (below <= 0) return title;
  return [...title.slice(0, 2), [{ text: `${below} more below`, faint: true }], ...title.slice(2)];
}
