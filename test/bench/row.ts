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
  readonly aim: string;
}

const HEAD = ['measure', 'gastop', 'against', 'ratio', 'spread', 'aim'] as const;

export function formatTable(rows: readonly Row[]): string {
  const cells = [
    [...HEAD],
    ...rows.map((row) => [row.measure, row.gastop, row.yardstick, row.ratio.toFixed(2), row.spread, row.aim]),
  ];
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
