import { Box, Text } from 'ink';
import { type Line, placed, SegmentLine, Words } from './text.tsx';
import { type ColorName, type Theme, useTheme } from './theme.ts';

/** Cheapest quarter of the cells, the next, … : 0 to 3; `null` where nothing is known. */
type Level = 0 | 1 | 2 | 3;

interface HeatmapLevels {
  readonly cells: readonly (readonly (Level | null)[])[];
  /** Highest value of levels 0, 1 and 2, and of all; `null`: no cell is known. */
  readonly bounds: readonly [number, number, number, number] | null;
}

/** Sorts cells into quarters, so that one dear hour does not make all others look cheap. Equal values share a level. */
function heatmapLevels(cells: readonly (readonly (number | null)[])[]): HeatmapLevels {
  const sorted = cells
    .flat()
    .filter((value) => value !== null)
    .sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
  const bounds = sorted.length === 0 ? null : ([at(0.25), at(0.5), at(0.75), at(1)] as const);
  const levelOf = (value: number | null): Level | null => {
    if (value === null || bounds === null) return null;
    if (value <= bounds[0]) return 0;
    if (value <= bounds[1]) return 1;
    return value <= bounds[2] ? 2 : 3;
  };
  return { cells: cells.map((row) => row.map(levelOf)), bounds };
}

interface HeatmapProps {
  readonly cells: readonly (readonly (number | null)[])[];
  /** One word per row, all of one length. */
  readonly rowLabels: readonly string[];
  readonly format: (value: number) => string;
  /** The cell to mark as present. */
  readonly current: { readonly row: number; readonly column: number } | null;
  readonly width: number;
  /** Rows for header, cells and legend. */
  readonly height: number;
}

const COLORS: readonly ColorName[] = ['good', 'accent', 'warn', 'bad'];
const UNICODE = ['░', '▒', '▓', '█'] as const;
const ASCII = ['.', ':', '+', '#'] as const;
/** `▒ 0.0412`: from here on a cell holds its value. */
const VALUE_WIDTH = 8;
const LABEL_WIDTH = 5;

/** A table of shades: every level differs by glyph as well as by colour. Column labels are their numbers. */
export function Heatmap({ cells, rowLabels, format, current, width, height }: HeatmapProps) {
  const theme = useTheme();
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const cellWidth = Math.min(
    Math.max(Math.floor((width - LABEL_WIDTH - 1) / Math.max(columns, 1)), 1),
    VALUE_WIDTH,
  );
  const cellRows = Math.min(
    Math.max(Math.floor((height - 3) / Math.max(cells.length, 1)), 1),
    cellWidth > 3 ? 2 : 1,
  );
  const { cells: levels, bounds } = heatmapLevels(cells);
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Words faint>{' '.repeat(LABEL_WIDTH) + header(columns, cellWidth)}</Words>
      {placed(levels, (row, y) =>
        placed([...Array(cellRows).keys()], (line) => (
          <Text wrap="truncate">
            <Words bold={current?.row === y}>{label(line === 0 ? rowLabels[y] : '')}</Words>
            {runs(row, current?.row === y ? current.column : -1).map(({ level, from, to, now }) => (
              <Words
                key={from}
                bold={now}
                color={level === null ? undefined : COLORS[level]}
                faint={level === null}
              >
                {Array.from({ length: to - from }, (_, i) =>
                  cellText(
                    level,
                    cellWidth,
                    now,
                    line === 0 ? (cells[y]?.[from + i] ?? null) : null,
                    format,
                    theme,
                  ),
                ).join('')}
              </Words>
            ))}
          </Text>
        )),
      )}
      {bounds !== null && (
        <SegmentLine
          width={width}
          segments={[
            ...bounds.map(
              (bound, level): Line => [
                { text: glyphs(theme)[level] ?? '', ...paint(COLORS[level]) },
                { text: ` ≤ ${format(bound)}` },
              ],
            ),
            ...(current === null ? [] : [[{ text: '[ ] now', faint: true }]]),
            [{ text: `${unknown(theme)} no data`, faint: true }],
          ]}
        />
      )}
    </Box>
  );
}

function paint(color: ColorName | undefined) {
  return color === undefined ? {} : { color };
}

function label(text: string | undefined): string {
  return ` ${text ?? ''}`.padEnd(LABEL_WIDTH);
}

function glyphs(theme: Theme): readonly string[] {
  return theme.ascii ? ASCII : UNICODE;
}

function unknown(theme: Theme): string {
  return theme.ascii ? '_' : '·';
}

/** Numbers over their columns, as many as fit. */
function header(columns: number, cellWidth: number): string {
  const every = cellWidth >= 3 ? 1 : cellWidth === 2 ? 3 : 6;
  let line = '';
  for (let column = 0; column < columns; column += every) {
    line = line.padEnd(column * cellWidth) + String(column).padStart(2, '0');
  }
  return line;
}

interface Run {
  readonly level: Level | null;
  readonly from: number;
  readonly to: number;
  readonly now: boolean;
}

/** Neighbours of one level, so that a row is a few pieces of text instead of 24; the marked cell stands alone. */
function runs(row: readonly (Level | null)[], marked: number): readonly Run[] {
  const merged: Run[] = [];
  for (const [column, level] of row.entries()) {
    const last = merged.at(-1);
    const now = column === marked;
    if (last && last.level === level && !last.now && !now)
      merged[merged.length - 1] = { ...last, to: column + 1 };
    else merged.push({ level, from: column, to: column + 1, now });
  }
  return merged;
}

function cellText(
  level: Level | null,
  width: number,
  now: boolean,
  value: number | null,
  format: (value: number) => string,
  theme: Theme,
): string {
  const glyph = level === null ? unknown(theme) : (glyphs(theme)[level] ?? '');
  if (width >= VALUE_WIDTH && level !== null && value !== null) {
    const text = format(value);
    const [open, close] = now ? ['[', ']'] : [glyph, ' '];
    if (text.length <= width - 2) return open + text.padStart(width - 2) + close;
  }
  const filled = level === null ? glyph.padStart(Math.ceil(width / 2)).padEnd(width) : glyph.repeat(width);
  if (!now || width < 2) return filled;
  return `[${filled.slice(1, -1)}]`;
}
