import { plainWidth } from './components/plain-width.ts';
import type { Clip, ClippedWrite } from './kept-rows.ts';
import { type Look, lookAfter, STYLE } from './looks.ts';

interface Piece {
  readonly x: number;
  readonly width: number;
  readonly text: string;
}

const NOTHING: Piece = { x: 0, width: 0, text: '' };
/** Texts of several lines that are kept, taken apart: the frames of boxes. */
const KEPT = 100;

const kept = new Map<string, readonly string[] | null>();

/**
 * A row of `width` cells as its pieces side by side. Ink takes each of them apart into cells, which makes most of the
 * garbage of a frame, and is needed only where they lie upon each other, are cut off, or are of wide characters.
 *
 * @param place of the row in the frame
 * @returns `null` where it is
 */
export function plainRow(written: readonly ClippedWrite[], place: number, width: number): string | null {
  const pieces: Piece[] = [];
  for (const each of written) {
    const piece = pieceOf(each, place);
    if (piece === null) return null;
    if (piece.width > 0) pieces.push(piece);
  }
  pieces.sort((one, other) => one.x - other.x);
  let row = '';
  let end = 0;
  for (const piece of pieces) {
    if (piece.x < end || piece.x + piece.width > width) return null;
    row += ' '.repeat(piece.x - end) + piece.text;
    end = piece.x + piece.width;
  }
  return row.trimEnd();
}

function pieceOf({ write, clip }: ClippedWrite, place: number): Piece | null {
  const { x, y, transformers } = write;
  if (clip !== undefined && isHidden(clip, place)) return NOTHING;
  const line = linesOf(write.text)?.[place - y];
  const lineWidth = line === undefined ? null : widthOf(line);
  if (line === undefined || lineWidth === null) return null;
  if (clip?.x1 !== undefined && clip.x2 !== undefined && (x < clip.x1 || x + lineWidth > clip.x2))
    return null;
  if (transformers.length === 0) return { x, width: lineWidth, text: line };
  let text = line;
  for (const transform of transformers) text = transform(text, place - y);
  const width = widthOf(text);
  return width === null ? null : { x, width, text };
}

/** As Ink has it, a clip that is open at one side does not clip in that direction, unless it leaves nothing at all. */
function isHidden({ x1, x2, y1, y2 }: Clip, place: number): boolean {
  if (x1 !== undefined && x2 !== undefined && x1 >= x2) return true;
  return y1 !== undefined && y2 !== undefined && (place < y1 || place >= y2);
}

/** `null` where a look goes on from one line to the next. */
function linesOf(text: string): readonly string[] | null {
  if (!text.includes('\n')) return [text];
  let lines = kept.get(text);
  if (lines === undefined) {
    const all = text.split('\n');
    lines = all.every((line) => widthOf(line) !== null) ? all : null;
    if (kept.size >= KEPT) kept.clear();
    kept.set(text, lines);
  }
  return lines;
}

/** `null` where a character is not one column wide, a style is none of ours, or a look is left on. */
function widthOf(text: string): number | null {
  if (!text.includes('\x1b')) return plainWidth(text);
  let look: Look | null = '';
  const plain = text.replace(STYLE, (_, code: string) => {
    look = look === null ? null : lookAfter(look, code);
    return '';
  });
  return look === '' ? plainWidth(plain) : null;
}
