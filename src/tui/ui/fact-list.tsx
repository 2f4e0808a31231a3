import { useRef } from 'react';
import type { Fact } from '../../client/views/fact.ts';
import { describePending, type PendingView } from '../../client/views/pending.ts';
import { cleanText } from '../../core/text.ts';
import { type PaneContext, SPOKEN_WIDTH } from './pane-context.tsx';
import {
  bold,
  EMPTY_LINE,
  faint,
  fitLine,
  flow,
  type Line,
  lineWidth,
  plain,
  type Span,
  shownWidth,
  wrapText,
} from './text.tsx';

export interface NamedValue {
  readonly name: string;
  readonly value: Line;
  readonly alone?: boolean;
}

export function given<T>(
  value: T | null | undefined,
  name: string,
  text: (value: T) => string | Line,
  alone = false,
): readonly NamedValue[] {
  if (value == null) return [];
  const shown = text(value);
  return [{ name, value: typeof shown === 'string' ? [plain(shown)] : shown, alone }];
}

const GAP = 2;
/** A narrower column would cut its values. */
const LEAST_COLUMN = 37;

/** A grid of names and values; two columns when both values fit. `leastName` aligns the names of several grids. */
export function factGrid(facts: readonly NamedValue[], width: number, leastName = 0): readonly Line[] {
  if (width >= SPOKEN_WIDTH) {
    return facts.map(({ name, value }) => [plain(name === '' ? '' : `${name}: `), ...value]);
  }
  const nameRoom = Math.max(leastName, ...facts.map(({ name }) => name.length)) + GAP;
  const column = Math.floor((width - 2 - GAP) / 2);
  const cells = facts.map(({ name, value, alone }) => {
    const line: Line = [faint(name.padEnd(nameRoom)), ...value];
    return { line, fits: column >= LEAST_COLUMN && alone !== true && lineWidth(line) <= column };
  });
  const lines: Line[] = [];
  for (let at = 0; at < cells.length; at += 1) {
    const [left, right] = [cells[at], cells[at + 1]];
    if (left?.fits && right?.fits) {
      lines.push([plain(' '), ...fitLine(left.line, column + GAP), ...right.line]);
      at += 1;
    } else lines.push([plain(' '), ...(left?.line ?? [])]);
  }
  return lines;
}

export function sectionLine(title: string, rest: Line = EMPTY_LINE): Line {
  return [bold(` ${title}`), ...(rest.length === 0 ? [] : [plain('  '), ...rest])];
}

export const section = (title: string, note: string | null, lines: readonly Line[] = []): readonly Line[] => [
  EMPTY_LINE,
  sectionLine(title, note === null ? EMPTY_LINE : [faint(note)]),
  ...lines,
];

/** The maximum width of each of several texts so far, so that they grow but never jump back and forth. */
export function useWidest(widths: readonly number[]): readonly number[] {
  const widest = useRef<readonly number[]>([]);
  // A different number of texts resets the widths.
  const before = widest.current.length === widths.length ? widest.current : [];
  widest.current = widths.map((width, place) => Math.max(width, before[place] ?? 0));
  return widest.current;
}

export function useFlow(facts: readonly Line[], width: number, most: number): readonly Line[] {
  const widest = useWidest(facts.map(lineWidth));
  return flow(facts, width, { most, gap: 3, roomOf: (place) => widest[place] ?? 0 });
}

/** A text on at most `most` lines, each after `indent`; empty without a text. */
export function wrappedLines(
  text: string | null,
  width: number,
  { indent = ' ', most = Number.POSITIVE_INFINITY, look = {} as Omit<Span, 'text'> } = {},
): readonly Line[] {
  const parts = wrapText(text ?? '', width - indent.length - 1, most);
  return parts.map((part) => [{ text: `${indent}${part}`, ...look }]);
}

const NAME_ROOM = 16;

/** A text of several lines, whole: the details scroll. */
export function longFact(
  text: string | null | undefined,
  name: string,
  width: number,
): readonly NamedValue[] {
  if (!text) return [];
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const parts = wrappedLines(cleanText(line), width - NAME_ROOM + 1, { indent: '' });
    return parts.length === 0 ? [EMPTY_LINE] : parts;
  });
  return factOf(lines, name);
}

/** Facts of the client: a text that does not fit into its line wraps, and addresses have a line of their own. */
export const toldFacts = (facts: readonly Fact[], width: number): readonly NamedValue[] =>
  facts.flatMap(([name, text]) =>
    shownWidth(text ?? '') < width - NAME_ROOM
      ? given(text, name, String, text?.startsWith('0x'))
      : longFact(text, name, width),
  );

/** Why a transaction waits in the pool, and what to sign to free it. */
export function pendingLines(
  pending: PendingView | null,
  symbol: string,
  { snapshot, width }: PaneContext,
): readonly Line[] {
  if (pending === null) return [];
  const facts = describePending(pending, { symbol, nativeUsd: snapshot.nativeUsd });
  return section('Pending', 'nothing is signed here', factGrid(toldFacts(facts, width), width));
}

export const factOf = (lines: readonly Line[], name: string): readonly NamedValue[] =>
  lines.map((value, place) => ({ name: place === 0 ? name : '', value, alone: true }));

const LEAST_TEXT = 20;

/** `text` after `head`, in at most `most` lines, aligned with the first. */
export function hangingLines(
  head: Line,
  text: string,
  width: number,
  most = Number.POSITIVE_INFINITY,
): readonly Line[] {
  const used = lineWidth(head);
  const room = Math.max(width - used - 1, LEAST_TEXT);
  const [first = '', ...rest] = wrapText(text, room, most);
  return [[...head, { text: first }], ...rest.map((part): Line => [{ text: `${' '.repeat(used)}${part}` }])];
}
