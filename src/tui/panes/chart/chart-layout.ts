/** How the room of the pane is shared; rows and columns. */
export interface ChartLayout {
  readonly chartWidth: number;
  /** Columns of the figures at the right; 0 where there is no room. */
  readonly sideWidth: number;
  readonly baseRows: number;
  /** 0: the tips are drawn into the chart of the base fee. */
  readonly tipRows: number;
  /** 0: not shown. */
  readonly gasRows: number;
}

/** A name of 8 columns and two prices of 11, as those of some wei are, with what keeps them apart. */
const SIDE_WIDTH = 35;
const SIDE_FROM = 116;
/** Below this two charts would both be too flat to read. */
const TWO_CHARTS_FROM = 7;
const THREE_CHARTS_FROM = 26;

/**
 * Shares what title, captions, time labels and cursor line leave (`rows`). Base fee and tips are charts of their own
 * where possible: a tip of 2 gwei over a base fee of 0.05 would otherwise press one of them flat.
 */
export function chartLayout(width: number, rows: number, hasTips: boolean): ChartLayout {
  const sideWidth = width >= SIDE_FROM ? SIDE_WIDTH : 0;
  const chartWidth = width - sideWidth;
  const only = { chartWidth, sideWidth, baseRows: Math.max(rows, 1), tipRows: 0, gasRows: 0 };
  const gasRows = rows >= THREE_CHARTS_FROM ? Math.round((rows - 1) * 0.2) : 0;
  const left = gasRows > 0 ? rows - gasRows - 1 : rows;
  // One row goes to the caption of each chart after the first.
  if (!hasTips || left - 1 < TWO_CHARTS_FROM) return { ...only, baseRows: Math.max(left, 1), gasRows };
  const tipRows = Math.max(Math.round((left - 1) * 0.33), 2);
  return { ...only, baseRows: left - 1 - tipRows, tipRows, gasRows };
}
