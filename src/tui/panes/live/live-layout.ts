/** How the Live pane shares out its rows. */
export interface LiveLayout {
  readonly factLines: number;
  readonly reasonLines: number;
  /** Rows of the side tables with their heading and the gap above; 0: not shown. */
  readonly sideRows: number;
  /** Rows of the chart with its legend; 0: not shown. */
  readonly chartRows: number;
  /** An empty line between the parts. */
  readonly airy: boolean;
}

const TABLE_ROWS = 6;
/** One line of advice, one of the day's range. */
const FIXED_ROWS = TABLE_ROWS + 2;
const LEAST_CHART = 4;

/**
 * @param rows rows of the pane
 * @param wanted what there is to show: reasons, rows of the longer side table (both tables if they stand one over
 * the other), and how many lines all facts take
 */
export function liveLayout(
  rows: number,
  wanted: { readonly factLines: number; readonly reasons: number; readonly sideRows: number },
): LiveLayout {
  const airy = rows >= 30;
  let left = rows - FIXED_ROWS - (airy ? 3 : 0);
  const take = (count: number) => {
    left -= count;
    return count;
  };
  // Facts are worth more than a chart, a chart of four rows more than reasons, reasons more than a tall chart.
  const factLines = take(Math.min(wanted.factLines, rows >= 18 ? 3 : left >= LEAST_CHART + 2 ? 2 : 1));
  const chart = left >= LEAST_CHART ? take(LEAST_CHART) : 0;
  const reasonLines = rows >= 20 ? take(Math.min(wanted.reasons, airy ? 4 : 1, left)) : 0;
  const side = wanted.sideRows === 0 ? 0 : wanted.sideRows + 2;
  const sideRows = left - side >= (airy ? 6 : 4) ? take(side) : 0;
  return { factLines, reasonLines, sideRows, chartRows: chart === 0 ? 0 : chart + left, airy };
}
