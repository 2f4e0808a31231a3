import { Box } from 'ink';
import type { AlertView } from '../../../client/views/alerts.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { columnWidths, headingLine, rowLine } from '../../ui/table.ts';
import { type Line, LineList, OneLine, SegmentLine } from '../../ui/text.tsx';
import { type AlertColumnsContext, alertColumns, alertColumnsWithin } from './alert-columns.ts';

interface AlertListProps {
  /** The alerts on the screen. */
  readonly rows: readonly AlertView[];
  /** Place of the cursor among them. */
  readonly cursor: number;
  readonly context: AlertColumnsContext;
  readonly width: number;
  readonly height: number;
  readonly title: readonly Line[];
  /** Lines between the title and the table. */
  readonly notices: readonly Line[];
}

const MARK = 3;

/** Rows of the pane that are not alerts: title and headings. */
export const LIST_CHROME = 2;

/** The alerts, newest first, the marked one with an arrow. */
export function AlertList({ rows, cursor, context, width, height, title, notices }: AlertListProps) {
  const { theme } = context;
  const all = alertColumns(context);
  const widest = useWidest(columnWidths(all, rows, theme));
  const { columns, widths } = alertColumnsWithin(all, rows, widest, width - MARK - 1);
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
    </Box>
  );
}
