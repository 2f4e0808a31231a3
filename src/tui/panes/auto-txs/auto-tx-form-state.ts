import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { graphemes } from '../../../core/graphemes.ts';
import { EMPTY_INPUT, editLine, insertText, type TextInput } from '../../text-input.ts';
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

/** The form as it stands. */
export interface AutoTxFormState {
  readonly draft: AutoTxDraft;
  /** How it began: leaving it like that loses nothing. */
  readonly initial: AutoTxDraft;
  readonly role: SignedRole;
  readonly signed: SignedText;
  /** Counts what was pasted: the text itself is no part of the state. */
  readonly pastes: number;
  readonly focus: AutoTxFieldId;
  /** The character that the cursor stands at. */
  readonly at: number;
  /** The text there is a suggestion that nobody has touched: the first character typed takes its place. */
  readonly isSuggested: boolean;
  /** Where the user has typed: what stands there is no suggestion. */
  readonly typed: readonly AutoTxFieldId[];
  /** Where the user has been, so that what is wrong there is said; all once it was tried to send. */
  readonly seen: readonly AutoTxFieldId[] | 'all';
  /** What the service said of single fields, until they are changed. */
  readonly refusals: Readonly<Record<string, string>>;
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
  const place = fields.findIndex(({ id }) => id === form.focus);
  const next = fields[(Math.max(place, 0) + by + fields.length) % fields.length];
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
      const by = key === 'left' ? -1 : key === 'right' || key === 'space' ? 1 : 0;
      const place = field.choices.findIndex(({ value }) => value === autoTxChosen(form.draft, field.id));
      const next = field.choices[(place + by + field.choices.length) % field.choices.length];
      if (by === 0 || next === undefined) return form;
      return changed(form, field.id, withAutoTxChosen(form.draft, field.id, next.value));
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
  return withInput(form, field, insertText(inputOf(form, field), text));
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
  field: AutoTxField & { kind: 'text' },
  { text, cursor }: TextInput,
): AutoTxFormState {
  const moved = { ...form, at: cursor, isSuggested: false };
  if (text === form.draft[field.id]) return moved;
  return changed(moved, field.id, { ...form.draft, [field.id]: text });
}

function changed(form: AutoTxFormState, id: AutoTxFieldId, draft: AutoTxDraft): AutoTxFormState {
  const { [id]: _, ...refusals } = form.refusals;
  const seen = form.seen === 'all' ? form.seen : [...new Set([...form.seen, id])];
  const typed = form.typed.includes(id) ? form.typed : [...form.typed, id];
  return { ...form, draft, refusals, seen, typed };
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
