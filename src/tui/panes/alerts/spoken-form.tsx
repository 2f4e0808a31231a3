import { type Line, SpokenSentences } from '../../ui/text.tsx';
import type { AlertDraft } from './alert-draft.ts';
import { chosenOf, type FieldId, type FormField, textOf } from './form-fields.ts';
import type { FormState } from './form-state.ts';

interface SpokenFormProps {
  readonly form: FormState;
  readonly fields: readonly FormField[];
  readonly said: (id: FieldId | '') => string | null;
  readonly preview: string | null;
  readonly title: Line;
}

/** The form for a screen reader: the field one is in first, then the others. */
export function SpokenForm({ form, fields, said, preview, title }: SpokenFormProps) {
  const place = fields.findIndex(({ id }) => id === form.focus);
  const here = fields[place];
  const problem = (id: FieldId | '') => (said(id) === null ? '' : `, ${said(id)}`);
  const sentences = [
    title
      .map(({ text }) => text)
      .join('')
      .trim(),
    ...(said('') === null ? [] : [said('') ?? '']),
    ...(here === undefined
      ? []
      : [
          `Field ${place + 1} of ${fields.length}, ${spokenField(here, form)}${problem(here.id)}, ${here.hint}`,
        ]),
    ...fields
      .filter(({ id }) => id !== form.focus)
      .map((field) => `${spokenField(field, form)}${problem(field.id)}`),
    ...(preview === null ? [] : [preview]),
  ];
  return <SpokenSentences sentences={sentences.map((sentence) => `${sentence}.`)} />;
}

function spokenField(field: FormField, { draft, at, focus }: FormState): string {
  switch (field.kind) {
    case 'one': {
      const chosen = chosenOf(draft, field.id);
      return `${field.label}: ${field.choices.find(({ value }) => value === chosen)?.label ?? chosen}`;
    }
    case 'many': {
      const here = focus === field.id ? field.choices[at] : undefined;
      const ticked = field.choices.filter(({ value }) => draft.channels.includes(value));
      const words = ticked.length === 0 ? 'nothing' : ticked.map(({ label }) => label).join(', ');
      return `${field.label}: ${words}${here === undefined ? '' : `, at ${here.label}, ${tick(draft, here.value)}`}`;
    }
    case 'text':
      return `${field.label}: ${textOf(draft, field.id) || 'empty'} ${field.unit}`.trim();
  }
}

function tick(draft: AlertDraft, value: string): string {
  return draft.channels.includes(value) ? 'ticked' : 'not ticked';
}
