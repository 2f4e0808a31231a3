import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { formatGwei } from '../../../core/units.ts';
import { distanceOf, distanceWords, laneOf } from '../../alert-words.ts';
import { displayWidth } from '../../components/fit.ts';
import type { Span } from '../../facts.ts';
import { EMPTY_LINE, type Line, lineWidth } from '../../lines.ts';
import type { Theme } from '../../theme.ts';
import { flowedLines, shownLine, typedLine } from '../../typed-line.ts';
import { wrapText } from '../../wrap-text.ts';
import type { AlertDraft } from './alert-draft.ts';
import { chosenOf, type FormField, textOf } from './form-fields.ts';
import type { FormState } from './form-state.ts';
import { thresholdWei } from './threshold-wei.ts';

export interface FormLinesContext {
  readonly form: FormState;
  readonly snapshot: SnapshotView;
  readonly width: number;
  readonly theme: Theme;
}

const LABEL = 11;
const MARGIN = 3;
const INDENT: Span = { text: ' '.repeat(MARGIN + LABEL) };
const MOST_PROBLEM_LINES = 3;

/** A field: its name, what stands in it, and beside that (or below, where there is no room) what is wrong with it. */
export function fieldLines(
  field: FormField,
  problem: string | null,
  context: FormLinesContext,
): readonly Line[] {
  const { form, width, theme } = context;
  const isHere = form.focus === field.id;
  const said = problem === null ? null : `${theme.glyph.warning} ${theme.text(problem)}`;
  const beside = said ?? theme.text(besideText(field, context));
  const head: Line = [
    isHere ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true } : { text: ' '.repeat(MARGIN) },
    { text: field.label.padEnd(LABEL), bold: isHere, faint: !isHere },
  ];
  const left = width - MARGIN - LABEL - 1;
  const reserved = beside === '' ? 0 : displayWidth(beside) + 3;
  const [own = EMPTY_LINE, ...more] = valueLines(field, isHere, left, reserved, context);
  const below = more.map((line): Line => [INDENT, ...line]);
  if (beside === '') return [[...head, ...own], ...below];
  const look: Pick<Span, 'color' | 'faint'> = said === null ? { faint: true } : { color: 'warn' };
  if (lineWidth(own) + reserved <= left && below.length === 0) {
    return [[...head, ...own, { text: '   ' }, { text: beside, ...look }]];
  }
  if (said === null) return [[...head, ...own], ...below];
  const words = wrapText(said, left, MOST_PROBLEM_LINES, theme.glyph.ellipsis);
  return [[...head, ...own], ...below, ...words.map((text): Line => [INDENT, { text, ...look }])];
}

/** What helps while nothing is wrong. */
function besideText(field: FormField, { form, snapshot }: FormLinesContext): string {
  if (field.id === 'threshold') return priceText(form.draft, snapshot) ?? field.hint;
  if (form.focus === field.id) return field.hint;
  return '';
}

/** `now 0.0507, has to fall 21 %` */
function priceText(draft: AlertDraft, snapshot: SnapshotView): string | null {
  const lane = laneOf(draft.gasSpeed);
  if (lane === null) return null;
  const threshold = thresholdWei(draft.threshold);
  const distance = distanceOf({ ...draft, threshold }, snapshot);
  const now = `now ${formatGwei(snapshot.lanes[lane].price)}`;
  return distance === null ? now : `${now}, ${distance.isThere ? 'it is there' : distanceWords(distance)}`;
}

/** What stands in a field; the choices of one with many take as many lines as they need. */
function valueLines(
  field: FormField,
  isHere: boolean,
  left: number,
  reserved: number,
  context: FormLinesContext,
): readonly Line[] {
  const { form, theme } = context;
  switch (field.kind) {
    case 'one': {
      const chosen = chosenOf(form.draft, field.id);
      const spans = field.choices.map(
        ({ value, label }): Line =>
          value === chosen
            ? [{ text: `[${theme.text(label)}]`, bold: true, ...(isHere ? { color: 'accent' } : {}) }]
            : [{ text: ` ${theme.text(label)} `, faint: true }],
      );
      return flowedLines(spans, left, '');
    }
    case 'many': {
      const spans = field.choices.map(({ value, label }, place): Line => {
        const isTicked = form.draft.channels.includes(value);
        const isMarked = isHere && place === form.at;
        const text = `[${isTicked ? 'x' : ' '}] ${theme.text(label)}`;
        return isMarked
          ? [{ text: `${theme.glyph.arrow}${text}`, color: 'accent', bold: true }]
          : [{ text: ` ${text}`, bold: isTicked }];
      });
      return flowedLines(spans, left, ' ');
    }
    case 'text': {
      const text = textOf(form.draft, field.id);
      const unit: Line = field.unit === '' ? [] : [{ text: ` ${field.unit}`, faint: true }];
      const own = Math.max(Math.max(left - reserved, Math.min(left, LEAST_TEXT)) - lineWidth(unit), 4);
      return [[...(isHere ? typedLine(text, form.at, own, theme) : shownLine(text, own, theme)), ...unit]];
    }
  }
}

const LEAST_TEXT = 24;
