/** The columns of a table by heading; a cell that is not known is empty. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => string | number | null | undefined>>;

/** Comma-separated (RFC 4180). A service's text may contain commas, or begin like a spreadsheet formula. */
export function csvText<Row>(columns: CsvColumns<Row>, rows: readonly Row[], withHeading = true): string {
  const cells = Object.values(columns);
  const lines = rows.map((row) => cells.map((cell) => csvCell(cell(row) ?? '')).join(','));
  const all = withHeading ? [Object.keys(columns).join(','), ...lines] : lines;
  return all.map((line) => `${line}\n`).join('');
}

function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
