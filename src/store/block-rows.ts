import { sql } from 'kysely';
import { type Block, type BlockTips, type Hex, TIP_PERCENTILES, type TipPercentile } from '../core/block.ts';
import { columns, integer, maybe, orNull, plain, wei } from './columns.ts';
import { pagesOf, type Queries } from './tables.ts';

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

const BLOCK = columns({
  number: ['number', plain<number>()],
  hash: ['hash', plain<Hex | null>()],
  parentHash: ['parent_hash', plain<Hex | null>()],
  // Interpolated times may fall between two seconds.
  timestamp: ['timestamp', { ...plain<number>(), write: Math.floor }],
  baseFeePerGas: ['base_fee', wei],
  gasUsed: ['gas_used', orNull(wei)],
  gasLimit: ['gas_limit', orNull(wei)],
  gasUsedRatio: ['gas_used_ratio', plain<number>()],
  blobBaseFee: ['blob_base_fee', orNull(wei)],
  nextBaseFee: ['next_base_fee', orNull(wei)],
  nextBlobBaseFee: ['next_blob_base_fee', orNull(wei)],
});

/** One block. Wei as integers up to 2^53−1, time in Unix seconds. */
export type BlockRow = ReturnType<typeof toBlockRow>;

export const toBlockRow = (block: Block) => ({
  ...BLOCK.write(block),
  ...tipColumns((_, place) => maybe(block.tips?.[place], integer)),
});

export const toBlock = (row: BlockRow): Block => ({ ...BLOCK.read(row), tips: toTipLadder(row) });

/** One column for each of `TIP_PERCENTILES`; all `null` when tips are unknown. */
export type TipColumns = Record<`tip_p${TipPercentile}`, number | null>;

const TIPS = TIP_PERCENTILES.map((percentile) => `tip_p${percentile}` as const);

export const tipColumns = (read: (column: keyof TipColumns, place: number) => number | null): TipColumns =>
  Object.fromEntries(TIPS.map((column, place) => [column, read(column, place)])) as TipColumns;

const toTipLadder = (row: TipColumns): BlockTips | null =>
  row.tip_p50 === null ? null : (TIPS.map((column) => BigInt(row[column] ?? 0)) as unknown as BlockTips);

/** Writes blocks, ascending, replacing those of the same numbers, and returns the replaced ones. */
export async function replaceBlocks(trx: Queries, rows: readonly BlockRow[]): Promise<Removed[]> {
  const replaced: Removed[] = [];
  // Writes before it reads: a transaction that starts with a read may find the database busy half-way.
  for (const { from, to } of joined(rows.map(({ number }) => ({ from: number, to: number + 1 }))))
    replaced.push(...(await removeBlocks(trx, { from, to: to - 1 })));
  for (const page of pagesOf(rows)) await trx.insertInto('blocks').values(page).execute();
  return replaced;
}

type Removed = Pick<BlockRow, 'number' | 'hash' | 'timestamp'>;

export const removeBlocks = (trx: Queries, { from, to }: NumberRange): Promise<Removed[]> =>
  trx
    .deleteFrom('blocks')
    .where('number', '>=', from)
    .where('number', '<=', to)
    .returning(['number', 'hash', 'timestamp'])
    .execute();

export function lowestFork(replaced: readonly Removed[], rows: readonly BlockRow[]): number | null {
  const hashes = new Map(rows.map(({ number, hash }) => [number, hash]));
  const forks = replaced.filter(({ number, hash }) => {
    const now = hashes.get(number) ?? null;
    return hash !== null && now !== null && hash !== now;
  });
  return forks.length === 0 ? null : Math.min(...forks.map(({ number }) => number));
}

/** Merges adjacent ranges (`to` exclusive), ascending, so that a page of blocks needs few statements. */
export function joined(parts: readonly NumberRange[]): NumberRange[] {
  const found: NumberRange[] = [];
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last === undefined || part.from > last.to) found.push(part);
    else found[found.length - 1] = { from: last.from, to: Math.max(last.to, part.to) };
  }
  return found;
}

/** Ranges within `range` that are not stored, ascending; some may be empty (`to` below `from`). */
export async function findHoles(db: Queries, range: NumberRange): Promise<NumberRange[]> {
  const stored = db.selectFrom('blocks').where('number', '>=', range.from).where('number', '<=', range.to);
  const { lowest, highest, count } = await stored
    .select((e) => [
      e.fn.min('number').as('lowest'),
      e.fn.max('number').as('highest'),
      e.fn.countAll().as('count'),
    ])
    .executeTakeFirstOrThrow();
  if (lowest === null || highest === null) return [range];
  const outer = [
    { from: range.from, to: Number(lowest) - 1 },
    { from: Number(highest) + 1, to: range.to },
  ];
  // The usual case, ten times cheaper to detect than a search.
  if (Number(count) === Number(highest) - Number(lowest) + 1) return outer;
  const next = sql<number>`lead(number, 1, number + 1) over (order by number)`;
  const inner = await db
    .selectFrom(stored.select(['number', next.as('next')]).as('neighbours'))
    .select(['number', 'next'])
    .where((e) => e('next', '>', e('number', '+', 1)))
    .orderBy('number')
    .execute();
  return outer.toSpliced(1, 0, ...inner.map(({ number, next }) => ({ from: number + 1, to: next - 1 })));
}
