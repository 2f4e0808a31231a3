import { type Block, blockTips, type Hex, TIP_PERCENTILES, type TipPercentile } from '../core/block.ts';
import { columns, integer, maybeCell, orNull, plainCell, wei } from './columns.ts';
import type { Queries } from './tables.ts';

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

const BLOCK = columns({
  number: ['number', plainCell<number>()],
  hash: ['hash', plainCell<Hex | null>()],
  parentHash: ['parent_hash', plainCell<Hex | null>()],
  // Interpolated times may fall between two seconds.
  timestamp: ['timestamp', { ...plainCell<number>(), write: Math.floor }],
  baseFeePerGas: ['base_fee', wei],
  gasUsed: ['gas_used', orNull(wei)],
  gasLimit: ['gas_limit', orNull(wei)],
  gasUsedRatio: ['gas_used_ratio', plainCell<number>()],
  blobBaseFee: ['blob_base_fee', orNull(wei)],
  nextBaseFee: ['next_base_fee', orNull(wei)],
  nextBlobBaseFee: ['next_blob_base_fee', orNull(wei)],
  suggestedTip: ['suggested_tip', orNull(wei)],
});

/** One block. Wei as integers up to 2^53−1, time in Unix seconds. */
export type BlockRow = ReturnType<typeof toBlockRow>;

export const toBlockRow = (block: Block) => ({
  ...BLOCK.write({ ...block, suggestedTip: block.suggestedTip ?? null }),
  ...tipColumns((_, place) => maybeCell(block.tips?.[place], integer)),
});

export function toBlock(row: BlockRow): Block {
  const { suggestedTip, ...block } = BLOCK.read(row);
  return { ...block, tips: tipsOf(row), ...(suggestedTip !== null && { suggestedTip }) };
}

/** The newest stored block, or the newest up to a number. */
export async function newestBlock(db: Queries, upTo = Number.MAX_SAFE_INTEGER) {
  const blocks = db.selectFrom('blocks').select(['number', 'timestamp']).where('number', '<=', upTo);
  return (await blocks.orderBy('number', 'desc').limit(1).executeTakeFirst()) ?? null;
}

/** One column for each of `TIP_PERCENTILES`; `null`: unknown. */
type TipColumns = Record<`tip_p${TipPercentile}`, number | null>;

const TIPS = TIP_PERCENTILES.map((percentile) => `tip_p${percentile}` as const);

export const tipColumns = (read: (column: keyof TipColumns, place: number) => number | null): TipColumns =>
  Object.fromEntries(TIPS.map((column, place) => [column, read(column, place)])) as TipColumns;

const tipsOf = (row: TipColumns) =>
  blockTips(
    TIPS.map((column) => {
      const tip = row[column];
      return tip === null ? null : BigInt(tip);
    }),
  );
