import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { formatGwei } from '../../../core/units.ts';
import { distanceOf, distanceWords, laneOf } from '../../alert-words.ts';
import { displayWidth } from '../../components/fit.ts';
import type { Span } from '../../facts.ts';
import { EMPTY_LINE, type Line, lineWidth } from '../../lines.ts';
import { drawnCharacters } from '../../text-input.ts';
import type { Theme } from '../../theme.ts';
import { wrapText } from '../../wrap-text.ts';
import type { AlertDraft } from './alert-draft.ts';
import { chosenOf, type FormField, textOf } from './form-fields.ts';
import type { FormState } from './form-state.ts';
import { thresholdWei } from './threshold-wei.ts';

export interface FormLinesContext {
  readonly form: FormState;
  readonly snapshot: SnapshotView;
  readonly width: number;
  readonly theme: Theme;
}

const LABEL = 11;
const MARGIN = 3;
const INDENT: Span = { text: ' '.repeat(MARGIN + LABEL) };
const MOST_PROBLEM_LINES = 3;

/** A field: its name, what stands in it, and beside that (or below, where there is no room) what is wrong with it. */
export function fieldLines(
  field: FormField,
  problem: string | null,
  context: FormLinesContext,
): readonly Line[] {
  const { form, width, theme } = context;
  const isHere = form.focus === field.id;
  const said = problem === null ? null : `${theme.glyph.warning} ${theme.text(problem)}`;
  const beside = said ?? theme.text(besideText(field, context));
  const head: Line = [
    isHere ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true } : { text: ' '.repeat(MARGIN) },
    { text: field.label.padEnd(LABEL), bold: isHere, faint: !isHere },
  ];
  const left = width - MARGIN - LABEL - 1;
  const reserved = beside === '' ? 0 : displayWidth(beside) + 3;
  const [own = EMPTY_LINE, ...more] = valueLines(field, isHere, left, reserved, context);
  const below = more.map((line): Line => [INDENT, ...line]);
  if (beside === '') return [[...head, ...own], ...below];
  const look: Pick<Span, 'color' | 'faint'> = said === null ? { faint: true } : { color: 'warn' };
  if (lineWidth(own) + reserved <= left && below.length === 0) {
    return [[...head, ...own, { text: '   ' }, { text: beside, ...look }]];
  }
  if (said === null) return [[...head, ...own], ...below];
  const words = wrapText(said, left, MOST_PROBLEM_LINES, theme.glyph.ellipsis);
  return [[...head, ...own], ...below, ...words.map((text): Line => [INDENT, { text, ...look }])];
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
  const threshold = thresholdWei(draft.threshold);
  const distance = distanceOf({ ...draft, threshold }, snapshot);
  const now = `now ${formatGwei(snapshot.lanes[lane].price)}`;
  return distance === null ? now : `${now}, ${distance.isThere ? 'it is there' : distanceWords(distance)}`;
}

/** What stands in a field; the choices of one with many take as many lines as they need. */
function valueLines(
  field: FormField,
  isHere: boolean,
  left: number,
  reserved: number,
  context: FormLinesContext,
): readonly Line[] {
  const { form, theme } = context;
  switch (field.kind) {
    case 'one': {
      const chosen = chosenOf(form.draft, field.id);
      const spans = field.choices.map(
        ({ value, label }): Line =>
          value === chosen
            ? [{ text: `[${theme.text(label)}]`, bold: true, ...(isHere ? { color: 'accent' } : {}) }]
            : [{ text: ` ${theme.text(label)} `, faint: true }],
      );
      return flowed(spans, left, '');
    }
    case 'many': {
      const spans = field.choices.map(({ value, label }, place): Line => {
        const isTicked = form.draft.channels.includes(value);
        const isMarked = isHere && place === form.at;
        const text = `[${isTicked ? 'x' : ' '}] ${theme.text(label)}`;
        return isMarked
          ? [{ text: `${theme.glyph.arrow}${text}`, color: 'accent', bold: true }]
          : [{ text: ` ${text}`, bold: isTicked }];
      });
      return flowed(spans, left, ' ');
    }
    case 'text': {
      const text = textOf(form.draft, field.id);
      const unit: Line = field.unit === '' ? [] : [{ text: ` ${field.unit}`, faint: true }];
      const own = Math.max(Math.max(left - reserved, Math.min(left, LEAST_TEXT)) - lineWidth(unit), 4);
      return [[...(isHere ? typedLine(text, form.at, own, theme) : shownLine(text, own, theme)), ...unit]];
    }
  }
}

const LEAST_TEXT = 24;

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

function shownLine(text: string, room: number, theme: Theme): Line {
  if (text === '') return [{ text: theme.glyph.unknown, faint: true }];
  const characters = drawnCharacters(text).map(theme.text);
  const shown = characters.join('');
  if (displayWidth(shown) <= room) return [{ text: shown }];
  return [{ text: windowOf(characters, 0, room - 1).join('') }, { text: theme.glyph.ellipsis }];
}

/** The text around the cursor, which stands under the character that the next one goes before. */
function typedLine(text: string, cursor: number, room: number, theme: Theme): Line {
  const characters = drawnCharacters(text).map(theme.text);
  const from = windowStart(characters, cursor, room - 2);
  const shown = windowOf(characters, from, room);
  const place = cursor - from;
  return [
    { text: shown.slice(0, place).join('') },
    { text: shown[place] || ' ', inverse: true },
    { text: shown.slice(place + 1).join('') },
  ];
}

/** The first character of which all up to the cursor fit into `room` columns. */
function windowStart(characters: readonly string[], cursor: number, room: number): number {
  let from = cursor;
  let used = 0;
  while (from > 0) {
    used += displayWidth(characters[from - 1] ?? '');
    if (used > room) break;
    from -= 1;
  }
  return from;
}

/** As many characters from `from` on as fit into `room` columns. */
function windowOf(characters: readonly string[], from: number, room: number): readonly string[] {
  let used = 0;
  let end = from;
  while (end < characters.length) {
    used += displayWidth(characters[end] ?? '');
    if (used > room) break;
    end += 1;
  }
  return characters.slice(from, end);
}
