import { Box } from 'ink';
import { EMPTY_LINE, type Line, LineList, SegmentLine } from '../../ui/text.tsx';
import type { ServiceLayout } from './service-columns.ts';

interface ServicePaneProps {
  readonly layout: ServiceLayout;
  readonly width: number;
  readonly height: number;
  /** The first line that is shown. */
  readonly top: number;
}

/** How the service and its source are, one part under the other; side by side where there is room. */
export function ServicePane({ layout, width, height, top }: ServicePaneProps) {
  const { columns, room, most } = layout;
  const below = most - top;
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {most === 0 ? null : (
        <SegmentLine
          segments={[
            [{ text: 'Service', bold: true }],
            [
              {
                text: below > 0 ? `${below} more below, j goes on` : 'the end, g goes to the top',
                faint: true,
              },
            ],
          ]}
          width={width}
        />
      )}
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
