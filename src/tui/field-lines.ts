import { flowedLines, shownLine, typedLine } from './typed-line.ts';
import { displayWidth, EMPTY_LINE, type Line, lineWidth, type Span, wrapText } from './ui/text.tsx';
import type { Theme } from './ui/theme.ts';

/** A field of a form, as it is drawn. */
export interface ShownField {
  readonly label: string;
  /** The cursor is in this field. */
  readonly isHere: boolean;
  /** What is wrong with it; `null`: nothing, or nothing that is to be said yet. */
  readonly problem: string | null;
  /** What helps while nothing is wrong; it is left out where there is no room beside the value. */
  readonly help: string;
  /** Of a problem that does not fit beside the value. */
  readonly mostProblemLines: number;
  /** Draws the value in `room` columns, `reserved` of which a one-line value had better leave to what stands beside. */
  readonly value: (room: number, reserved: number) => readonly Line[];
}

const LABEL = 11;
const MARGIN = 3;
const INDENT: Span = { text: ' '.repeat(MARGIN + LABEL) };
/** Columns between a value and what stands beside it. */
const GAP = 3;
/** A text has so many columns before what stands beside it has any. */
const LEAST_TEXT = 24;

/** A field in `width` columns: its name, its value, and beside that (or below, where there is no room) what is wrong. */
export function fieldLines(field: ShownField, width: number, theme: Theme): readonly Line[] {
  const { label, isHere, problem, help, mostProblemLines, value } = field;
  const said = problem === null ? null : `${theme.glyph.warning} ${theme.text(problem)}`;
  const beside = said ?? theme.text(help);
  const head: Line = [
    isHere ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true } : { text: ' '.repeat(MARGIN) },
    { text: label.padEnd(LABEL), bold: isHere, faint: !isHere },
  ];
  const room = width - MARGIN - LABEL - 1;
  const reserved = beside === '' ? 0 : displayWidth(beside) + GAP;
  const [first = EMPTY_LINE, ...more] = value(room, reserved);
  const lines = [[...head, ...first], ...more.map((line): Line => [INDENT, ...line])];
  if (beside === '') return lines;
  const look: Omit<Span, 'text'> = said === null ? { faint: true } : { color: 'warn' };
  if (more.length === 0 && lineWidth(first) + reserved <= room) {
    return [[...head, ...first, { text: ' '.repeat(GAP) }, { text: beside, ...look }]];
  }
  if (said === null) return lines;
  const words = wrapText(said, room, mostProblemLines, theme.glyph.ellipsis);
  return [...lines, ...words.map((text): Line => [INDENT, { text, ...look }])];
}

export interface FieldChoice {
  readonly value: string;
  readonly label: string;
}

/** Choices of which one is taken, on as many lines of `room` columns as they need. */
export function choiceLines(
  choices: readonly FieldChoice[],
  chosen: string,
  isHere: boolean,
  room: number,
  theme: Theme,
): readonly Line[] {
  const parts = choices.map(
    ({ value, label }): Line =>
      value === chosen
        ? [{ text: `[${theme.text(label)}]`, bold: true, ...(isHere ? { color: 'accent' } : {}) }]
        : [{ text: ` ${theme.text(label)} `, faint: true }],
  );
  return flowedLines(parts, room, '');
}

export interface TextValue {
  readonly text: string;
  /** `''`: it has none. */
  readonly unit: string;
  /** The character that the cursor stands at; `null`: it is in another field. */
  readonly cursor: number | null;
}

/** A text and its unit; `room` and `reserved` as {@link ShownField.value} has them. */
export function textLine(
  { text, unit, cursor }: TextValue,
  room: number,
  reserved: number,
  theme: Theme,
): Line {
  const after: Line = unit === '' ? [] : [{ text: ` ${unit}`, faint: true }];
  const own = Math.max(Math.max(room - reserved, Math.min(room, LEAST_TEXT)) - lineWidth(after), 4);
  const line = cursor === null ? shownLine(text, own, theme) : typedLine(text, cursor, own, theme);
  return [...line, ...after];
}
