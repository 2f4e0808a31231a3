import {
  describeDistance,
  distanceToThreshold,
  laneOf,
  weiOfTypedGwei,
} from '../../../client/views/describe-alerts.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { formatGwei } from '../../../core/units.ts';
import { choiceLines, fieldLines, textLine } from '../../field-lines.ts';
import { flowedLines } from '../../typed-line.ts';
import type { Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import type { AlertDraft } from './alert-draft.ts';
import { chosenOf, type FormField, textOf } from './form-fields.ts';
import type { FormState } from './form-state.ts';

export interface FormLinesContext {
  readonly form: FormState;
  readonly snapshot: SnapshotView;
  readonly width: number;
  readonly theme: Theme;
}

const MOST_PROBLEM_LINES = 3;

/** A field: its name, what stands in it, and beside that (or below, where there is no room) what is wrong with it. */
export function alertFieldLines(
  field: FormField,
  problem: string | null,
  context: FormLinesContext,
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
function besideText(field: FormField, { form, snapshot }: FormLinesContext): string {
  if (field.id === 'threshold') return priceText(form.draft, snapshot) ?? field.hint;
  if (form.focus === field.id) return field.hint;
  return '';
}

/** `now 0.0507, has to fall 21 %` */
function priceText(draft: AlertDraft, snapshot: SnapshotView): string | null {
  const lane = laneOf(draft.gasSpeed);
  if (lane === null) return null;
  const threshold = weiOfTypedGwei(draft.threshold);
  const distance = distanceToThreshold({ ...draft, threshold }, snapshot);
  const now = `now ${formatGwei(snapshot.lanes[lane].price)}`;
  return distance === null ? now : `${now}, ${distance.isThere ? 'it is there' : describeDistance(distance)}`;
}

/** What stands in a field; the choices of one with many take as many lines as they need. */
function valueLines(
  field: FormField,
  isHere: boolean,
  room: number,
  reserved: number,
  { form, theme }: FormLinesContext,
): readonly Line[] {
  switch (field.kind) {
    case 'one':
      return choiceLines(field.choices, chosenOf(form.draft, field.id), isHere, room, theme);
    case 'many': {
      const parts = field.choices.map(({ value, label }, place): Line => {
        const isTicked = form.draft.channels.includes(value);
        const isMarked = isHere && place === form.at;
        const text = `[${isTicked ? 'x' : ' '}] ${theme.text(label)}`;
        return isMarked
          ? [{ text: `${theme.glyph.arrow}${text}`, color: 'accent', bold: true }]
          : [{ text: ` ${text}`, bold: isTicked }];
      });
      return flowedLines(parts, room, ' ');
    }
    case 'text': {
      const { id, unit } = field;
      const cursor = isHere ? form.at : null;
      return [textLine({ text: textOf(form.draft, id), unit, cursor }, room, reserved, theme)];
    }
  }
}
