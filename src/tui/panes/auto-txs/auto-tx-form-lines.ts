import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { formatGwei } from '../../../core/units.ts';
import { distanceWords, laneOf } from '../../alert-words.ts';
import { distanceToTarget, type PricedAutoTx } from '../../auto-tx-distance.ts';
import { displayWidth } from '../../components/fit.ts';
import type { Span } from '../../facts.ts';
import { EMPTY_LINE, type Line, lineWidth } from '../../lines.ts';
import type { Theme } from '../../theme.ts';
import { flowedLines, shownLine, typedLine } from '../../typed-line.ts';
import { wrapText } from '../../wrap-text.ts';
import { type AutoTxField, autoTxChosen } from './auto-tx-form-fields.ts';
import type { AutoTxFormState } from './auto-tx-form-state.ts';
import { sizeText, transactionText } from './transaction-lines.ts';
import type { Pasted } from './use-pasted-transaction.ts';

export interface AutoTxLinesContext {
  readonly form: AutoTxFormState;
  readonly pasted: Pasted;
  /** As it is typed, with what it pays where that is known. */
  readonly order: PricedAutoTx;
  readonly snapshot: SnapshotView;
  readonly width: number;
  readonly theme: Theme;
}

const LABEL = 11;
const MARGIN = 3;
const INDENT: Span = { text: ' '.repeat(MARGIN + LABEL) };
const MOST_PROBLEM_LINES = 6;
const LEAST_TEXT = 24;

/** A field: its name, what stands in it, and beside that (or below, where there is no room) what is wrong with it. */
export function autoTxFieldLines(
  field: AutoTxField,
  problem: string | null,
  context: AutoTxLinesContext,
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
function besideText(field: AutoTxField, context: AutoTxLinesContext): string {
  const { form, pasted } = context;
  if (field.id === 'target') return priceText(context) ?? field.hint;
  if (field.id === 'signed' && pasted.kind === 'transaction') {
    return form.focus === 'signed' ? '' : transactionText(pasted.transaction);
  }
  return form.focus === field.id ? field.hint : '';
}

/** `now 0.0507, has to fall 21 %`; of a strict one what it would pay itself. */
export function priceText({
  order,
  snapshot,
}: Pick<AutoTxLinesContext, 'order' | 'snapshot'>): string | null {
  const distance = distanceToTarget(order, snapshot);
  if (distance !== null) {
    const now = order.isStrict === true ? 'it would pay' : 'now';
    const words = distanceWords({ ...distance, isThere: distance.isReached });
    return `${now} ${formatGwei(distance.price)}, ${words}`;
  }
  const lane = laneOf(order.gasSpeed);
  return lane === null || order.isStrict === true ? null : `now ${formatGwei(snapshot.lanes[lane].price)}`;
}

/** `signed transaction, 231 bytes, type 2`; the text itself is never drawn. */
export function pastedText(pasted: Pasted): string | null {
  switch (pasted.kind) {
    case 'nothing':
      return null;
    case 'reading':
      return 'reading it …';
    case 'problem':
      return 'no signed transaction';
    case 'transaction':
      return `signed transaction, ${sizeText(pasted.size)}, type ${pasted.transaction.type}`;
  }
}

/** What stands in a field. */
function valueLines(
  field: AutoTxField,
  isHere: boolean,
  left: number,
  reserved: number,
  { form, pasted, theme }: AutoTxLinesContext,
): readonly Line[] {
  switch (field.kind) {
    case 'signed': {
      const text = pastedText(pasted);
      if (text !== null) return [[{ text, bold: pasted.kind === 'transaction' }]];
      return [[isHere ? { text: ' ', inverse: true } : { text: theme.glyph.unknown, faint: true }]];
    }
    case 'one': {
      const chosen = autoTxChosen(form.draft, field.id);
      const spans = field.choices.map(
        ({ value, label }): Line =>
          value === chosen
            ? [{ text: `[${theme.text(label)}]`, bold: true, ...(isHere ? { color: 'accent' } : {}) }]
            : [{ text: ` ${theme.text(label)} `, faint: true }],
      );
      return flowedLines(spans, left, '');
    }
    case 'text': {
      const text = form.draft[field.id];
      const unit: Line = field.unit === '' ? [] : [{ text: ` ${field.unit}`, faint: true }];
      const own = Math.max(Math.max(left - reserved, Math.min(left, LEAST_TEXT)) - lineWidth(unit), 4);
      return [[...(isHere ? typedLine(text, form.at, own, theme) : shownLine(text, own, theme)), ...unit]];
    }
  }
}
