import { Box, Text } from 'ink';
import { createElement, Fragment, memo, type ReactElement, type ReactNode } from 'react';
import stringWidth from 'string-width';
import { graphemes, wrapWords } from '../../core/text.ts';
import { formatChange, formatPercent } from '../../core/units.ts';
import { ASCII_THEME, type ColorName, type Theme, useDim, useTheme } from './theme.ts';

/** ASCII, dots, dashes, arrows, marks, boxes and blocks: one column each. Most text is made of them, and soon measured. */
const NARROW = /^[\x20-\x7e·•–—…→↑↓✓✗●◌▸─-▟]*$/;

/** Columns that `text` takes in a terminal. */
export function displayWidth(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** `text` cut to at most `width` columns, ending in `ellipsis` (one column) where something is missing. */
export function truncate(text: string, width: number, ellipsis = '…'): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const segment of graphemes(text)) {
    const next = used + displayWidth(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return kept + ellipsis;
}

/** Exactly `width` columns, the text at the left. */
export function fitLeft(text: string, width: number, ellipsis = '…'): string {
  const cut = truncate(text, width, ellipsis);
  return cut + ' '.repeat(Math.max(width - displayWidth(cut), 0));
}

/** Exactly `width` columns, the text at the right. */
export function fitRight(text: string, width: number, ellipsis = '…'): string {
  const cut = truncate(text, width, ellipsis);
  return ' '.repeat(Math.max(width - displayWidth(cut), 0)) + cut;
}

/**
 * `text` in lines of at most `width` columns, broken at blanks, and within a word only where that is longer than a
 * line. Of more than `most` lines the last ends in `ellipsis`.
 */
export function wrapText(text: string, width: number, most: number, ellipsis: string): readonly string[] {
  const lines = wrapWords(text, width, displayWidth).filter((line) => line !== '');
  if (lines.length <= most) return lines;
  const rest = lines.slice(most - 1).join(' ');
  return [...lines.slice(0, most - 1), truncate(rest, width, ellipsis)];
}

/** A piece of a line with one look. */
export interface Span {
  readonly text: string;
  readonly color?: ColorName;
  readonly bold?: boolean;
  readonly faint?: boolean;
  /** The place of a cursor. */
  readonly inverse?: boolean;
}

/** One line of a pane, in pieces with one look each. */
export type Line = readonly Span[];

export const EMPTY_LINE: Line = [];

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + displayWidth(text), 0);
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

/** A change with its arrow; one that is too small to be seen has neither sign nor colour. A rise is bad news. */
export function changeSpan(ratio: number, { glyph, text: shown }: Theme): Span {
  const text = shown(formatChange(ratio));
  if (!/[1-9]/.test(text)) return { text: `${glyph.steady} ${text}`, faint: true };
  return ratio > 0
    ? { text: `${glyph.up} ${text}`, color: 'warn' }
    : { text: `${glyph.down} ${text}`, color: 'good' };
}

/** Above this a block drives the base fee up by more than a tenth (EIP-1559, elasticity 2). */
const NEARLY_FULL = 0.9;

/** How full a block is, as a bar of `cells` and in percent. */
export function fullnessLine(ratio: number, cells: number, { glyph }: Theme): Line {
  const full = Math.min(Math.max(Math.round(ratio * cells), 0), cells);
  return [
    { text: glyph.barFull.repeat(full), color: ratio > NEARLY_FULL ? 'warn' : 'accent' },
    { text: glyph.barEmpty.repeat(cells - full), faint: true },
    { text: ` ${formatPercent(ratio).padStart(5)}` },
  ];
}

/** The first visible line so that `line` is within the `rows` that are shown, moved from `top` no more than needed. */
export function scrolledTo(line: number, top: number, rows: number): number {
  if (line < top) return line;
  return line >= top + rows ? line - rows + 1 : top;
}

interface WordsProps {
  readonly color?: ColorName | undefined;
  readonly bold?: boolean | undefined;
  readonly faint?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  readonly children: ReactNode;
}

/** Text of data: loses colour and weight where the data is no longer the present. Never wraps. */
export function Words(props: WordsProps) {
  const { color, bold = false, faint = false, inverse = false, children } = props;
  const theme = useTheme();
  const dim = useDim();
  const paint = color === undefined || dim ? {} : { color: theme.color(color) };
  return (
    <Text {...paint} bold={bold && !dim} dimColor={faint || dim} inverse={inverse} wrap="truncate">
      {children}
    </Text>
  );
}

/** Elements that React tells apart by their place, as it does those written one by one: lines and spans have no key. */
export function placed<Item>(
  items: readonly Item[],
  draw: (item: Item, place: number) => ReactElement,
): ReactElement {
  return createElement(Fragment, null, ...items.map(draw));
}

interface LineListProps {
  readonly lines: readonly Line[];
  readonly width: number;
}

/** Lines one under the other, none wider than `width` and none wrapped. */
export function LineList({ lines, width }: LineListProps) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {placed(lines, (line) => (
        <OneLine line={line} width={width} />
      ))}
    </Box>
  );
}

interface OneLineProps {
  readonly line: Line;
  readonly width: number;
}

/** Lists are built anew with every second and key; most of their lines look as before. */
function looksSame(one: OneLineProps, other: OneLineProps): boolean {
  return one.width === other.width && JSON.stringify(one.line) === JSON.stringify(other.line);
}

/** One line, cut with an ellipsis where it is wider than `width`. */
export const OneLine = memo(function OneLine({ line, width }: OneLineProps) {
  const theme = useTheme();
  const shown = line.map((span) => ({ ...span, text: theme.text(span.text) }));
  if (shown.length === 0) return <Text> </Text>;
  return (
    <Text wrap="truncate">
      <Spans line={fitLine(shown, width, 'left', theme.glyph.ellipsis)} />
    </Text>
  );
}, looksSame);

/** The pieces of a line within a text. */
export function Spans({ line }: { readonly line: Line }) {
  return placed(line, ({ text, ...look }) => <Words {...look}>{text}</Words>);
}

const GAP = 2;

/** One line of pieces after a margin of one, the weightiest first: what does not fit is left out whole. */
export function SegmentLine({
  segments,
  width,
}: {
  readonly segments: readonly Line[];
  readonly width: number;
}) {
  const theme = useTheme();
  const translated = segments.map((segment) =>
    segment.map((span) => ({ ...span, text: theme.text(span.text) })),
  );
  return (
    <Text wrap="truncate">
      {placed(fitSegments(translated, width - 2), (segment, place) => (
        <Text>
          {' '.repeat(place === 0 ? 1 : GAP)}
          <Spans line={segment} />
        </Text>
      ))}
    </Text>
  );
}

/** As many segments from the left as fit into `width`; the first always, even if it must be cut. */
export function fitSegments(segments: readonly Line[], width: number): readonly Line[] {
  let used = 0;
  return segments.filter((segment, place) => {
    const own = lineWidth(segment) + (place === 0 ? 0 : GAP);
    if (place > 0 && used + own > width) return false;
    used += own;
    return true;
  });
}

interface SpreadLineProps {
  readonly width: number;
  readonly left: ReactNode;
  readonly right: ReactNode;
}

/** One line with something at each end; where both do not fit the left end is cut. */
export function SpreadLine({ width, left, right }: SpreadLineProps) {
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      <Box flexGrow={1} flexShrink={1} height={1} overflow="hidden">
        <Text wrap="truncate">{left}</Text>
      </Box>
      <Box flexShrink={0} height={1}>
        <Text wrap="truncate">{right}</Text>
      </Box>
    </Box>
  );
}

/** A line for a screen reader: without glyphs that only draw; what is set apart on the screen is a part of its own. */
export function spokenLine(line: Line): string {
  return ASCII_THEME.text(line.map(({ text }) => text).join(''))
    .replace(/\s*[#.]{4,}\s*/g, ' ')
    .replace(/(?<!\S)v (?=\d)/g, 'down ')
    .replace(/(?<!\S)\^ (?=\d)/g, 'up ')
    .replace(/(?<!\S)(?:[>^=]|v(?= [-+])) /g, '')
    .trim()
    .replace(/^(?:[-~*o!] )+/, '')
    .replace(/ [*o!] /g, ' ')
    .replace(/\s{2,}/g, ', ');
}

/** Lines of segments for a screen reader, each a sentence. */
export function SpokenLines({ lines }: { readonly lines: readonly (readonly Line[])[] }) {
  return <SpokenSentences sentences={lines.map((segments) => segments.map(spokenLine).join(', '))} />;
}

/** What there is to read for a screen reader, one sentence under the other, in ASCII; two of them may be alike. */
export function SpokenSentences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <Box flexDirection="column">
      {placed(
        sentences.filter((text) => /\p{L}|\p{N}/u.test(text)),
        (text) => (
          <Text>{ASCII_THEME.text(/[.?!]$/.test(text) ? text : `${text}.`)}</Text>
        ),
      )}
    </Box>
  );
}
