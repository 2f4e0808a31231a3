/** One line of the table: a measure of gastop beside its yardstick, both taken in this run. */
export interface Row {
  readonly measure: string;
  readonly gastop: string;
  /** What it is measured against, with its value. */
  readonly yardstick: string;
  /** Median of the runs. */
  readonly ratio: number;
  /** Lowest and highest ratio of the runs, and how many there were. */
  readonly spread: string;
  /** What it must keep to, all of it; none: nobody has set a budget. */
  readonly budget: readonly Limit[];
}

/** A limit on the row's ratio, or on `figure` where the budget is in a unit of its own. */
export type Limit = ({ readonly atMost: number } | { readonly atLeast: number }) & {
  readonly figure?: Figure;
};

interface Figure {
  readonly value: number;
  readonly unit: string;
}

/** `–` where there is no budget. */
export type Verdict = 'within' | 'over' | '–';

export function verdict({ ratio, budget }: Row): Verdict {
  if (budget.length === 0) return '–';
  return budget.every((limit) => keeps(limit, limit.figure?.value ?? ratio)) ? 'within' : 'over';
}

/** A figure that could not be measured keeps to nothing. */
function keeps(limit: Limit, value: number): boolean {
  return 'atMost' in limit ? value <= limit.atMost : value >= limit.atLeast;
}

/** `≤ 1.3×`, `≤ 1500 B, ≤ 0 full clears`, `none` */
export function budgetText({ budget }: Row): string {
  if (budget.length === 0) return 'none';
  return budget
    .map((limit) => {
      const bound = 'atMost' in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`;
      return limit.figure === undefined ? `${bound}×` : `${bound} ${limit.figure.unit}`;
    })
    .join(', ');
}

/** Rows with a budget first; otherwise the order stays. */
export function budgetsFirst(rows: readonly Row[]): Row[] {
  const has = (row: Row) => row.budget.length > 0;
  return [...rows.filter(has), ...rows.filter((row) => !has(row))];
}

export const HEAD = ['measure', 'gastop', 'against', 'ratio', 'spread', 'budget', 'met'] as const;

/** What a row says under {@link HEAD}. */
export function cellsOf(row: Row): readonly string[] {
  return [
    row.measure,
    row.gastop,
    row.yardstick,
    row.ratio.toFixed(2),
    row.spread,
    budgetText(row),
    verdict(row),
  ];
}

export function formatTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [head = '', ...body] = lines;
  return [head, '─'.repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...body].join('\n');
}
