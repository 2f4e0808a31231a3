import { describeDistance, laneOf } from '../../../client/views/describe-alerts.ts';
import { distanceToTarget, type PricedAutoTx } from '../../../client/views/describe-auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { formatGwei } from '../../../core/units.ts';
import { choiceLines, fieldLines, textLine } from '../../field-lines.ts';
import type { Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
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

const MOST_PROBLEM_LINES = 6;

/** A field: its name, what stands in it, and beside that (or below, where there is no room) what is wrong with it. */
export function autoTxFieldLines(
  field: AutoTxField,
  problem: string | null,
  context: AutoTxLinesContext,
): readonly Line[] {
  const { form, width, theme } = context;
  const isHere = form.focus === field.id;
  const shown = {
    label: field.label,
    isHere,
    problem,
    help: besideText(field, context),
    mostProblemLines: MOST_PROBLEM_LINES,
    value: (room: number, reserved: number) => valueLines(field, isHere, room, reserved, context),
  };
  return fieldLines(shown, width, theme);
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
    const words = describeDistance(distance);
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
  room: number,
  reserved: number,
  { form, pasted, theme }: AutoTxLinesContext,
): readonly Line[] {
  switch (field.kind) {
    case 'signed': {
      const text = pastedText(pasted);
      if (text !== null) return [[{ text, bold: pasted.kind === 'transaction' }]];
      return [[isHere ? { text: ' ', inverse: true } : { text: theme.glyph.unknown, faint: true }]];
    }
    case 'one':
      return choiceLines(field.choices, autoTxChosen(form.draft, field.id), isHere, room, theme);
    case 'text': {
      const { id, unit } = field;
      return [
        textLine({ text: form.draft[id], unit, cursor: isHere ? form.at : null }, room, reserved, theme),
      ];
    }
  }
}
