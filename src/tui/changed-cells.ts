import { plainWidth } from './components/plain-width.ts';
import { type Look, lookAfter, STYLE } from './looks.ts';

/** A line as it stands on the screen: one character and one look for each column. */
interface Cells {
  readonly text: string;
  readonly looks: readonly Look[];
}

/** Cells that stayed the same are written again where that takes fewer bytes than passing over them. */
const NEAR = 8;
/** Lines whose cells are kept: those of the last frames. */
const KEPT = 200;

const known = new Map<string, Cells | null>();

/**
 * What has to be written to turn one line on the screen into another: only the cells that differ. Ink by itself writes
 * the whole line again from the first of them, which is most of a table whose first price has changed.
 *
 * @param columns of the terminal
 * @returns `null` where a character is not one column wide, or a style is none of ours
 */
export function changedCells(previous: string, next: string, columns: number): string | null {
  const [before, after] = [cellsOf(previous), cellsOf(next)];
  if (before === null || after === null) return null;
  if (!(before.text.length <= columns && after.text.length <= columns)) return null;
  const { text, looks } = after;
  let written = '';
  for (let from = nextChange(before, after, 0); from < text.length; ) {
    let to = from + 1;
    let change = nextChange(before, after, to);
    while (change < text.length && change - to < NEAR) {
      to = change + 1;
      change = nextChange(before, after, to);
    }
    written += `\x1b[${from + 1}G${styled(text, looks, from, to)}`;
    from = change;
  }
  return text.length < before.text.length ? `${written}\x1b[${text.length + 1}G\x1b[K` : written;
}

/** The first column from `from` on that looks otherwise; the end of the line where none does. */
function nextChange(before: Cells, after: Cells, from: number): number {
  const { text, looks } = after;
  let at = from;
  while (
    at < text.length &&
    text[at] === (before.text[at] ?? ' ') &&
    (looks[at] ?? '') === (before.looks[at] ?? '')
  ) {
    at += 1;
  }
  return at;
}

function styled(text: string, looks: readonly Look[], from: number, to: number): string {
  let written = '';
  let open: Look = '';
  for (let at = from; at < to; at++) {
    const look = looks[at] ?? '';
    if (look !== open) {
      if (open !== '') written += '\x1b[0m';
      if (look !== '') written += `\x1b[${look}m`;
      open = look;
    }
    written += text[at];
  }
  return open === '' ? written : `${written}\x1b[0m`;
}

function cellsOf(line: string): Cells | null {
  let cells = known.get(line);
  if (cells === undefined) {
    cells = readCells(line);
    if (known.size >= KEPT) known.clear();
    known.set(line, cells);
  }
  return cells;
}

function readCells(line: string): Cells | null {
  const looks: Look[] = [];
  let text = '';
  let look: Look = '';
  let end = 0;
  const take = (to: number) => {
    text += line.slice(end, to);
    while (looks.length < text.length) looks.push(look);
  };
  for (const { 0: code, 1: parameters = '', index } of line.matchAll(STYLE)) {
    take(index);
    end = index + code.length;
    const changed = lookAfter(look, parameters);
    if (changed === null) return null;
    look = changed;
  }
  take(line.length);
  return plainWidth(text) === null ? null : { text, looks };
}
