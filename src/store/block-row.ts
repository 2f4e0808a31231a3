import type { Block, Hex, TipLadder } from '../core/block.ts';
import type { BlockRow } from './schema.ts';

export const BLOCK_COLUMNS = [
  'number',
  'hash',
  'parent_hash',
  'timestamp',
  'base_fee',
  'gas_used',
  'gas_limit',
  'gas_used_ratio',
  'blob_base_fee',
  'next_base_fee',
  'next_blob_base_fee',
  'tip_p10',
  'tip_p25',
  'tip_p50',
  'tip_p75',
  'tip_p90',
  'tip_p95',
  'tip_p99',
] as const satisfies readonly (keyof BlockRow)[];

const MAX_WEI = BigInt(Number.MAX_SAFE_INTEGER);

/** v1 carries wei as integers up to 2^53−1 (9 million gwei); a chain beyond that is kept at the limit. */
export const integer = (wei: bigint) => Number(wei > MAX_WEI ? MAX_WEI : wei);
const maybeInteger = (wei: bigint | null) => (wei === null ? null : integer(wei));
const maybeBig = (value: number | null) => (value === null ? null : BigInt(value));

export function toBlockRow(block: Block): BlockRow {
  const [p10, p25, p50, p75, p90, p95, p99] = block.tips?.map(integer) ?? [];
  return {
    number: block.number,
    hash: block.hash,
    parent_hash: block.parentHash,
    // Interpolated times may fall between two seconds.
    timestamp: Math.floor(block.timestamp),
    base_fee: integer(block.baseFeePerGas),
    gas_used: maybeInteger(block.gasUsed),
    gas_limit: maybeInteger(block.gasLimit),
    gas_used_ratio: block.gasUsedRatio,
    blob_base_fee: maybeInteger(block.blobBaseFee),
    next_base_fee: maybeInteger(block.nextBaseFee),
    next_blob_base_fee: maybeInteger(block.nextBlobBaseFee),
    tip_p10: p10 ?? null,
    tip_p25: p25 ?? null,
    tip_p50: p50 ?? null,
    tip_p75: p75 ?? null,
    tip_p90: p90 ?? null,
    tip_p95: p95 ?? null,
    tip_p99: p99 ?? null,
  };
}

export function toBlock(row: BlockRow): Block {
  return {
    number: row.number,
    hash: row.hash as Hex | null,
    parentHash: row.parent_hash as Hex | null,
    timestamp: row.timestamp,
    baseFeePerGas: BigInt(row.base_fee),
    gasUsed: maybeBig(row.gas_used),
    gasLimit: maybeBig(row.gas_limit),
    gasUsedRatio: row.gas_used_ratio,
    blobBaseFee: maybeBig(row.blob_base_fee),
    nextBaseFee: maybeBig(row.next_base_fee),
    nextBlobBaseFee: maybeBig(row.next_blob_base_fee),
    tips: toTips(row),
  };
}

function toTips(row: BlockRow): TipLadder | null {
  const { tip_p10, tip_p25, tip_p50, tip_p75, tip_p90, tip_p95, tip_p99 } = row;
  if (tip_p10 === null || tip_p25 === null || tip_p50 === null || tip_p75 === null) return null;
  if (tip_p90 === null || tip_p95 === null || tip_p99 === null) return null;
  return [
    BigInt(tip_p10),
    BigInt(tip_p25),
    BigInt(tip_p50),
    BigInt(tip_p75),
    BigInt(tip_p90),
    BigInt(tip_p95),
    BigInt(tip_p99),
  ];
}
