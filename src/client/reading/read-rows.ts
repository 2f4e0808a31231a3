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
  const kept: Row[] = [];
  let first: unknown;
  for (const [index, row] of rows.entries()) {
    try {
      if (!isRecord(row)) throw answer.unreadable(`${path}[${index}]`, row);
      kept.push(read(new Fields(answer, row, `${path}[${index}]`)));
    } catch (error) {
      first ??= error;
    }
  }
  if (kept.length === 0 && first !== undefined) throw first;
  return kept;
}
