import { Box } from 'ink';
import { useWidest } from '../../ui/fact-list.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine } from '../../ui/table.ts';
import { type Line, LineList, OneLine, SegmentLine } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { type OffsetAt, zoneText } from '../../ui/time.ts';
import { blockColumns, columnsWithValues } from './block-columns.ts';
import type { BlockRow } from './block-rows.ts';

export interface BlockListProps {
  /** The blocks on the screen, newest first. */
  readonly rows: readonly BlockRow[];
  /** Place of the cursor among them. */
  readonly cursor: number;
  /** How many blocks are newer than the first on the screen, and how many there are in all. */
  readonly above: number;
  readonly total: number;
  readonly present: number;
  readonly symbol: string;
  readonly width: number;
  readonly height: number;
  readonly offsetAt: OffsetAt;
  /** Lines to show with the data. */
  readonly notices: readonly Line[];
}

/** Rows of the pane that are not blocks: title and headings. */
export const LIST_CHROME = 2;
const MARK = 3;

/** The latest blocks, newest first, the marked one with an arrow. */
export function BlockList(props: BlockListProps) {
  const { rows, cursor, above, total, present, symbol, width, height, offsetAt, notices } = props;
  const theme = useTheme();
  // The heading names one offset, also where clocks were changed between two blocks.
  const offset = offsetAt(present);
  const shown = { width, present, symbol, offsetAt: () => offset, theme };
  const all = columnsWithValues(blockColumns(shown), rows);
  const widths = useWidest(columnWidths(all, rows, theme));
  const columns = columnsWithin(all, widths, width - MARK - 1);
  const lines = rows.map((row, place): Line => {
    const marked = place === cursor;
    return [
      marked ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true } : { text: ' '.repeat(MARK) },
      ...rowLine(columns, widths, theme, row),
    ];
  });
  const zone = columns.some(({ id }) => id === 'time') ? `, times in ${zoneText(offset)}` : '';
  const title: readonly Line[] = [
    [{ text: 'Latest blocks', bold: true }],
    [{ text: `prices in gwei${zone}`, faint: true }],
    ...(above > 0 ? [[{ text: `${above} newer above, g goes there`, faint: true }]] : []),
    ...(above === 0 && total > rows.length
      ? [[{ text: `${total - rows.length} more below`, faint: true }]]
      : []),
  ];
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={title} width={width} />
      {notices.map((notice) => (
        <SegmentLine key={notice[0]?.text} segments={[notice]} width={width} />
      ))}
      <OneLine line={[{ text: ' '.repeat(MARK) }, ...headingLine(columns, widths, theme)]} width={width} />
      <LineList lines={lines} width={width} />
    </Box>
  );
}
