import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { graphemes } from '../../../core/graphemes.ts';
import { choiceBeside, type EditedForm, fieldBeside, withField, withLine } from '../../edited-form.ts';
import { EMPTY_INPUT, editLine, inOneLine, insertText, type TextInput } from '../../text-input.ts';
import { type AutoTxDraft, draftOf, newAutoTxDraft } from './auto-tx-draft.ts';
import {
  type AutoTxField,
  type AutoTxFieldId,
  autoTxChosen,
  type SignedRole,
  withAutoTxChosen,
} from './auto-tx-form-fields.ts';
import { nextExpiry } from './expiry-text.ts';
import { SignedText } from './signed-text.ts';

/** The form as it stands. What is wrong is said where the user has been. */
export interface AutoTxFormState extends EditedForm<AutoTxFieldId, AutoTxDraft> {
  /** How it began: leaving it like that loses nothing. */
  readonly initial: AutoTxDraft;
  readonly role: SignedRole;
  readonly signed: SignedText;
  /** Counts what was pasted: the text itself is no part of the state. */
  readonly pastes: number;
}

/** The form of a new auto-tx, or of one that is changed. */
export function autoTxFormOf(edited: AutoTxView | null, snapshot: SnapshotView): AutoTxFormState {
  const draft = edited === null ? newAutoTxDraft(snapshot) : draftOf(edited);
  const role = roleOf(edited);
  return {
    draft,
    initial: draft,
    role,
    signed: new SignedText(),
    pastes: 0,
    focus: role === 'needed' ? 'signed' : 'target',
    at: graphemes(draft.target).length,
    isSuggested: false,
    typed: edited === null ? [] : ['target', 'expires', 'note'],
    seen: [],
    refusals: {},
  };
}

/** What was given out may be mined whatever is signed later. */
function roleOf(edited: AutoTxView | null): SignedRole {
  if (edited === null || edited.status === 'DRAFT') return 'needed';
  const isWaiting = edited.status === 'PENDING' || edited.status === 'DISABLED';
  return isWaiting && edited.attempts === 0 && edited.submittedAt === null ? 'replaces' : 'fixed';
}

/** Whether leaving the form loses something. */
export function isTouched({ draft, initial, signed }: AutoTxFormState): boolean {
  return signed.length > 0 || JSON.stringify(draft) !== JSON.stringify(initial);
}

/** Moves to the field `by` fields further; past either end to the other. */
export function moveFocus(
  form: AutoTxFormState,
  fields: readonly AutoTxField[],
  by: number,
): AutoTxFormState {
  const next = fieldBeside(fields, form.focus, by);
  return next === undefined ? form : focusOn(form, next);
}

function focusOn(form: AutoTxFormState, field: AutoTxField): AutoTxFormState {
  const at = field.kind === 'text' ? graphemes(form.draft[field.id]).length : 0;
  const seen = form.seen === 'all' ? form.seen : [...new Set([...form.seen, form.focus])];
  const isSuggested = field.kind === 'text' && !form.typed.includes(field.id);
  return { ...form, focus: field.id, at, isSuggested, seen };
}

/** What `left`, `right` and other editing keys do in a field. What cannot be seen cannot be edited: it goes as a whole. */
export function pressIn(form: AutoTxFormState, field: AutoTxField, key: string): AutoTxFormState {
  switch (field.kind) {
    case 'signed': {
      if (!CLEARING.has(key)) return form;
      form.signed.drop();
      return pasted(form);
    }
    case 'text':
      return withInput(form, field, editLine({ text: form.draft[field.id], cursor: form.at }, key));
    case 'one': {
      const next = choiceBeside(field.choices, autoTxChosen(form.draft, field.id), key);
      if (next === undefined) return form;
      return withField(form, field.id, withAutoTxChosen(form.draft, field.id, next.value));
    }
  }
}

const CLEARING: ReadonlySet<string> = new Set(['backspace', 'delete', 'ctrl+u']);

/** Typed or pasted text; a blank in the expiry goes on to the next usual one. */
export function typeIn(form: AutoTxFormState, field: AutoTxField, text: string): AutoTxFormState {
  if (field.kind === 'signed') {
    form.signed.add(text);
    return pasted(form);
  }
  if (field.kind !== 'text') return form;
  const before = form.draft[field.id];
  if (field.id === 'expires' && text.trim() === '' && !text.includes('\n')) {
    const next = nextExpiry(before);
    return withInput(form, field, { text: next, cursor: next.length });
  }
  const line = field.id === 'note' ? inOneLine(text) : text;
  return withInput(form, field, insertText(inputOf(form, field), line));
}

/** The line that a text goes into: of a suggestion nothing is left once something else is typed. */
function inputOf(form: AutoTxFormState, field: AutoTxField & { kind: 'text' }): TextInput {
  return form.isSuggested ? EMPTY_INPUT : { text: form.draft[field.id], cursor: form.at };
}

function pasted(form: AutoTxFormState): AutoTxFormState {
  const { signed: _, ...refusals } = form.refusals;
  return { ...form, refusals, pastes: form.pastes + 1 };
}

function withInput(
  form: AutoTxFormState,
  { id }: AutoTxField & { kind: 'text' },
  input: TextInput,
): AutoTxFormState {
  return withLine(form, id, input, {
    before: form.draft[id],
    put: (text) => ({ ...form.draft, [id]: text }),
  });
}

/** It cannot be sent: what is wrong is said everywhere, and the cursor goes to the first of it. */
export function showProblems(form: AutoTxFormState, first: AutoTxField | undefined): AutoTxFormState {
  return { ...(first === undefined ? form : focusOn(form, first)), seen: 'all' };
}

/** The service has refused: its words stand at their fields, and the first of them is where the cursor is. */
export function refused(
  form: AutoTxFormState,
  fields: readonly AutoTxField[],
  refusals: Readonly<Record<string, string>>,
): AutoTxFormState {
  return {
    ...showProblems(
      form,
      fields.find(({ id }) => id in refusals),
    ),
    refusals,
  };
}
