import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';
import { isRecord } from './json.ts';

/**
 * Reads the rows of a list. A row that lacks what it needs is left out, so that one hole does not cost the whole
 * picture; if that leaves nothing of a list that had rows, the first row's failure is the answer's.
 */
export function readRows<Row>(
  answer: Answer,
  rows: readonly unknown[],
  path: string,
  read: (fields: Fields) => Row,
): Row[] {
  const { kept, failure } = readSoundRows(answer, rows, path, read);
  if (kept.length === 0 && failure !== null) throw failure.error;
  return kept;
}

export interface SoundRows<Row> {
  readonly kept: Row[];
  /** How many could not be read. */
  readonly unreadable: number;
  /** Of the first of those. */
  readonly failure: { readonly error: unknown } | null;
}

/** The same for who wants to know what was left out. */
export function readSoundRows<Row>(
  answer: Answer,
  rows: readonly unknown[],
  path: string,
  read: (fields: Fields) => Row,
): SoundRows<Row> {
  const kept: Row[] = [];
  let failure: SoundRows<Row>['failure'] = null;
  for (const [index, row] of rows.entries()) {
    try {
      if (!isRecord(row)) throw answer.unreadable(`${path}[${index}]`, row);
      kept.push(read(new Fields(answer, row, `${path}[${index}]`)));
    } catch (error) {
      failure ??= { error };
    }
  }
  return { kept, unreadable: rows.length - kept.length, failure };
}
