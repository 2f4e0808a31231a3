import type { Checked } from '../../contract/field-problems.ts';
import { graphemes } from '../../core/text.ts';
import {
  bold,
  EMPTY_LINE,
  faint,
  flow,
  type Line,
  lineWidth,
  plain,
  type Span,
  shownWidth,
  wrapText,
} from '../ui/text.tsx';
import { EMPTY_INPUT, editLine, inOneLine, insertText, shownLine, typedLine } from './text-input.tsx';

/** Typed and chosen values, by field; ticked choices are separated by lines. */
export type Values = Readonly<Record<string, string>>;

type TextOptions = {
  readonly unit?: string;
  /** Pasted lines are joined with blanks. */
  readonly isProse?: boolean;
  /** Usual values; the space bar goes to the next one. */
  readonly presets?: readonly string[];
};

interface FieldOptions {
  readonly beside?: string | null;
  /** What is wrong with what was typed, to follow the label. */
  readonly problem?: string | null;
  /** `true`: shows its problem before the user has left it; `false`: not yet. */
  readonly isJudged?: boolean | undefined;
  /** The lines under it. */
  readonly under?: readonly Line[];
  /** Hides the other fields while it has the focus. */
  readonly isAlone?: boolean;
}

/** A field of a form, named like the field of the request. */
export type FormField = FieldOptions &
  Readonly<Record<'id' | 'label' | 'hint', string>> &
  (
    | { readonly kind: 'one' | 'many'; readonly choices: Choices }
    | ({ readonly kind: 'text' } & TextOptions)
    /** Pasted as a whole, never drawn and never edited: the draft does not have it. */
    | {
        readonly kind: 'pasted';
        readonly isEmpty: boolean;
        readonly description: Line | null;
        readonly add: (text: string) => void;
        readonly drop: () => void;
      }
  );

type Choices = readonly (readonly [value: string, label: string])[];

export const textField = (
  id: string,
  label: string,
  hint: string,
  more: TextOptions & FieldOptions = {},
): FormField => ({ id, label, hint, kind: 'text', ...more });

export const choiceField = (
  id: string,
  label: string,
  hint: string,
  choices: Choices,
  kind: 'one' | 'many' = 'one',
): FormField => ({ id, label, hint, kind, choices });

export const typedNumber = (typed: string): number | undefined =>
  /^(\d{1,16}(\.\d*)?|\.\d+)$/.test(typed.trim()) ? Number(typed) : undefined;

/** Wei per gas; `null`: it is no price in gwei. */
export function weiOfTypedGwei(text: string): bigint | null {
  const [, whole = '', decimals = ''] = /^(\d{0,9})(?:\.(\d{0,9}))?$/.exec(text.trim()) ?? [];
  if (whole === '' && decimals === '') return null;
  return BigInt(`${whole}${decimals.padEnd(9, '0')}`);
}

/** The problem of a typed number: `needed` when it is missing; `null`: none. */
export function numberProblem(typed: string, needed: string, example = '0.04'): string | null {
  if (typed.trim() === '') return `needs ${needed}`;
  return typedNumber(typed) === undefined ? `must be a number such as ${example}` : null;
}

/** Choices and fields are the service's own; that nothing is changed is no problem of a field. */
const NO_PROBLEM = /^must be one of |^is not a field|^Invalid key|^names nothing/;

/** The name of a field by the first two parts of a path in a request body. */
export type FieldOfPath = (name: string, rest: string) => string;

/** The field of a path in a request body; `''`: none. */
export function fieldAt(path: string, fields: readonly FormField[], fieldOf: FieldOfPath = (name) => name) {
  const [name = '', rest = ''] = path.replace(/^\//, '').split(/[./[]/);
  return fields.find(({ id }) => id === fieldOf(name, rest))?.id ?? '';
}

/** The first problem of each field (`''`: of none): of what was typed, else what the contract finds in the body. */
export function formProblems(
  fields: readonly FormField[],
  checked: Checked<unknown>,
  fieldOf?: FieldOfPath,
): ReadonlyMap<string, string> {
  const found = checked.ok ? [] : checked.problems.filter(({ message }) => !NO_PROBLEM.test(message));
  const ofBody = found.map(({ path, message }) => [fieldAt(path, fields, fieldOf), message] as const);
  const typed = fields.flatMap(({ id, problem }) => (problem == null ? [] : [[id, problem] as const]));
  return new Map([...ofBody.reverse(), ...typed]);
}

export interface FormState {
  readonly draft: Values;
  readonly initial: Values;
  readonly focus: string;
  /** The cursor in a text, or the focused of many choices. */
  readonly at: number;
  /** What the user changed; the text of others is a suggestion, which the first typed character replaces. */
  readonly changed: readonly string[];
  /** After an attempt to submit the problems of all fields are shown, before it those of changed ones. */
  readonly isJudged: boolean;
  /** Problems that the service reported by field (`''`: of none), until the field changes. */
  readonly refusals: Readonly<Record<string, string>>;
}

export function formOf(draft: Values, focus: string, changed: readonly string[]): FormState {
  const at = graphemes(draft[focus] ?? '').length;
  return { draft, initial: draft, focus, at, changed, isJudged: false, refusals: {} };
}

export const changedIn = ({ draft, initial }: FormState): readonly string[] =>
  Object.keys(draft).filter((id) => draft[id] !== initial[id]);

const valueIn = ({ draft }: FormState, id: string) => draft[id] ?? '';
const chosenIn = (value: string, choices: Choices) =>
  choices.filter(([choice]) => value.split('\n').includes(choice));

/** Moves the focus by `by` fields, to the end of the text there; wraps around. */
export function moveFocus(form: FormState, fields: readonly FormField[], by: number): FormState {
  const place = fields.findIndex(({ id }) => id === form.focus);
  return focusOn(form, fields.at((Math.max(place, 0) + by) % fields.length));
}

function focusOn(form: FormState, field: FormField | undefined): FormState {
  if (field === undefined) return form;
  const at = field.kind === 'text' ? graphemes(valueIn(form, field.id)).length : 0;
  return { ...form, focus: field.id, at };
}

const CLEARING: ReadonlySet<string> = new Set(['backspace', 'delete', 'ctrl+u']);

export function pressIn(form: FormState, field: FormField, key: string): FormState {
  const { id } = field;
  const value = valueIn(form, id);
  const by = key === 'left' ? -1 : key === 'right' ? 1 : 0;
  if (field.kind === 'text') {
    const { text, cursor } = editLine({ text: value, cursor: form.at }, key);
    return withValue(form, id, text, cursor);
  }
  if (field.kind === 'pasted') {
    if (!CLEARING.has(key)) return form;
    field.drop();
    return withoutRefusal(form, id);
  }
  const { kind, choices } = field;
  if (by === 0 && key !== 'space') return form;
  if (kind === 'one') {
    const place = choices.findIndex(([choice]) => choice === value);
    return withValue(form, id, choices.at((place + (by || 1)) % choices.length)?.[0] ?? value);
  }
  if (by !== 0) return { ...form, at: (form.at + by + choices.length) % choices.length };
  const before = chosenIn(value, choices);
  // In the order of the choices, not of the ticking.
  const after = choices.filter((choice, place) => before.includes(choice) !== (place === form.at));
  return withValue(form, id, after.map(([choice]) => choice).join('\n'));
}

export function typeIn(form: FormState, field: FormField, typed: string): FormState {
  const { id } = field;
  if (field.kind === 'pasted') {
    field.add(typed);
    return withoutRefusal(form, id);
  }
  if (field.kind !== 'text') return form;
  const before = valueIn(form, id);
  const { presets } = field;
  if (presets !== undefined && typed.trim() === '' && !typed.includes('\n')) {
    const place = presets.indexOf(before.trim().toLowerCase()) + 1;
    const next = presets[place % presets.length] ?? before;
    return withValue(form, id, next, next.length);
  }
  const input = form.changed.includes(id) ? { text: before, cursor: form.at } : EMPTY_INPUT;
  const { text, cursor } = insertText(input, field.isProse === true ? inOneLine(typed) : typed);
  return withValue(form, id, text, cursor);
}

function withoutRefusal(form: FormState, id: string): FormState {
  const { [id]: _, ...refusals } = form.refusals;
  return { ...form, refusals };
}

function withValue(form: FormState, id: string, value: string, at = form.at): FormState {
  const changed = form.changed.includes(id) ? form.changed : [...form.changed, id];
  const moved = { ...form, at, changed };
  if (value === valueIn(form, id)) return moved;
  return withoutRefusal({ ...moved, draft: { ...form.draft, [id]: value } }, id);
}

/** After a failed attempt to submit: shows every problem, and focuses the first field of `wrong`. */
export function showProblems(
  form: FormState,
  fields: readonly FormField[],
  wrong: (id: string) => boolean,
  refusals = form.refusals,
): FormState {
  const first = fields.find(({ id }) => wrong(id));
  return { ...focusOn(form, first), isJudged: true, refusals };
}

const LABEL = 14;
const MARGIN = 3;
const INDENT: Span = { text: ' '.repeat(MARGIN + LABEL) };
const GAP = 3;
/** Minimum columns of a text before the hint beside it gets any. */
const LEAST_TEXT = 24;
const MOST_PROBLEM_LINES = 6;

/** A field in `width` columns: label, value, and its problem beside the value or, on narrow screens, below. */
export function fieldLines(
  field: FormField,
  form: FormState,
  problem: string | null,
  width: number,
): readonly Line[] {
  const isFocused = form.focus === field.id;
  const beside = problem === null ? (field.beside ?? (isFocused ? field.hint : '')) : `! ${problem}`;
  const head: Line = [
    isFocused ? bold(' ▸ ', 'accent') : plain(' '.repeat(MARGIN)),
    { text: field.label.padEnd(LABEL), bold: isFocused, faint: !isFocused },
  ];
  const room = width - MARGIN - LABEL - 1;
  const reserved = beside === '' ? 0 : shownWidth(beside) + GAP;
  const [first = EMPTY_LINE, ...more] = valueLines(field, form, room, reserved);
  const look: Omit<Span, 'text'> = problem === null ? { faint: true } : { color: 'warn' };
  if (beside !== '' && more.length === 0 && lineWidth(first) + reserved <= room)
    return [[...head, ...first, { text: ' '.repeat(GAP) }, { text: beside, ...look }]];
  // A hint may go; what is worked out from the value may not.
  const isKept = problem !== null || (isFocused && field.kind === 'text' && field.beside != null);
  const words = isKept ? wrapText(beside, room, MOST_PROBLEM_LINES) : [];
  return [
    [...head, ...first],
    ...more.map((line): Line => [INDENT, ...line]),
    ...words.map((text): Line => [INDENT, { text, ...look }]),
  ];
}

function valueLines(field: FormField, form: FormState, room: number, reserved: number): readonly Line[] {
  const isFocused = form.focus === field.id;
  const value = valueIn(form, field.id);
  switch (field.kind) {
    case 'text': {
      const unit: Line = field.unit === undefined ? [] : [faint(` ${field.unit}`)];
      const own = Math.max(Math.max(room - reserved, Math.min(room, LEAST_TEXT)) - lineWidth(unit), 4);
      const shown = isFocused ? typedLine(value, form.at, own) : shownLine(value, own);
      return [[...shown, ...unit]];
    }
    case 'pasted':
      return [field.description ?? [isFocused ? { text: ' ', inverse: true } : faint('—')]];
    default: {
      const isMany = field.kind === 'many';
      const chosen = chosenIn(value, field.choices);
      const parts = field.choices.map((choice, place): Line => {
        const [, label] = choice;
        const isChosen = chosen.includes(choice);
        if (isMany && isFocused && place === form.at)
          return [bold(`▸[${isChosen ? 'x' : ' '}] ${label}`, 'accent')];
        if (isMany) return [{ text: ` [${isChosen ? 'x' : ' '}] ${label}`, bold: isChosen }];
        return isChosen ? [bold(`[${label}]`, isFocused ? 'accent' : undefined)] : [faint(` ${label} `)];
      });
      // Without the margins of a line of its own.
      const lines = flow(parts, room + 2, { most: parts.length, gap: isMany ? 1 : 0 });
      return lines.map(([, ...line]) => line);
    }
  }
}
