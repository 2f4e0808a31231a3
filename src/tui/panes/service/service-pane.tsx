import { Box } from 'ink';
import { formatAge } from '../../../core/units.ts';
import { LineList } from '../../components/line-list.tsx';
import { SegmentLine } from '../../components/segment-line.tsx';
import { EMPTY_LINE, type Line } from '../../lines.ts';
import { serviceColumns } from './service-columns.ts';
import type { ServiceContext, ServiceView } from './service-view.ts';

interface ServicePaneProps {
  readonly view: ServiceView;
  readonly context: ServiceContext;
  readonly height: number;
  /** The first line that is shown. */
  readonly top: number;
}

/** Rows above what scrolls. */
export const SERVICE_CHROME = 1;

/** How the service and its source are, one part under the other; side by side where there is room. */
export function ServicePane({ view, context, height, top }: ServicePaneProps) {
  const { width } = context;
  const room = height - SERVICE_CHROME;
  const columns = serviceColumns(view, context, room);
  const longest = Math.max(...columns.map(({ lines }) => lines.length));
  const below = longest - top - room;
  const { at } = view.summary;
  const age = at === null ? [] : [[{ text: `as of ${formatAge((context.now - at) / 1_000)}`, faint: true }]];
  const hidden = below > 0 ? [[{ text: `${below} more below`, faint: true }]] : [];
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={[[{ text: 'Service', bold: true }], ...age, ...hidden]} width={width} />
      <Box flexDirection="row" height={room} overflow="hidden">
        {columns.map(({ id, width: own, lines }) => (
          <Box key={id} width={own} flexShrink={0} overflow="hidden">
            <LineList lines={padded(lines.slice(top, top + room))} width={own} />
          </Box>
        ))}
      </Box>
    </Box>
  );
}

function padded(lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [EMPTY_LINE] : lines;
}
