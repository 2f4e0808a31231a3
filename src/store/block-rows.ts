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

/** Writes blocks, replacing those of the same numbers, and returns the replaced ones. */
export async function replaceBlocks(trx: Queries, rows: readonly BlockRow[]): Promise<Removed[]> {
  const replaced: Removed[] = [];
  // Writes before it reads: a transaction that starts with a read may find the database busy half-way.
  for (const page of pagesOf(rows)) {
    const numbers = page.map(({ number }) => number);
    const same = trx.deleteFrom('blocks').where('number', 'in', numbers);
    replaced.push(...(await same.returning(['number', 'hash', 'timestamp']).execute()));
    await trx.insertInto('blocks').values(page).execute();
  }
  return replaced;
}

type Removed = Pick<BlockRow, 'number' | 'hash' | 'timestamp'>;

export function lowestFork(replaced: readonly Removed[], rows: readonly BlockRow[]): number | null {
  const hashes = new Map(rows.map(({ number, hash }) => [number, hash]));
  const forks = replaced.flatMap(({ number, hash }) => {
    const now = hashes.get(number) ?? null;
    return hash !== null && now !== null && hash !== now ? [number] : [];
  });
  return forks.length === 0 ? null : Math.min(...forks);
}
