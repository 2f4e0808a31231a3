import { SpokenSentences } from '../../ui/text.tsx';
import { type AutoTxField, type AutoTxFieldId, autoTxChosen } from './auto-tx-form-fields.ts';
import { pastedText } from './auto-tx-form-lines.ts';
import type { AutoTxFormState } from './auto-tx-form-state.ts';
import type { Pasted } from './use-pasted-transaction.ts';

interface SpokenAutoTxFormProps {
  readonly title: string;
  readonly form: AutoTxFormState;
  readonly fields: readonly AutoTxField[];
  readonly pasted: Pasted;
  readonly said: (id: AutoTxFieldId | '') => string | null;
  /** What follows from what is typed, one sentence each. */
  readonly further: readonly string[];
}

/** The form for a screen reader: the field one is in first, then the others. */
export function SpokenAutoTxForm({ title, form, fields, pasted, said, further }: SpokenAutoTxFormProps) {
  const place = fields.findIndex(({ id }) => id === form.focus);
  const here = fields[place];
  const problem = (id: AutoTxFieldId | '') => (said(id) === null ? '' : `, ${said(id)}`);
  const spoken = (field: AutoTxField) => `${spokenField(field, form, pasted)}${problem(field.id)}`;
  const sentences = [
    title,
    ...(said('') === null ? [] : [said('') ?? '']),
    ...(here === undefined ? [] : [`Field ${place + 1} of ${fields.length}, ${spoken(here)}, ${here.hint}`]),
    ...fields.filter(({ id }) => id !== form.focus).map(spoken),
    ...further,
  ];
  return <SpokenSentences sentences={sentences.map((sentence) => `${sentence}.`)} />;
}

function spokenField(field: AutoTxField, form: AutoTxFormState, pasted: Pasted): string {
  switch (field.kind) {
    case 'signed':
      return `${field.label}: ${pastedText(pasted) ?? 'empty'}`;
    case 'one': {
      const chosen = autoTxChosen(form.draft, field.id);
      return `${field.label}: ${field.choices.find(({ value }) => value === chosen)?.label ?? chosen}`;
    }
    case 'text':
      return `${field.label}: ${form.draft[field.id] || 'empty'} ${field.unit}`.trim();
  }
}
