/** Wide enough for a label, narrow enough that a 66-character hash beside it ends at the 80th column. */
const LABEL_WIDTH = 14;
/** Columns beside a label. */
export const VALUE_WIDTH = 66;

/** A label and what stands beside it; `null` leaves the line out. */
export type Labelled = readonly [label: string, value: string | null];

/** Lines of `label  value`, the values in one column; a value of several lines stays in it. */
export function labelledLines(rows: readonly Labelled[]): string[] {
  return rows.flatMap(([label, value]) => {
    if (value === null) return [];
    return value.split('\n').map((line, index) => (index === 0 ? label : '').padEnd(LABEL_WIDTH) + line);
  });
}

/** Joins `parts` by two spaces into as few lines as fit beside a label. */
export function wrapped(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 2 <= VALUE_WIDTH) {
      lines[lines.length - 1] = `${last}  ${part}`;
    } else {
      lines.push(part);
    }
  }
  return lines.join('\n');
}
