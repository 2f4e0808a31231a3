import type { Block, BlockTips, Hex } from '../core/block.ts';
import { maybe } from './columns.ts';
import { pagesOf, type Queries } from './tables.ts';

export interface NumberRange {
  /** Inclusive. */
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

const MAX_WEI = BigInt(Number.MAX_SAFE_INTEGER);

/** The API has wei as integers up to 2^53−1 (9 million gwei); a larger value is stored as that limit. */
export const integer = (wei: bigint) => Number(wei > MAX_WEI ? MAX_WEI : wei);

/** One block. Wei as integers up to 2^53−1, time in Unix seconds. */
export type BlockRow = ReturnType<typeof toBlockRow>;

export function toBlockRow(block: Block) {
  return {
    number: block.number,
    hash: maybe(block.hash, String),
    parent_hash: maybe(block.parentHash, String),
    // Interpolated times may fall between two seconds.
    timestamp: Math.floor(block.timestamp),
    base_fee: integer(block.baseFeePerGas),
    gas_used: maybe(block.gasUsed, integer),
    gas_limit: maybe(block.gasLimit, integer),
    gas_used_ratio: block.gasUsedRatio,
    blob_base_fee: maybe(block.blobBaseFee, integer),
    next_base_fee: maybe(block.nextBaseFee, integer),
    next_blob_base_fee: maybe(block.nextBlobBaseFee, integer),
    ...tipColumns(block.tips?.map(integer) ?? null),
  };
}

export function toBlock(row: BlockRow): Block {
  return {
    number: row.number,
    hash: row.hash as Hex | null,
    parentHash: row.parent_hash as Hex | null,
    timestamp: row.timestamp,
    baseFeePerGas: BigInt(row.base_fee),
    gasUsed: maybe(row.gas_used, BigInt),
    gasLimit: maybe(row.gas_limit, BigInt),
    gasUsedRatio: row.gas_used_ratio,
    blobBaseFee: maybe(row.blob_base_fee, BigInt),
    nextBaseFee: maybe(row.next_base_fee, BigInt),
    nextBlobBaseFee: maybe(row.next_blob_base_fee, BigInt),
    tips: toTipLadder(row),
  };
}

type TipColumns = Record<`tip_p${10 | 25 | 50 | 75 | 90 | 95 | 99}`, number | null>;

/** The columns of tips in the order of `TIP_PERCENTILES`; all `null` when they are unknown. */
export function tipColumns(tips: readonly number[] | null): TipColumns {
  const [p10 = null, p25 = null, p50 = null, p75 = null, p90 = null, p95 = null, p99 = null] = tips ?? [];
  return { tip_p10: p10, tip_p25: p25, tip_p50: p50, tip_p75: p75, tip_p90: p90, tip_p95: p95, tip_p99: p99 };
}

/** The tips of a row in the order of `TIP_PERCENTILES`; `null` when they are unknown. */
export function tipsOf(row: TipColumns) {
  const { tip_p10, tip_p25, tip_p50, tip_p75, tip_p90, tip_p95, tip_p99 } = row;
  if (tip_p10 === null || tip_p25 === null || tip_p50 === null || tip_p75 === null) return null;
  if (tip_p90 === null || tip_p95 === null || tip_p99 === null) return null;
  return [tip_p10, tip_p25, tip_p50, tip_p75, tip_p90, tip_p95, tip_p99] as const;
}

function toTipLadder(row: TipColumns): BlockTips | null {
  const tips = tipsOf(row);
  if (tips === null) return null;
  const [p10, p25, p50, p75, p90, p95, p99] = tips;
  return [BigInt(p10), BigInt(p25), BigInt(p50), BigInt(p75), BigInt(p90), BigInt(p95), BigInt(p99)];
}

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

/** The lowest block that was replaced by another one: a reorg that was not stored when it happened. */
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
  // The usual case, ten times cheaper to detect than a search.
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
