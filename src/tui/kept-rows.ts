import { plainRow } from './plain-row.ts';

/** What a text may be drawn on: columns and rows from `1` on and before `2`; a side that is absent is open. */
export interface Clip {
  readonly x1?: number | undefined;
  readonly x2?: number | undefined;
  readonly y1?: number | undefined;
  readonly y2?: number | undefined;
}

export interface Write {
  readonly type: 'write';
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** What paints each of its lines. */
  readonly transformers: readonly ((line: string, place: number) => string)[];
}

/** What Ink notes while it walks over a laid-out tree. */
export type Operation = Write | { readonly type: 'clip'; readonly clip: Clip } | { readonly type: 'unclip' };

/** A text with what it is clipped to. */
export interface ClippedWrite {
  readonly write: Write;
  readonly clip: Clip | undefined;
}

/** How Ink makes the rows of a frame out of what is written on them. */
export interface RowDrawer {
  readonly intersect: (outer: Clip | undefined, inner: Clip) => Clip;
  /** The rows `places` of the frame, in this order; what is written outside of them is not drawn. */
  readonly draw: (writes: readonly ClippedWrite[], places: readonly number[]) => readonly string[];
}

/**
 * The rows of the last frame, so that the next one is drawn only where something else is written. Ink by itself takes
 * every cell of every frame apart and puts it together again, which costs more than all else that an update does.
 */
export class KeptRows {
  #width = 0;
  #written: readonly (readonly ClippedWrite[])[] = [];
  #rows: readonly string[] = [];

  /** The rows of the next frame, `width` × `height` cells. */
  next(
    width: number,
    height: number,
    operations: readonly Operation[],
    { intersect, draw }: RowDrawer,
  ): readonly string[] {
    const writes = clipped(operations, intersect);
    const written = byRow(writes, height);
    const changed = written.flatMap((row, place) =>
      width === this.#width && isSame(row, this.#written[place]) ? [] : [place],
    );
    const rows = written.map((_, place) => this.#rows[place] ?? '');
    const intricate = changed.filter((place) => {
      const row = plainRow(written[place] ?? [], place, width);
      if (row !== null) rows[place] = row;
      return row === null;
    });
    const isIntricate = new Set(intricate.flatMap((place) => written[place] ?? []));
    const drawn = draw(
      writes.filter((write) => isIntricate.has(write)),
      intricate,
    );
    for (const [index, place] of intricate.entries()) rows[place] = drawn[index] ?? '';
    this.#width = width;
    this.#written = written;
    this.#rows = rows;
    return rows;
  }
}

function clipped(operations: readonly Operation[], intersect: RowDrawer['intersect']): ClippedWrite[] {
  const clips: Clip[] = [];
  const writes: ClippedWrite[] = [];
  for (const operation of operations) {
    if (operation.type === 'clip') clips.push(intersect(clips.at(-1), operation.clip));
    else if (operation.type === 'unclip') clips.pop();
    else writes.push({ write: operation, clip: clips.at(-1) });
  }
  return writes;
}

function byRow(writes: readonly ClippedWrite[], height: number): readonly ClippedWrite[][] {
  const rows = Array.from({ length: height }, (): ClippedWrite[] => []);
  for (const each of writes) {
    const { y, text } = each.write;
    rows[y]?.push(each);
    for (let at = text.indexOf('\n'), row = y + 1; at !== -1; at = text.indexOf('\n', at + 1), row++) {
      rows[row]?.push(each);
    }
  }
  return rows;
}

function isSame(row: readonly ClippedWrite[], last: readonly ClippedWrite[] | undefined): boolean {
  if (last?.length !== row.length) return false;
  return row.every((each, place) => {
    const other = last[place];
    return other !== undefined && isSameWrite(each.write, other.write) && isSameClip(each.clip, other.clip);
  });
}

function isSameWrite(one: Write, other: Write): boolean {
  return (
    one.x === other.x &&
    one.y === other.y &&
    one.text === other.text &&
    one.transformers.length === other.transformers.length &&
    one.transformers.every((transformer, place) => transformer === other.transformers[place])
  );
}

function isSameClip(one: Clip | undefined, other: Clip | undefined): boolean {
  return one?.x1 === other?.x1 && one?.x2 === other?.x2 && one?.y1 === other?.y1 && one?.y2 === other?.y2;
}
