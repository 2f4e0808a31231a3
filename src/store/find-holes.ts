import type { NumberRange } from './number-range.ts';
import type { Queries } from './schema.ts';

/** What lies within `range` and is not stored, ascending; some of it may be empty (`to` below `from`). */
export async function findHoles(db: Queries, range: NumberRange): Promise<NumberRange[]> {
  const edges = await db
    .selectFrom('blocks')
    .select((e) => [
      e.fn.min('number').as('lowest'),
      e.fn.max('number').as('highest'),
      e.fn.countAll().as('count'),
    ])
    .where('number', '>=', range.from)
    .where('number', '<=', range.to)
    .executeTakeFirst();
  if (edges === undefined || edges.lowest === null || edges.highest === null) return [range];
  const outer = [
    { from: range.from, to: Number(edges.lowest) - 1 },
    { from: Number(edges.highest) + 1, to: range.to },
  ];
  // The usual case, ten times cheaper to see than to search.
  if (Number(edges.count) === Number(edges.highest) - Number(edges.lowest) + 1) return outer;
  const inner = await db
    .selectFrom((e) =>
      e
        .selectFrom('blocks')
        .select((f) => [
          'number',
          f.fn
            .agg<number | null>('lead', ['number'])
            .over((o) => o.orderBy('number'))
            .as('next'),
        ])
        .where('number', '>=', range.from)
        .where('number', '<=', range.to)
        .as('neighbours'),
    )
    .select(['number', 'next'])
    .where((e) => e('next', '>', e('number', '+', 1)))
    .orderBy('number')
    .execute();
  const holesWithin = inner.map(({ number, next }) => ({ from: number + 1, to: (next ?? number) - 1 }));
  return outer.toSpliced(1, 0, ...holesWithin);
}
