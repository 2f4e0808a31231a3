import { EMPTY_LINE, type Line } from '../../lines.ts';
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

/** The pane's lines, set out for `rows`: spread where they fit so, close where they would not. */
export function serviceColumns(
  view: ServiceView,
  context: ServiceContext,
  rows: number,
): readonly ServiceColumn[] {
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
