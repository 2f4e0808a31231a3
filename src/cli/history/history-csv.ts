import type { HistoryRow } from './history-rows.ts';

const HEADING = [
  'time',
  'block_number',
  'base_fee_open_wei',
  'base_fee_min_wei',
  'base_fee_mean_wei',
  'base_fee_max_wei',
  'base_fee_close_wei',
  'tip_p50_wei',
  'gas_used_ratio',
].join(',');

/** History as CSV (RFC 4180 without quotes: every cell is a number or a time); unknown cells are empty. */
export function historyCsv(rows: readonly HistoryRow[]): string {
  const lines = rows.map((row) =>
    [
      new Date(row.timestamp).toISOString(),
      row.blockNumber ?? '',
      ...[row.open, row.min, row.mean, row.max, row.close, row.tip].map(wholeWei),
      row.gasUsedRatio ?? '',
    ].join(','),
  );
  return `${[HEADING, ...lines].join('\n')}\n`;
}

function wholeWei(wei: number | null): string {
  return wei === null ? '' : BigInt(Math.round(wei)).toString();
}
