import chalk from 'chalk';
import { Box, Text, Transform, useIsScreenReaderEnabled } from 'ink';
import { createElement, Fragment, type ReactElement } from 'react';
import stringWidth from 'string-width';
import { graphemes, wrapWords } from '../../core/text.ts';
import { formatChange, formatPercent } from '../../core/units.ts';
import { useRoom } from './pane-context.tsx';
import { COLORS, type ColorName, forTerminal, inAscii, useDim } from './theme.ts';

/** Signs of one column each, whatever stands beside them: string-width takes a hundred times as long to find that out. */
const ONE_COLUMN = /^[\x20-\x7e\u2010-\u2027\u2190-\u22ff\u2500-\u25fc\u2800-\u28ff\xb1\xb7\xd7]*$/;

export function shownWidth(text: string): number {
  const shown = forTerminal(text);
  return ONE_COLUMN.test(shown) ? shown.length : stringWidth(shown);
}

/** `text` cut to at most `width` columns, with an ellipsis at the cut. */
export function truncate(text: string, width: number): string {
  if (shownWidth(text) <= width) return text;
  if (width < 1) return '';
  let shown = '';
  let used = 0;
  for (const segment of graphemes(text)) {
    used += shownWidth(segment);
    if (used > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

const blanks = (count: number) => ' '.repeat(Math.max(count, 0));

/** `text` in exactly `width` columns. */
export function fitText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = truncate(text, width);
  const room = blanks(width - shownWidth(cut));
  return align === 'left' ? cut + room : room + cut;
}

/** `text` in at most `most` lines of `width` columns, broken at blanks; a cut one ends in an ellipsis. */
export function wrapText(text: string, width: number, most: number): readonly string[] {
  const lines = wrapWords(text, width, shownWidth).filter((line) => line !== '');
  if (lines.length <= most) return lines;
  const rest = lines.slice(most - 1).join(' ');
  return [...lines.slice(0, most - 1), truncate(rest, width)];
}

export interface Span {
  readonly text: string;
  readonly color?: ColorName | undefined;
  readonly bold?: boolean;
  readonly faint?: boolean;
  readonly inverse?: boolean;
}

export const plain = (text: string): Span => ({ text });
export const faint = (text: string): Span => ({ text, faint: true });
export const colored = (text: string, color: ColorName | undefined): Span => ({ text, color });
export const bold = (text: string, color?: ColorName): Span => ({ text, bold: true, color });

/** One line of a pane. Its signs are replaced when it is drawn on an ASCII terminal. */
export type Line = readonly Span[];

export const EMPTY_LINE: Line = [];

export const filledTo = (lines: readonly Line[], count: number): readonly Line[] =>
  Array.from({ length: count }, (_, place) => lines[place] ?? EMPTY_LINE);

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + shownWidth(text), 0);
}

/** `line` in exactly `width` columns. */
export function fitLine(line: Line, width: number, align: 'left' | 'right' = 'left'): Line {
  const room = width - lineWidth(line);
  if (room <= 0) return cutLine(line, width);
  return align === 'left' ? [...line, { text: blanks(room) }] : [{ text: blanks(room) }, ...line];
}

/** `line` in at most `width` columns; a longer one ends in an ellipsis. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const shown: Span[] = [];
  let left = width;
  for (const span of line) {
    const own = shownWidth(span.text);
    // A span that just fits is cut too when more follows, to show that.
    if (own > left || (own === left && span !== line.at(-1))) {
      return [...shown, { ...span, text: truncate(`${span.text} `, left) }];
    }
    shown.push(span);
    left -= own;
  }
  return shown;
}

/** Sets segments into at most `most` lines, without those that do not fit; `roomOf` keeps room for shrunken ones. */
export function flow(
  segments: readonly Line[],
  width: number,
  { most = 1, gap = 2, roomOf = (_place: number): number => 0 } = {},
): readonly Line[] {
  const lines: Span[][] = [];
  let used = 0;
  for (const [place, segment] of segments.entries()) {
    const own = lineWidth(segment);
    const line = lines.at(-1);
    const start = used + gap;
    if (line !== undefined && start + own <= width - 2) {
      line.push({ text: blanks(start + 1 - lineWidth(line)) }, ...segment);
      used = start + Math.max(own, roomOf(place));
    } else if (lines.length < most) {
      lines.push([{ text: ' ' }, ...segment]);
      used = Math.max(own, roomOf(place));
    }
  }
  return lines;
}

/** A change with its arrow; an invisible one has neither sign nor colour. A rise is bad news. */
export function changeSpan(ratio: number): Span {
  const text = formatChange(ratio);
  if (!/[1-9]/.test(text)) return { text: `→ ${text}`, faint: true };
  return ratio > 0 ? { text: `↑ ${text}`, color: 'warn' } : { text: `↓ ${text}`, color: 'good' };
}

/** How dear a price is, by the share of the past that was cheaper. */
export const rankColor = (cheaper: number): ColorName =>
  cheaper > 0.9 ? 'bad' : cheaper > 0.5 ? 'warn' : 'good';

/** `dearer than 98 %`: from the side that matters, and rounded down, because 99.7 % are not all. */
export function rankText(cheaper: number, dearer = 1 - cheaper): string {
  const [word, share] = cheaper > dearer ? ['dearer', cheaper] : ['cheaper', dearer];
  return `${word} than ${Math.floor(share * 100 + 1e-9)} %`;
}

export function bar(ratio: number, cells: number, color: ColorName): Line {
  const full = Math.min(Math.max(Math.round(ratio * cells), 0), cells);
  return [
    { text: '█'.repeat(full), color },
    { text: '░'.repeat(cells - full), faint: true },
  ];
}

/** A fuller block raises the base fee by more than a tenth (EIP-1559, elasticity 2). */
const NEARLY_FULL = 0.9;
export const FULLNESS_WIDTH = 16;

export function fullnessLine(ratio: number): Line {
  return [
    ...bar(ratio, 10, ratio > NEARLY_FULL ? 'warn' : 'accent'),
    { text: ` ${formatPercent(ratio).padStart(5)}` },
  ];
}

/** The first visible line that shows `line` within `rows` lines, moved from `top` as little as needed. */
export function scrolledTo(line: number, top: number, rows: number): number {
  if (line < top) return line;
  return line >= top + rows ? line - rows + 1 : top;
}

/** Of data that came from outside, too: no control character gets to the terminal, and a text of several lines stays on one. */
function painted({ text, color, bold, faint, inverse }: Span, isDim: boolean): string {
  let shown = forTerminal(text.replaceAll('\n', ' ').replace(/\p{Cc}/gu, ''));
  if (faint || isDim) shown = chalk.dim(shown);
  if (color !== undefined && !isDim) shown = chalk[COLORS[color]](shown);
  if (bold && !isDim) shown = chalk.bold(shown);
  return inverse ? chalk.inverse(shown) : shown;
}

export const paintedLine = (line: Line, isDim = false): string =>
  line.map((span) => painted(span, isDim)).join('');

/** Elements keyed by index, because lines and spans have no key. */
export function placed<Item>(
  items: readonly Item[],
  draw: (item: Item, place: number) => ReactElement,
): ReactElement {
  return createElement(Fragment, null, ...items.map(draw));
}

/**
 * Lines below each other, each cut with an ellipsis at `width`. A transform writes them whenever Ink draws: Ink lays out
 * and measures each text, and takes one of several lines apart twice.
 */
export function LineList({ lines, width: own }: { lines: readonly Line[]; width?: number }) {
  const { columns } = useRoom();
  const width = own ?? columns;
  const isDim = useDim();
  if (useIsScreenReaderEnabled()) {
    const sentences = lines.map(spokenLine).filter((text) => /\p{L}|\p{N}/u.test(text));
    return (
      <Box flexDirection="column">
        {placed(sentences, (text) => (
          <Text>{inAscii(/[.?!]$/.test(text) ? text : `${text}.`)}</Text>
        ))}
      </Box>
    );
  }
  if (lines.length === 0) return null;
  // Stale data has no colour and weight.
  const texts = lines.map((line) => paintedLine(cutLine(line, width), isDim));
  return (
    <Box width={width} height={lines.length} flexShrink={0}>
      <Transform
        transform={(_, place) => texts[place] ?? ''}
      >{` ${'\n'.repeat(lines.length - 1)}`}</Transform>
    </Box>
  );
}

/** As many segments as fit into one line. */
export function SegmentLine({ segments, width: own }: { segments: readonly Line[]; width?: number }) {
  const { columns } = useRoom();
  const width = own ?? columns;
  const room = useIsScreenReaderEnabled() ? Number.POSITIVE_INFINITY : width;
  return <LineList lines={[flow(segments, room)[0] ?? EMPTY_LINE]} width={width} />;
}

/** `left` and `right` at both ends of `width` columns; `left` is cut where there is no room for both. */
export const spreadLine = (left: Line, right: Line, width: number): Line => [
  ...fitLine(left, width - lineWidth(right)),
  ...right,
];

/** A line for a screen reader: without decorative glyphs, separate parts as separate phrases. */
export function spokenLine(line: Line): string {
  return inAscii(line.map(({ text }) => text).join(''))
    .replace(/\s*[#.]{4,}\s*/g, ' ')
    .replace(/\s*[-|*]{4,}\s*/g, '  ')
    .replace(/ {2}[#%$?] /g, '  ')
    .replace(/(?<!\S)v (?=\d)/g, 'down ')
    .replace(/(?<!\S)\^ (?=\d)/g, 'up ')
    .replace(/(?<!\S)(?:[>^=]|v(?= [-+])) /g, '')
    .trim()
    .replace(/^(?:[-~*o!] )+/, '')
    .replace(/ [*o!] /g, ' ')
    .replace(/\s{2,}/g, ', ');
}
