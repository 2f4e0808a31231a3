import { cleanText } from '../../core/text.ts';
import type { NamedValue } from '../ui/fact-list.tsx';
import type { PaneContext } from '../ui/pane-context.ts';
import { EMPTY_LINE, type Line, lineWidth, type Span, wrapText } from '../ui/text.tsx';
import { clockText, dayText, localDate } from '../ui/time.ts';

type Room = Pick<PaneContext, 'theme' | 'width'>;

/** A text on at most `most` lines, each after `indent`; empty without a text. */
export function wrappedLines(
  text: string | null,
  { theme, width }: Room,
  { indent = ' ', most = Number.POSITIVE_INFINITY, look = {} as Omit<Span, 'text'> } = {},
): readonly Line[] {
  const room = width - indent.length - 1;
  return wrapText(theme.text(text ?? ''), room, most, theme.glyph.ellipsis).map((part) => [
    { text: `${indent}${part}`, ...look },
  ]);
}

/** Margin, the longest name and a gap. */
const NAME_ROOM = 16;

/** A text of several lines, whole: the details scroll. */
export function longFact(text: string | null, name: string, { theme, width }: Room): readonly NamedValue[] {
  if (text === null || text === '') return [];
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const parts = wrappedLines(cleanText(line), { theme, width: width - NAME_ROOM + 1 }, { indent: '' });
    return parts.length === 0 ? [EMPTY_LINE] : parts;
  });
  return lines.map((value, place) => ({ name: place === 0 ? name : '', value, alone: true }));
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

/** `text` after `head`, in at most `most` lines, aligned with the first. */
export function hangingLines(
  head: Line,
  text: string,
  { theme, width }: Room,
  most = Number.POSITIVE_INFINITY,
): readonly Line[] {
  const used = lineWidth(head);
  const room = Math.max(width - used - 1, LEAST_TEXT);
  const [first = '', ...rest] = wrapText(theme.text(text), room, most, theme.glyph.ellipsis);
  return [[...head, { text: first }], ...rest.map((part): Line => [{ text: `${' '.repeat(used)}${part}` }])];
}
