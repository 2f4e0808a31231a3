import { graphemes } from '../../core/text.ts';
import { displayWidth, EMPTY_LINE, type Line, lineWidth, type Span, wrapText } from '../ui/text.tsx';
import type { Theme } from '../ui/theme.ts';
import {
  EMPTY_INPUT,
  editLine,
  inOneLine,
  insertText,
  shownLine,
  type TextInput,
  typedLine,
} from './text-input.ts';

export interface FieldChoice {
  readonly value: string;
  readonly label: string;
}

/** A field of a form. It reads its value from the draft and puts a new one into it. */
export type FormField<Draft> = {
  readonly id: string;
  readonly label: string;
  /** Shown beside the value while the field is focused and nothing is wrong with it. */
  readonly hint: string;
  /** Shown instead of the hint, focused or not. */
  readonly beside?: string | null;
} & (
  | {
      readonly kind: 'one';
      readonly choices: readonly FieldChoice[];
      readonly chosen: (draft: Draft) => string;
      readonly choose: (draft: Draft, value: string) => Draft;
    }
  | {
      readonly kind: 'many';
      readonly choices: readonly FieldChoice[];
      readonly ticked: (draft: Draft) => readonly string[];
      readonly tick: (draft: Draft, values: readonly string[]) => Draft;
    }
  | {
      readonly kind: 'text';
      readonly unit?: string;
      /** Pasted lines become one line whose words stay apart. */
      readonly isProse?: boolean;
      /** The usual value after this one: the space key goes on to it. */
      readonly next?: (text: string) => string;
      readonly text: (draft: Draft) => string;
      readonly put: (draft: Draft, text: string) => Draft;
    }
  /** Pasted as a whole, never drawn and never edited. */
  | {
      readonly kind: 'pasted';
      /** What is said of the pasted text; `null` when nothing was pasted. */
      readonly said: Line | null;
      readonly paste: (draft: Draft, text: string) => Draft;
      readonly clear: (draft: Draft) => Draft;
    }
);

type TextField<Draft> = FormField<Draft> & { readonly kind: 'text' };

/** What is typed into a form, and where. */
export interface FormState<Draft> {
  readonly draft: Draft;
  /** The draft as the form was opened. */
  readonly initial: Draft;
  readonly focus: string;
  /** Where the cursor stands: a character of a text, a choice of a field of ticks. */
  readonly at: number;
  /** The text is a suggestion that was not touched: the first character typed replaces it. */
  readonly isSuggested: boolean;
  /** Fields in which the user has typed: their text is no suggestion. */
  readonly dirty: readonly string[];
  /** Fields whose problems are shown; all of them after an attempt to send. */
  readonly touched: readonly string[] | 'all';
  /** What the service said of single fields (`''`: of none), until they are changed. */
  readonly refusals: Readonly<Record<string, string>>;
}

export function formOf<Draft>(
  draft: Draft,
  focus: string,
  { text = '', isSuggested = false, dirty = [] as readonly string[] } = {},
): FormState<Draft> {
  return {
    draft,
    initial: draft,
    focus,
    at: graphemes(text).length,
    isSuggested,
    dirty,
    touched: [],
    refusals: {},
  };
}

/** Moves the focus `by` fields, to the end of the text there; past either end to the other. */
export function moveFocus<Draft>(
  form: FormState<Draft>,
  fields: readonly FormField<Draft>[],
  by: number,
): FormState<Draft> {
  const place = fields.findIndex(({ id }) => id === form.focus);
  const next = fields[(Math.max(place, 0) + by + fields.length) % fields.length];
  return next === undefined ? form : focusOn(form, next, fields);
}

function focusOn<Draft>(
  form: FormState<Draft>,
  field: FormField<Draft>,
  fields: readonly FormField<Draft>[],
): FormState<Draft> {
  const at = field.kind === 'text' ? graphemes(field.text(form.draft)).length : 0;
  const left = fields.find(({ id }) => id === form.focus);
  // A field that is only passed by is not said to be missing.
  const isEmpty = left?.kind === 'text' && left.text(form.draft).trim() === '';
  const touched =
    form.touched === 'all' || isEmpty ? form.touched : [...new Set([...form.touched, form.focus])];
  const isSuggested = field.kind === 'text' && !form.dirty.includes(field.id);
  return { ...form, focus: field.id, at, isSuggested, touched };
}

const CLEARING: ReadonlySet<string> = new Set(['backspace', 'delete', 'ctrl+u']);

/** What `left`, `right`, `space` and the editing keys do in a field. */
export function pressIn<Draft>(
  form: FormState<Draft>,
  field: FormField<Draft>,
  key: string,
): FormState<Draft> {
  switch (field.kind) {
    case 'text':
      return withInput(form, field, editLine({ text: field.text(form.draft), cursor: form.at }, key));
    case 'pasted':
      return CLEARING.has(key) ? withPasted(form, field.id, field.clear(form.draft)) : form;
    case 'one': {
      const by = key === 'left' ? -1 : key === 'right' || key === 'space' ? 1 : 0;
      if (by === 0) return form;
      const { choices } = field;
      const place = choices.findIndex(({ value }) => value === field.chosen(form.draft));
      const next = choices[(place + by + choices.length) % choices.length];
      return next === undefined ? form : withDraft(form, field.id, field.choose(form.draft, next.value));
    }
    case 'many': {
      const { length } = field.choices;
      if (key === 'left') return { ...form, at: (form.at - 1 + length) % length };
      if (key === 'right') return { ...form, at: (form.at + 1) % length };
      const here = field.choices[form.at];
      if (key !== 'space' || here === undefined) return form;
      const before = field.ticked(form.draft);
      // In the order of the choices, whatever the order in which they were ticked.
      const after = field.choices
        .map(({ value }) => value)
        .filter((value) => before.includes(value) !== (value === here.value));
      return withDraft(form, field.id, field.tick(form.draft, after));
    }
  }
}

/** Typed or pasted text. */
export function typeIn<Draft>(
  form: FormState<Draft>,
  field: FormField<Draft>,
  text: string,
): FormState<Draft> {
  if (field.kind === 'pasted') return withPasted(form, field.id, field.paste(form.draft, text));
  if (field.kind !== 'text') return form;
  const before = field.text(form.draft);
  if (field.next !== undefined && text.trim() === '' && !text.includes('\n')) {
    const next = field.next(before);
    return withInput(form, field, { text: next, cursor: next.length });
  }
  const input = form.isSuggested ? EMPTY_INPUT : { text: before, cursor: form.at };
  return withInput(form, field, insertText(input, field.isProse === true ? inOneLine(text) : text));
}

function withInput<Draft>(
  form: FormState<Draft>,
  field: TextField<Draft>,
  { text, cursor }: TextInput,
): FormState<Draft> {
  const moved = { ...form, at: cursor, isSuggested: false };
  return text === field.text(form.draft) ? moved : withDraft(moved, field.id, field.put(form.draft, text));
}

/** A pasted text that is cleared again is not said to be missing yet. */
function withPasted<Draft>(form: FormState<Draft>, id: string, draft: Draft): FormState<Draft> {
  return { ...withDraft(form, id, draft), touched: form.touched };
}

function withDraft<Draft>(form: FormState<Draft>, id: string, draft: Draft): FormState<Draft> {
  const { [id]: _, ...refusals } = form.refusals;
  const touched = form.touched === 'all' ? form.touched : [...new Set([...form.touched, id])];
  const dirty = form.dirty.includes(id) ? form.dirty : [...form.dirty, id];
  return { ...form, draft, refusals, touched, dirty };
}

/** An attempt to send failed: every problem is shown, and the focus goes to the first field of `wrong`. */
export function showProblems<Draft>(
  form: FormState<Draft>,
  fields: readonly FormField<Draft>[],
  wrong: (id: string) => boolean,
  refusals = form.refusals,
): FormState<Draft> {
  const first = fields.find(({ id }) => wrong(id));
  return { ...(first === undefined ? form : focusOn(form, first, fields)), touched: 'all', refusals };
}

const LABEL = 14;
const MARGIN = 3;
const INDENT: Span = { text: ' '.repeat(MARGIN + LABEL) };
/** Columns between a value and what stands beside it. */
const GAP = 3;
/** A text has so many columns before what stands beside it has any. */
const LEAST_TEXT = 24;
const MOST_PROBLEM_LINES = 6;

/** A field in `width` columns: label, value, and beside the value (or below, where there is no room) its problem. */
export function fieldLines<Draft>(
  field: FormField<Draft>,
  form: FormState<Draft>,
  problem: string | null,
  width: number,
  theme: Theme,
): readonly Line[] {
  const isFocused = form.focus === field.id;
  const said = problem === null ? null : `${theme.glyph.warning} ${theme.text(problem)}`;
  const beside = said ?? theme.text(field.beside ?? (isFocused ? field.hint : ''));
  const head: Line = [
    isFocused
      ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true }
      : { text: ' '.repeat(MARGIN) },
    { text: field.label.padEnd(LABEL), bold: isFocused, faint: !isFocused },
  ];
  const room = width - MARGIN - LABEL - 1;
  const reserved = beside === '' ? 0 : displayWidth(beside) + GAP;
  const [first = EMPTY_LINE, ...more] = valueLines(field, form, isFocused, room, reserved, theme);
  const lines = [[...head, ...first], ...more.map((line): Line => [INDENT, ...line])];
  if (beside === '') return lines;
  const look: Pick<Span, 'color' | 'faint'> = said === null ? { faint: true } : { color: 'warn' };
  if (more.length === 0 && lineWidth(first) + reserved <= room) {
    return [[...head, ...first, { text: ' '.repeat(GAP) }, { text: beside, ...look }]];
  }
  if (said === null) return lines;
  const words = wrapText(said, room, MOST_PROBLEM_LINES, theme.glyph.ellipsis);
  return [...lines, ...words.map((text): Line => [INDENT, { text, ...look }])];
}

/** The value in `room` columns; a one-line value leaves `reserved` of them to what stands beside it, if it can. */
function valueLines<Draft>(
  field: FormField<Draft>,
  { draft, at }: FormState<Draft>,
  isFocused: boolean,
  room: number,
  reserved: number,
  theme: Theme,
): readonly Line[] {
  switch (field.kind) {
    case 'one':
      return flowed(
        field.choices.map(({ value, label }) =>
          value === field.chosen(draft)
            ? [{ text: `[${theme.text(label)}]`, bold: true, ...(isFocused ? { color: 'accent' } : {}) }]
            : [{ text: ` ${theme.text(label)} `, faint: true }],
        ),
        room,
        '',
      );
    case 'many':
      return flowed(
        field.choices.map(({ value, label }, place) => {
          const isTicked = field.ticked(draft).includes(value);
          const text = `[${isTicked ? 'x' : ' '}] ${theme.text(label)}`;
          return isFocused && place === at
            ? [{ text: `${theme.glyph.arrow}${text}`, color: 'accent', bold: true }]
            : [{ text: ` ${text}`, bold: isTicked }];
        }),
        room,
        ' ',
      );
    case 'pasted':
      if (field.said !== null) return [field.said];
      return [[isFocused ? { text: ' ', inverse: true } : { text: theme.glyph.unknown, faint: true }]];
    case 'text': {
      const unit: Line = field.unit === undefined ? [] : [{ text: ` ${field.unit}`, faint: true }];
      const own = Math.max(Math.max(room - reserved, Math.min(room, LEAST_TEXT)) - lineWidth(unit), 4);
      const text = field.text(draft);
      return [[...(isFocused ? typedLine(text, at, own, theme) : shownLine(text, own, theme)), ...unit]];
    }
  }
}

/** Pieces side by side, `gap` between them, on as many lines of `width` columns as they need. */
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

/** A field as a sentence for a screen reader. */
export function spokenField<Draft>(field: FormField<Draft>, { draft, at }: FormState<Draft>): string {
  switch (field.kind) {
    case 'one': {
      const chosen = field.chosen(draft);
      return `${field.label}: ${field.choices.find(({ value }) => value === chosen)?.label ?? chosen}`;
    }
    case 'many': {
      const ticked = field.choices.filter(({ value }) => field.ticked(draft).includes(value));
      const here = field.choices[at]?.label ?? '';
      return `${field.label}: ${ticked.map(({ label }) => label).join(', ') || 'nothing'}, at ${here}`;
    }
    case 'pasted':
      return `${field.label}: ${field.said?.map(({ text }) => text).join('') ?? 'empty'}`;
    case 'text':
      return `${field.label}: ${field.text(draft) || 'empty'} ${field.unit ?? ''}`.trim();
  }
}
