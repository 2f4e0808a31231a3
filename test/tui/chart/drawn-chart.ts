const AXIS = /^(.*?) ?([┤┼│])(.*)$/;
/** The dots of a braille character by their bits: column, and row from above. */
const DOT_ROWS = [0, 1, 2, 0, 1, 2, 3, 3] as const;

/** What a reader takes from a drawn chart: its labels, and between them the scale that they tell. */
export function readChart(lines: readonly string[], axis: 'linear' | 'log') {
  const plot = lines.flatMap((line) => {
    const [, label = '', tick, drawn = ''] = AXIS.exec(line) ?? [];
    return tick === undefined ? [] : [{ label: label.trim().replaceAll(',', ''), drawn: [...drawn] }];
  });
  const labelled = plot.flatMap(({ label }, row) => {
    const value = Number.parseFloat(label);
    return label === '' || (axis === 'log' && value === 0) ? [] : [{ row, value }];
  });
  const [top, bottom] = [labelled[0], labelled.at(-1)];
  if (top === undefined || bottom === undefined || top === bottom)
    throw new Error('too few labels to read by');
  const of = axis === 'log' ? Math.log : (value: number) => value;
  const back = axis === 'log' ? Math.exp : (value: number) => value;
  const perRow = (of(top.value) - of(bottom.value)) / (bottom.row - top.row);
  const rows = plot.map(({ drawn }) => drawn);
  return {
    rows,
    /** The value of a row, counted from above, with its fraction. */
    valueAt: (row: number) => back(of(bottom.value) + (bottom.row - row) * perRow),
    rowOf: (value: number) => bottom.row - (of(Math.max(value, 0)) - of(bottom.value)) / perRow,
    /** Where the line is in a column: the middle of its only character, or of its dots; `null` at a step. */
    lineAt: (column: number): number | null => {
      const places = rows.flatMap((row, y) => dotsOf(row[column] ?? ' ').map((dot) => y + dot));
      const [first, last] = [places[0], places.at(-1)];
      return first === undefined || last === undefined || last - first > 0.3 ? null : (first + last) / 2;
    },
    /** The rows in which something is drawn in the columns that are taken. */
    rowsUsed: (takes: (column: number) => boolean) =>
      rows.filter((row) => row.some((glyph, column) => glyph !== ' ' && takes(column))).length,
  };
}

/** The rows of what a character draws of a line, from its middle; none for the range around it. */
function dotsOf(glyph: string): readonly number[] {
  const bits = (glyph.codePointAt(0) ?? 0) - 0x28_00;
  if (bits > 0 && bits < 0x1_00)
    return DOT_ROWS.flatMap((row, bit) => ((bits >> bit) & 1 ? [(row - 1.5) / 4] : []));
  return '─╌┈'.includes(glyph) ? [0] : '╭╮╰╯│'.includes(glyph) ? [-0.5, 0.5] : [];
}
