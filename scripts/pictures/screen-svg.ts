import type { Cell } from '../../test/helpers/terminal.ts';
import { blockArea, isDrawn, linePath, type Stretch } from './box-shapes.ts';
import type { Palette } from './palette.ts';

/** A screen's rows of cells. */
export type Screen = readonly (readonly Cell[])[];

const CELL = { width: 8, height: 17 };
const MARGIN = 10;
const FONT = '13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace';
/** From the top of a row to the line that its letters stand on. */
const BASELINE = 13;

/** Cells of a row that look alike: all of them text, or all of them drawn. */
interface Run {
  readonly first: Cell;
  readonly column: number;
  readonly drawn: boolean;
  readonly cells: string[];
}

/**
 * The screen as a picture: its text as text, each stretch exactly as wide as its cells whatever font shows it, its
 * lines and blocks drawn. Nothing is loaded from elsewhere.
 * @throws where a cell has a colour that is not one of the terminal's sixteen.
 */
export function screenSvg(screen: Screen, palette: Palette, title: string): string {
  const { width, height } = sizeOf(screen);
  return svg({ width, height, title, sheet: sheet(palette), body: rowsOf(screen) });
}

export interface Page {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly sheet: string;
  readonly body: readonly string[];
  /** Height of a strip below the frame of the screen. */
  readonly strip?: number;
}

export function svg({ width, height, title, sheet, body, strip = 0 }: Page): string {
  const whole = height + strip;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${whole}" width="${width}" height="${whole}" role="img" aria-labelledby="t">`,
    `<title id="t">${escaped(title)}</title>`,
    `<style>${sheet}</style>`,
    `<rect class="frame" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    '<g xml:space="preserve">',
    ...body.filter((row) => row !== ''),
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

export const sizeOf = (screen: Screen) => ({
  width: Math.max(...screen.map((row) => row.length)) * CELL.width + 2 * MARGIN,
  height: screen.length * CELL.height + 2 * MARGIN,
});

/** The markup of each row; empty for a blank one. */
export const rowsOf = (screen: Screen): readonly string[] =>
  screen.map((row, index) =>
    runsOf(row)
      .map((run) => runMarkup(run, MARGIN + index * CELL.height))
      .join(''),
  );

/** Classes: `c0` to `c15` a colour, `n` the background's, `b` bold, `d` dim, `u` underlined, `k` a block, `g` drawn text. */
export function sheet({ background, foreground, border, dim, colors }: Palette): string {
  return [
    `svg{color:${foreground}}`,
    `.frame{fill:${background};stroke:${border}}`,
    `text{font:${FONT};fill:currentColor;white-space:pre}`,
    'rect{fill:currentColor}path{fill:none;stroke:currentColor;stroke-width:1.2}',
    `.k{stroke:none;fill:currentColor}.g{fill:none}.b{font-weight:700}.d{opacity:${dim}}.u{text-decoration:underline}`,
    `.n{color:${background}}`,
    ...colors.map((color, index) => `.c${index}{color:${color}}`),
  ].join('');
}

function runsOf(row: readonly Cell[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of row.entries()) {
    const text = cell.text === '' ? ' ' : cell.text;
    const drawn = isDrawn(text);
    const last = runs.at(-1);
    if (last !== undefined && last.drawn === drawn && looksLike(last.first, cell)) last.cells.push(text);
    else runs.push({ first: cell, column, drawn, cells: [text] });
  }
  return runs;
}

function looksLike(one: Cell, other: Cell): boolean {
  const { text: _, ...style } = one;
  return Object.entries(style).every(([name, value]) => other[name as keyof Cell] === value);
}

function runMarkup({ first, column, drawn, cells }: Run, y: number): string {
  const x = MARGIN + column * CELL.width;
  const ink = first.inverse ? (colorClass(first.background) ?? 'n') : colorClass(first.color);
  const ground = first.inverse ? (colorClass(first.color) ?? '') : colorClass(first.background);
  const field =
    ground === null
      ? ''
      : `<rect${classes(ground)} x="${x}" y="${y}" width="${cells.length * CELL.width}" height="${CELL.height}"/>`;
  const style = [ink ?? '', first.dim ? 'd' : ''];
  const shapes = drawn ? shapesOf(cells, x, y, style) : '';
  // Blanks at the ends have no ink; they would only make the picture larger.
  const from = cells.findIndex((cell) => cell !== ' ');
  if (from < 0) return field;
  const shown = cells.slice(from, cells.findLastIndex((cell) => cell !== ' ') + 1);
  const letters = [...style, first.bold ? 'b' : '', first.underline ? 'u' : ''];
  const at = `x="${x + from * CELL.width}" y="${y + BASELINE}"`;
  const width = `textLength="${shown.length * CELL.width}" lengthAdjust="spacingAndGlyphs"`;
  return `${field}${shapes}<text${classes(...(drawn ? ['g'] : letters))} ${at} ${width}>${escaped(shown.join(''))}</text>`;
}

function shapesOf(cells: readonly string[], x: number, y: number, style: readonly string[]): string {
  const lines: string[] = [];
  const blocks: string[] = [];
  for (const [character, from, count] of stretches(cells)) {
    const stretch: Stretch = { x: x + from * CELL.width, y, count };
    const line = linePath(character, stretch, CELL);
    if (line !== null) lines.push(line);
    const block = blockArea(character, stretch, CELL);
    if (block === null) continue;
    const opacity = block.opacity === 1 ? '' : ` fill-opacity="${block.opacity}"`;
    blocks.push(`<path${classes('k', ...style)}${opacity} d="${block.path}"/>`);
  }
  return `${lines.length === 0 ? '' : `<path${classes(...style)} d="${lines.join('')}"/>`}${blocks.join('')}`;
}

/** Each character that comes several times in a row, where it begins, and how often. */
function stretches(cells: readonly string[]): readonly (readonly [string, number, number])[] {
  const found: [string, number, number][] = [];
  for (const [index, character] of cells.entries()) {
    const last = found.at(-1);
    if (last?.[0] === character) last[2] += 1;
    else found.push([character, index, 1]);
  }
  return found;
}

function colorClass(color: Cell['color']): string | null {
  if (color === null) return null;
  if (color === 'rgb' || color > 15)
    throw new Error(`the screen has a colour that is no terminal's own: ${color}`);
  return `c${color}`;
}

function classes(...names: readonly string[]): string {
  const set = names.filter((name) => name !== '');
  return set.length === 0 ? '' : ` class="${set.join(' ')}"`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
