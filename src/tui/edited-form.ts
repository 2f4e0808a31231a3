import type { FieldChoice } from './field-lines.ts';
import type { TextInput } from './text-input.ts';

/** What is typed into a form, and where: what all forms of the monitor have in common. */
export interface EditedForm<Id extends string, Draft> {
  readonly draft: Draft;
  readonly focus: Id;
  /** Where the cursor stands: the character of a text, the choice of a field of ticks. */
  readonly at: number;
  /** The text there is a suggestion that nobody has touched: the first character typed takes its place. */
  readonly isSuggested: boolean;
  /** Where the user has typed: what stands there is no suggestion. */
  readonly typed: readonly Id[];
  /** Where what is wrong is said: at first nowhere, in all fields once it was tried to send. */
  readonly seen: readonly Id[] | 'all';
  /** What the service said of single fields, until they are changed. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** The field `by` fields further than the one at `focus`; past either end from the other on. */
export function fieldBeside<Field extends { readonly id: string }>(
  fields: readonly Field[],
  focus: string,
  by: number,
): Field | undefined {
  const place = fields.findIndex(({ id }) => id === focus);
  return fields[(Math.max(place, 0) + by + fields.length) % fields.length];
}

/** The choice that `key` goes on to from the one that is chosen; `undefined`: it is no key that does. */
export function choiceBeside(
  choices: readonly FieldChoice[],
  chosen: string,
  key: string,
): FieldChoice | undefined {
  const by = key === 'left' ? -1 : key === 'right' || key === 'space' ? 1 : 0;
  if (by === 0) return undefined;
  const place = choices.findIndex(({ value }) => value === chosen);
  return choices[(place + by + choices.length) % choices.length];
}

type AnyForm = EditedForm<string, unknown>;

/** The form with another draft, of which the field `id` was changed: what is wrong there is said from now on. */
export function withField<Form extends AnyForm>(form: Form, id: Form['focus'], draft: Form['draft']): Form {
  const { [id]: _, ...refusals } = form.refusals;
  const seen = form.seen === 'all' ? form.seen : [...new Set([...form.seen, id])];
  const typed = form.typed.includes(id) ? form.typed : [...form.typed, id];
  return { ...form, draft, refusals, seen, typed };
}

/** The form with the line that was typed in the field `id`; `put` makes the draft with another text there. */
export function withLine<Form extends AnyForm>(
  form: Form,
  id: Form['focus'],
  { text, cursor }: TextInput,
  field: { readonly before: string; readonly put: (text: string) => Form['draft'] },
): Form {
  const moved = { ...form, at: cursor, isSuggested: false };
  return text === field.before ? moved : withField(moved, id, field.put(text));
}
