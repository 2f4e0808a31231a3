export interface Column<Row> {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cell: (row: Row) => string;
}

/** Lines of a plain table: a heading, then one line per row, two spaces between columns. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const cells = columns.map((column) => [column.title, ...rows.map(column.cell)]);
  const padded = cells.map((texts, index) => {
    const width = Math.max(...texts.map((text) => text.length));
    const right = columns[index]?.align === 'right';
    return texts.map((text) => (right ? text.padStart(width) : text.padEnd(width)));
  });
  return [undefined, ...rows].map((_row, line) =>
    padded
      .map((texts) => texts[line] ?? '')
      .join('  ')
      .trimEnd(),
  );
}
