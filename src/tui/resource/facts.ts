import { cleanText } from '../../core/text.ts';
import type { NamedValue } from '../ui/fact-list.tsx';
import type { PaneContext } from '../ui/pane-context.ts';
import { type Line, lineWidth, wrapText } from '../ui/text.tsx';
import { clockText, dayText, localDate } from '../ui/time.ts';

/** Margin, the longest name and the gap after it. */
const NAME_ROOM = 16;

/** A text of several lines, all of it: the details scroll. */
export function longFact(
  text: string | null,
  name: string,
  { theme, width }: Pick<PaneContext, 'theme' | 'width'>,
): readonly NamedValue[] {
  if (text === null || text === '') return [];
  return text
    .split(/\r?\n/)
    .flatMap((written) => {
      const clean = theme.text(cleanText(written));
      const parts = wrapText(clean, width - NAME_ROOM, Number.POSITIVE_INFINITY, theme.glyph.ellipsis);
      return parts.length === 0 ? [''] : parts;
    })
    .map((part, place) => ({ name: place === 0 ? name : '', value: [{ text: part }], alone: true }));
}

/** `13:20:01`, on another day `5 Jan 13:20:01`. */
export function secondText(
  at: number,
  { present, offsetAt }: Pick<PaneContext, 'present' | 'offsetAt'>,
): string {
  const day = (ms: number) => localDate(ms, offsetAt).toISOString().slice(0, 10);
  const clock = clockText(at, offsetAt, true);
  return day(at) === day(present) ? clock : `${dayText(at, offsetAt)} ${clock}`;
}

const LEAST_TEXT = 20;

/** `text` beside `head`, in at most `most` lines, each beginning under the first. */
export function hangingLines(
  head: Line,
  text: string,
  { theme, width }: Pick<PaneContext, 'theme' | 'width'>,
  most = Number.POSITIVE_INFINITY,
): readonly Line[] {
  const used = lineWidth(head);
  const room = Math.max(width - used - 1, LEAST_TEXT);
  const [first = '', ...rest] = wrapText(theme.text(text), room, most, theme.glyph.ellipsis);
  return [[...head, { text: first }], ...rest.map((part): Line => [{ text: `${' '.repeat(used)}${part}` }])];
}
