import { EMPTY_LINE, fitLine, type Line, lineWidth } from './lines.ts';
import type { Theme } from './theme.ts';

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
