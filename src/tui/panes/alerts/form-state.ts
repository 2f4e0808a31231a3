import { graphemes } from '../../../core/graphemes.ts';
import { choiceBeside, type EditedForm, fieldBeside, withField, withLine } from '../../edited-form.ts';
import { EMPTY_INPUT, editLine, inOneLine, insertText, type TextInput } from '../../text-input.ts';
import { type AlertDraft, nextCooldown } from './alert-draft.ts';
import {
  chosenOf,
  type FieldId,
  type FormField,
  textOf,
  withChosen,
  withText,
  withTicked,
} from './form-fields.ts';

/** The form as it stands. What is wrong is said where the user has typed, and where something was left. */
export type FormState = EditedForm<FieldId, AlertDraft>;

/** A price is what most people come for. */
export function formOf(draft: AlertDraft): FormState {
  return {
    draft,
    focus: 'threshold',
    at: graphemes(draft.threshold).length,
    isSuggested: true,
    // A note is somebody's own words, also of a copy.
    typed: ['note'],
    seen: [],
    refusals: {},
  };
}

/** Moves to the field `by` fields further, to the end of its text; past either end to the other. */
export function moveFocus(form: FormState, fields: readonly FormField[], by: number): FormState {
  const next = fieldBeside(fields, form.focus, by);
  return next === undefined ? form : focusOn(form, next);
}

function focusOn(form: FormState, field: FormField): FormState {
  const at = field.kind === 'text' ? graphemes(textOf(form.draft, field.id)).length : 0;
  const isEmpty = isEmptyText(form);
  const seen = form.seen === 'all' || isEmpty ? form.seen : [...new Set([...form.seen, form.focus])];
  const isSuggested = field.kind === 'text' && !form.typed.includes(field.id);
  return { ...form, focus: field.id, at, isSuggested, seen };
}

/** Who only passes by is not told that something is missing. */
function isEmptyText({ draft, focus }: FormState): boolean {
  if (focus === 'gasSpeed' || focus === 'condition' || focus === 'channels' || focus === 'once') return false;
  return textOf(draft, focus).trim() === '';
}

/** What `left`, `right` and other editing keys do in a field. */
export function pressIn(form: FormState, field: FormField, key: string): FormState {
  switch (field.kind) {
    case 'text':
      return withInput(form, field, editLine({ text: textOf(form.draft, field.id), cursor: form.at }, key));
    case 'one': {
      const next = choiceBeside(field.choices, chosenOf(form.draft, field.id), key);
      if (next === undefined) return form;
      return withField(form, field.id, withChosen(form.draft, field.id, next.value));
    }
    case 'many': {
      const { length } = field.choices;
      if (key === 'left') return { ...form, at: (form.at - 1 + length) % length };
      if (key === 'right') return { ...form, at: (form.at + 1) % length };
      const here = field.choices[form.at];
      if (key !== 'space' || here === undefined) return form;
      return withField(form, field.id, withTicked(form.draft, here.value, field.choices));
    }
  }
}

/** Typed or pasted text; a blank in the cooldown goes on to the next usual one. */
export function typeIn(form: FormState, field: FormField, text: string): FormState {
  if (field.kind !== 'text') return form;
  const before = textOf(form.draft, field.id);
  if (field.id === 'cooldown' && text.trim() === '' && !text.includes('\n')) {
    const next = nextCooldown(before);
    return withInput(form, field, { text: next, cursor: next.length });
  }
  const input = form.isSuggested ? EMPTY_INPUT : { text: before, cursor: form.at };
  return withInput(form, field, insertText(input, field.id === 'note' ? inOneLine(text) : text));
}

function withInput(form: FormState, { id }: FormField & { kind: 'text' }, input: TextInput): FormState {
  return withLine(form, id, input, {
    before: textOf(form.draft, id),
    put: (text) => withText(form.draft, id, text),
  });
}

/** It cannot be sent: what is wrong is said everywhere, and the cursor goes to the first of it. */
export function showProblems(form: FormState, first: FormField | undefined): FormState {
  return { ...(first === undefined ? form : focusOn(form, first)), seen: 'all' };
}

/** The service has refused: its words stand at their fields, and the first of them is where the cursor is. */
export function refused(
  form: FormState,
  fields: readonly FormField[],
  refusals: Readonly<Record<string, string>>,
): FormState {
  const first = fields.find(({ id }) => id in refusals);
  return { ...showProblems(form, first), refusals };
}
