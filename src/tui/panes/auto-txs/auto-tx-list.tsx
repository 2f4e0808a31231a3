import { Box } from 'ink';
import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { columnWidths, headingLine, rowLine } from '../../ui/table.ts';
import { type Line, LineList, OneLine, SegmentLine } from '../../ui/text.tsx';
import { type AutoTxContext, autoTxColumns, autoTxColumnsWithin, callColumn } from './auto-tx-columns.ts';

interface AutoTxListProps {
  /** The auto-txs on the screen. */
  readonly rows: readonly AutoTxView[];
  /** Place of the cursor among them. */
  readonly cursor: number;
  readonly context: AutoTxContext;
  readonly width: number;
  readonly height: number;
  readonly title: readonly Line[];
  /** Lines between the title and the table. */
  readonly notices: readonly Line[];
  /** What there is to say of the marked one, at the foot of the pane. */
  readonly foot: readonly Line[];
}

const MARK = 3;

/** Rows of the pane that are not auto-txs: title and headings. */
export const LIST_CHROME = 2;

/** The auto-txs in their order, the marked one with an arrow. */
export function AutoTxList(props: AutoTxListProps) {
  const { rows, cursor, context, width, height, title, notices, foot } = props;
  const { theme } = context;
  const all = autoTxColumns(context);
  const widest = useWidest(columnWidths([...all, callColumn(0, context)], rows, theme));
  const { columns, widths } = autoTxColumnsWithin(all, rows, widest, width - MARK - 1, context);
  const lines = rows.map(
    (row, place): Line => [
      place === cursor
        ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true }
        : { text: ' '.repeat(MARK) },
      ...rowLine(columns, widths, theme, row),
    ],
  );
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={title} width={width} />
      <LineList lines={notices} width={width} />
      <OneLine line={[{ text: ' '.repeat(MARK) }, ...headingLine(columns, widths, theme)]} width={width} />
      <LineList lines={lines} width={width} />
      <Box flexGrow={1} />
      <LineList lines={foot} width={width} />
    </Box>
  );
}
