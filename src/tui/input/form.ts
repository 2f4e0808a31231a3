import { graphemes } from '../../core/text.ts';
import {
  bold,
  displayWidth,
  EMPTY_LINE,
  faint,
  type Line,
  lineWidth,
  plain,
  type Span,
  wrapText,
} from '../ui/text.tsx';
import {
  EMPTY_INPUT,
  editLine,
  inOneLine,
  insertText,
  shownLine,
  type TextInput,
  typedLine,
} from './text-input.ts';

/** Typed and chosen values, by field; ticked choices are separated by lines. */
export type Values = Readonly<Record<string, string>>;

/** A field of a form, named like the field of the request. */
export type FormField = {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly beside?: string | null;
} & (
  | {
      readonly kind: 'one' | 'many';
      readonly choices: readonly { readonly value: string; readonly label: string }[];
    }
  | TextOptions
  /** Pasted as a whole, never drawn and never edited; its value only counts changes. */
  | {
      readonly kind: 'pasted';
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
  more: Omit<TextOptions, 'kind'> & Pick<FormField, 'beside'> = {},
): FormField => ({ id, label, hint, kind: 'text', ...more });

export const choiceField = (
  id: string,
  label: string,
  hint: string,
  choices: Choices,
  kind: 'one' | 'many' = 'one',
): FormField => ({
  id,
  label,
  hint,
  kind,
  choices: choices.map(([value, name]) => ({ value, label: name })),
});

interface TextOptions {
  readonly kind: 'text';
  readonly unit?: string;
  /** Pasted lines are joined with blanks. */
  readonly isProse?: boolean;
  readonly next?: (text: string) => string;
}

export const TYPED_NUMBER = /^\d{1,16}(\.\d*)?$|^\.\d+$/;

/** The problem of a typed number: `needed` when it is missing; `null`: none. */
export function numberProblem(typed: string, needed: string, example: string): string | null {
  if (typed.trim() === '') return needed;
  return TYPED_NUMBER.test(typed.trim()) ? null : `must be a number such as ${example}`;
}

export function presetAfter(presets: readonly string[], value: string): string {
  return presets[(presets.indexOf(value) + 1) % presets.length] ?? value;
}

/** The first two parts of a path in a request body. */
export const partsOfPath = (path: string) => path.replace(/^\//, '').split(/[./[]/);

export interface FormState<Draft extends Values = Values> {
  readonly draft: Draft;
  readonly initial: Draft;
  readonly focus: string;
  readonly at: number;
  /** Fields that the user changed; the text of others is a suggestion, which the first typed character replaces. */
  readonly dirty: readonly string[];
  /** Fields whose problems are shown; all of them after an attempt to submit. */
  readonly touched: readonly string[] | 'all';
  /** Problems that the service reported by field (`''`: of none), until the field changes. */
  readonly refusals: Readonly<Record<string, string>>;
}

export function formOf<Draft extends Values>(
  draft: Draft,
  focus: string,
  dirty: readonly string[],
): FormState<Draft> {
  const at = graphemes(draft[focus] ?? '').length;
  return { draft, initial: draft, focus, at, dirty, touched: [], refusals: {} };
}

const valueIn = ({ draft }: FormState, { id }: Pick<FormField, 'id'>) => draft[id] ?? '';
const tickedIn = (value: string) => value.split('\n').filter((part) => part !== '');
const added = (ids: readonly string[], id: string) => (ids.includes(id) ? ids : [...ids, id]);

/** Moves the focus by `by` fields, to the end of the text there; wraps around. */
export function moveFocus<Form extends FormState>(
  form: Form,
  fields: readonly FormField[],
  by: number,
): Form {
  const place = fields.findIndex(({ id }) => id === form.focus);
  return focusOn(form, fields.at((Math.max(place, 0) + by) % fields.length), fields);
}

function focusOn<Form extends FormState>(
  form: Form,
  field: FormField | undefined,
  fields: readonly FormField[],
): Form {
  if (field === undefined) return form;
  const at = field.kind === 'text' ? graphemes(valueIn(form, field)).length : 0;
  const left = fields.find(({ id }) => id === form.focus);
  // A field that was only passed is not reported as missing.
  const isEmpty = left?.kind === 'text' && valueIn(form, left).trim() === '';
  const touched = form.touched === 'all' || isEmpty ? form.touched : added(form.touched, form.focus);
  return { ...form, focus: field.id, at, touched };
}

const CLEARING: ReadonlySet<string> = new Set(['backspace', 'delete', 'ctrl+u']);

export function pressIn<Form extends FormState>(form: Form, field: FormField, key: string): Form {
  const value = valueIn(form, field);
  const by = key === 'left' ? -1 : key === 'right' ? 1 : 0;
  switch (field.kind) {
    case 'text':
      return withInput(form, field.id, editLine({ text: value, cursor: form.at }, key));
    case 'pasted':
      if (!CLEARING.has(key)) return form;
      field.drop();
      return withPaste(form, field.id);
    case 'one': {
      const { choices } = field;
      const place = choices.findIndex((choice) => choice.value === value);
      const next = choices.at((place + (by || 1)) % choices.length);
      if (next === undefined || (by === 0 && key !== 'space')) return form;
      return withValue(form, field.id, next.value);
    }
    case 'many': {
      const { choices } = field;
      if (by !== 0) return { ...form, at: (form.at + by + choices.length) % choices.length };
      const here = choices[form.at]?.value;
      if (key !== 'space' || here === undefined) return form;
      // In the order of the choices, not of the ticking.
      const before = tickedIn(value);
      const after = choices
        .map((choice) => choice.value)
        .filter((choice) => before.includes(choice) !== (choice === here));
      return withValue(form, field.id, after.join('\n'));
    }
  }
}

export function typeIn<Form extends FormState>(form: Form, field: FormField, text: string): Form {
  if (field.kind === 'pasted') {
    field.add(text);
    return withPaste(form, field.id);
  }
  if (field.kind !== 'text') return form;
  const before = valueIn(form, field);
  if (field.next !== undefined && text.trim() === '' && !text.includes('\n')) {
    const next = field.next(before);
    return withInput(form, field.id, { text: next, cursor: next.length });
  }
  const input = form.dirty.includes(field.id) ? { text: before, cursor: form.at } : EMPTY_INPUT;
  return withInput(form, field.id, insertText(input, field.isProse === true ? inOneLine(text) : text));
}

function withInput<Form extends FormState>(form: Form, id: string, { text, cursor }: TextInput): Form {
  const moved = { ...form, at: cursor, dirty: added(form.dirty, id) };
  return text === valueIn(form, { id }) ? moved : withValue(moved, id, text);
}

/** A cleared paste is not reported as missing yet. */
function withPaste<Form extends FormState>(form: Form, id: string): Form {
  return { ...withValue(form, id, String(Number(valueIn(form, { id })) + 1)), touched: form.touched };
}

function withValue<Form extends FormState>(form: Form, id: string, value: string): Form {
  const { [id]: _, ...refusals } = form.refusals;
  const touched = form.touched === 'all' ? form.touched : added(form.touched, id);
  return { ...form, draft: { ...form.draft, [id]: value }, refusals, touched };
}

/** After a failed attempt to submit: shows every problem, and focuses the first field of `wrong`. */
export function showProblems<Form extends FormState>(
  form: Form,
  fields: readonly FormField[],
  wrong: (id: string) => boolean,
  refusals: Form['refusals'] = form.refusals,
): Form {
  const first = fields.find(({ id }) => wrong(id));
  return { ...focusOn(form, first, fields), touched: 'all', refusals };
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
  const description = problem === null ? null : `! ${problem}`;
  const beside = description ?? field.beside ?? (isFocused ? field.hint : '');
  const head: Line = [
    isFocused ? bold(' ▸ ', 'accent') : plain(' '.repeat(MARGIN)),
    { text: field.label.padEnd(LABEL), bold: isFocused, faint: !isFocused },
  ];
  const room = width - MARGIN - LABEL - 1;
  const reserved = beside === '' ? 0 : displayWidth(beside) + GAP;
  const [first = EMPTY_LINE, ...more] = valueLines(field, form, room, reserved);
  const lines = [[...head, ...first], ...more.map((line): Line => [INDENT, ...line])];
  if (beside === '') return lines;
  const look: Pick<Span, 'color' | 'faint'> = description === null ? { faint: true } : { color: 'warn' };
  if (more.length === 0 && lineWidth(first) + reserved <= room) {
    return [[...head, ...first, { text: ' '.repeat(GAP) }, { text: beside, ...look }]];
  }
  if (description === null) return lines;
  const words = wrapText(description, room, MOST_PROBLEM_LINES);
  return [...lines, ...words.map((text): Line => [INDENT, { text, ...look }])];
}

function valueLines(field: FormField, form: FormState, room: number, reserved: number): readonly Line[] {
  const isFocused = form.focus === field.id;
  const value = valueIn(form, field);
  switch (field.kind) {
    case 'one':
      return flowed(
        field.choices.map((choice) =>
          choice.value === value
            ? [{ text: `[${choice.label}]`, bold: true, ...(isFocused && { color: 'accent' }) }]
            : [{ text: ` ${choice.label} `, faint: true }],
        ),
        room,
        '',
      );
    case 'many':
      return flowed(
        field.choices.map((choice, place) => {
          const isTicked = tickedIn(value).includes(choice.value);
          const text = `[${isTicked ? 'x' : ' '}] ${choice.label}`;
          return isFocused && place === form.at
            ? [bold(`▸${text}`, 'accent')]
            : [{ text: ` ${text}`, bold: isTicked }];
        }),
        room,
        ' ',
      );
    case 'pasted':
      if (field.description !== null) return [field.description];
      return [[isFocused ? { text: ' ', inverse: true } : faint('—')]];
    case 'text': {
      const unit: Line = field.unit === undefined ? [] : [faint(` ${field.unit}`)];
      const own = Math.max(Math.max(room - reserved, Math.min(room, LEAST_TEXT)) - lineWidth(unit), 4);
      const shown = isFocused ? typedLine(value, form.at, own) : shownLine(value, own);
      return [[...shown, ...unit]];
    }
  }
}

function flowed(parts: readonly Line[], width: number, gap: string): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const part of parts) {
    const line = lines.at(-1) ?? [];
    const isFirst = line.length === 0;
    if (!isFirst && lineWidth(line) + gap.length + lineWidth(part) > width) lines.push([...part]);
    else line.push(...(isFirst || gap === '' ? [] : [{ text: gap }]), ...part);
  }
  return lines;
}

export function spokenField(field: FormField, form: FormState): string {
  const value = valueIn(form, field);
  const description = () => {
    switch (field.kind) {
      case 'one':
        return field.choices.find((choice) => choice.value === value)?.label ?? value;
      case 'many': {
        const ticked = field.choices.filter((choice) => tickedIn(value).includes(choice.value));
        const names = ticked.map(({ label }) => label).join(', ') || 'nothing';
        return `${names}, at ${field.choices[form.at]?.label ?? ''}`;
      }
      case 'pasted':
        return field.description?.map(({ text }) => text).join('') ?? 'empty';
      case 'text':
        return `${value || 'empty'} ${field.unit ?? ''}`.trim();
    }
  };
  return `${field.label}: ${description()}`;
}
