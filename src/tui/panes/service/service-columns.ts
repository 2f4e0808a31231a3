import { EMPTY_LINE, type Line } from '../../ui/text.tsx';
import { marketLines } from './market-lines.ts';
import { quotaLines } from './quota-lines.ts';
import { recordLines, routesLines, summaryLines } from './record-lines.ts';
import type { ServiceContext, ServiceView } from './service-view.ts';
import { sourceLines } from './source-lines.ts';
import { workLines } from './work-lines.ts';

export interface ServiceColumn {
  readonly id: 'all' | 'left' | 'right';
  readonly width: number;
  readonly lines: readonly Line[];
}

/** From this width on the parts stand in two columns. */
const TWO_COLUMNS_FROM = 164;

export interface ServiceLayout {
  readonly columns: readonly ServiceColumn[];
  /** Rows of the columns that are on the screen. */
  readonly room: number;
  /** How far down they can be scrolled; 0: all of them are in sight. */
  readonly most: number;
}

/** The pane's lines in `rows` rows; where not all are in sight one row says how many are not. */
export function serviceLayout(view: ServiceView, context: ServiceContext, rows: number): ServiceLayout {
  const columns = serviceColumns(view, context, rows);
  const longest = Math.max(...columns.map(({ lines }) => lines.length));
  const room = longest <= rows ? rows : Math.max(rows - 1, 1);
  return { columns, room, most: Math.max(longest - room, 0) };
}

/** Spread where they fit so, close where they would not. */
function serviceColumns(view: ServiceView, context: ServiceContext, rows: number): readonly ServiceColumn[] {
  const two = context.width >= TWO_COLUMNS_FROM;
  const width = two ? Math.floor(context.width / 2) : context.width;
  const within = { ...context, width };
  const about = [sourceLines(view, within), quotaLines(view, within)];
  const figures = [marketLines(view, within), workLines(view, within)];
  const others = [recordLines(view, within), summaryLines(view, within), routesLines(view, within)];
  if (two) {
    return [
      { id: 'left', width, lines: setOut([...about, ...others], rows) },
      { id: 'right', width, lines: setOut(figures, rows) },
    ];
  }
  return [{ id: 'all', width, lines: setOut([...about, ...figures, ...others], rows) }];
}

function setOut(parts: readonly (readonly Line[])[], rows: number): readonly Line[] {
  const shown = parts.filter((part) => part.length > 0);
  const spread = shown.flatMap((part) => [EMPTY_LINE, ...part]);
  return spread.length <= rows ? spread : shown.flat();
}
