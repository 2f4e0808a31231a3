import { useRef } from 'react';
import { SPOKEN_WIDTH } from './pane-context.ts';
import { EMPTY_LINE, fitLine, type Line, lineWidth, type Span } from './text.tsx';
import type { Theme } from './theme.ts';

/** Something worth knowing in a few words, such as the next base fee. */
export interface Fact {
  readonly id: string;
  readonly spans: Line;
}

const FACT_GAP = 3;

/**
 * Sets facts into lines of at most `width` columns, margins included, in their order, at most `maxLines` lines. A fact that
 * no longer fits is left out; none is cut. `reserved` are the widths to keep for facts by id, so that their neighbours
 * stay where they are when a number grows shorter.
 */
export function flowFacts(
  facts: readonly Fact[],
  width: number,
  maxLines: number,
  reserved: ReadonlyMap<string, number> = new Map(),
): readonly Line[] {
  const lines: Span[][] = [];
  let used = 0;
  for (const { id, spans } of facts) {
    const own = lineWidth(spans);
    const room = Math.max(own, reserved.get(id) ?? 0);
    if (own > width - 2) continue;
    if (lines.length > 0 && used + FACT_GAP + own <= width - 2) {
      lines.at(-1)?.push({ text: ' '.repeat(used + FACT_GAP + 1 - lineWidth(lines.at(-1) ?? [])) }, ...spans);
      used += FACT_GAP + room;
    } else if (lines.length < maxLines) {
      lines.push([{ text: ' ' }, ...spans]);
      used = room;
    }
  }
  return lines;
}

/** A named value on a line of its own or beside another. */
export interface NamedValue {
  readonly name: string;
  readonly value: Line;
  /** Takes a whole line however short it is. */
  readonly alone?: boolean;
}

const MARGIN = 1;
const GAP = 2;
/** A column narrower than this would cut its values. */
const LEAST_COLUMN = 37;

/** A fact, or none where the service does not say. */
export function given<T>(
  value: T | null,
  name: string,
  text: (value: T) => string | Line,
  alone = false,
): readonly NamedValue[] {
  if (value === null) return [];
  const said = text(value);
  return [{ name, value: typeof said === 'string' ? [{ text: said }] : said, alone }];
}

/**
 * Names in a column, values beside them; two such columns where there is room and both values fit. `leastName` keeps
 * the names of several grids as wide as each other.
 */
export function factGrid(
  facts: readonly NamedValue[],
  width: number,
  theme: Theme,
  leastName = 0,
): readonly Line[] {
  if (width >= SPOKEN_WIDTH) {
    return facts.map(({ name, value }) => [{ text: name === '' ? '' : `${name}: ` }, ...value]);
  }
  const nameRoom = Math.max(leastName, ...facts.map(({ name }) => name.length)) + GAP;
  const column = Math.floor((width - MARGIN * 2 - GAP) / 2);
  const cell = ({ name, value }: NamedValue): Line => [
    { text: name.padEnd(nameRoom), faint: true },
    ...value.map((span) => ({ ...span, text: theme.text(span.text) })),
  ];
  const lines: Line[] = [];
  let waiting: Line | null = null;
  const flush = () => {
    if (waiting !== null) lines.push([{ text: ' '.repeat(MARGIN) }, ...waiting]);
    waiting = null;
  };
  for (const fact of facts) {
    const own = cell(fact);
    const paired = column >= LEAST_COLUMN && fact.alone !== true && lineWidth(own) <= column;
    if (!paired) {
      flush();
      lines.push([{ text: ' '.repeat(MARGIN) }, ...own]);
    } else if (waiting === null) waiting = own;
    else {
      const left: Line = fitLine(waiting, column + GAP, 'left', theme.glyph.ellipsis);
      waiting = [...left, ...own];
      flush();
    }
  }
  flush();
  return lines;
}

/** A heading over what follows. */
export function sectionLine(title: string, rest: Line = EMPTY_LINE): Line {
  return [{ text: ` ${title}`, bold: true }, ...(rest.length === 0 ? [] : [{ text: '  ' }, ...rest])];
}

/** Remembers the widest that each named thing has been, so that columns grow but never jump back and forth. */
export function useWidest(widths: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const widest = useRef(new Map<string, number>());
  for (const [id, width] of widths) {
    widest.current.set(id, Math.max(width, widest.current.get(id) ?? 0));
  }
  return widest.current;
}

/** Facts in as many lines as they need and there are, at least as far apart as they have been. */
export function useFactLines(facts: readonly Fact[], width: number, maxLines: number): readonly Line[] {
  const widest = useWidest(new Map(facts.map(({ id, spans }) => [id, lineWidth(spans)])));
  return flowFacts(facts, width, maxLines, widest);
}
