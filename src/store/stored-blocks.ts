import { BulkInsert } from './bulk-insert.ts';
import type { NumberRange } from './number-range.ts';
import { prepared, type Slots } from './prepared.ts';
import type { BlockRow, Queries } from './schema.ts';

const inserts = new BulkInsert<BlockRow>((db, rows) => db.insertInto('blocks').values(rows).compile());

/** Writes blocks, ascending, in place of those of the same numbers, and answers these. */
export async function replaceBlocks(trx: Queries, rows: readonly BlockRow[]): Promise<Removed[]> {
  const replaced: Removed[] = [];
  // Written before read: a transaction that starts with a read may find the database busy half-way.
  for (const range of consecutive(rows)) replaced.push(...(await removeBlocks(trx, range)));
  await inserts.run(trx, rows);
  return replaced;
}

/** A block that was there. */
export type Removed = Pick<BlockRow, 'number' | 'hash' | 'timestamp'>;

export const removeBlocks = prepared((db, slot: Slots<NumberRange>) =>
  db
    .deleteFrom('blocks')
    .where('number', '>=', slot('from'))
    .where('number', '<=', slot('to'))
    .returning(['number', 'hash', 'timestamp']),
);

/** The lowest block that others stand in for: a reorg that could not be written when it came. */
export function lowestFork(replaced: readonly Removed[], rows: readonly BlockRow[]): number | null {
  const hashes = new Map(rows.map(({ number, hash }) => [number, hash]));
  const forks = replaced.filter(({ number, hash }) => {
    const now = hashes.get(number) ?? null;
    return hash !== null && now !== null && hash !== now;
  });
  return forks.length === 0 ? null : Math.min(...forks.map(({ number }) => number));
}

function consecutive(rows: readonly BlockRow[]): NumberRange[] {
  const ranges: NumberRange[] = [];
  for (const { number } of rows) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to + 1 === number)
      ranges[ranges.length - 1] = { from: last.from, to: number };
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}
