import stringWidth from 'string-width';

export interface Column<Row> {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cell: (row: Row) => string;
}

/** Lines of a plain table: a heading, then one line per row, two spaces between columns; wide characters take two columns. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const cells = columns.map((column) => [column.title, ...rows.map(column.cell)]);
  const padded = cells.map((texts, index) => {
    const widths = texts.map((text) => stringWidth(text));
    const widest = Math.max(...widths);
    const right = columns[index]?.align === 'right';
    return texts.map((text, line) => {
      const space = ' '.repeat(widest - (widths[line] ?? 0));
      return right ? space + text : text + space;
    });
  });
  return [undefined, ...rows].map((_row, line) =>
    padded
      .map((texts) => texts[line] ?? '')
      .join('  ')
      .trimEnd(),
  );
}
