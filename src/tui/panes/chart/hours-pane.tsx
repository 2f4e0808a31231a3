import { Box } from 'ink';
import { memo } from 'react';
import { formatGwei } from '../../../core/units.ts';
import { Heatmap } from '../../ui/heatmap.tsx';
import { type Line, SegmentLine } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { type OffsetAt, WEEKDAYS } from '../../ui/time.ts';
import { localWeek, type WeekCells } from './cheap-hours.ts';
import { hoursTitle, hourWords } from './hours-words.ts';

export interface HoursPaneProps {
  /** Mean base fees, wei per gas, Monday first, UTC hours; at least one is known. */
  readonly heatmap: WeekCells;
  /** The chain's present, ms. */
  readonly now: number;
  readonly width: number;
  readonly height: number;
  readonly notice: Line | null;
  readonly offsetAt: OffsetAt;
}

/** When gas is cheap: the week as a map, and in words. */
export const HoursPane = memo(function HoursPane({
  heatmap,
  now,
  width,
  height,
  notice,
  offsetAt,
}: HoursPaneProps) {
  const theme = useTheme();
  const week = localWeek(heatmap, now, offsetAt);
  const airy = height >= 16;
  const used = 5 + (notice === null ? 0 : 1) + (airy ? 2 : 0);
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={hoursTitle(week.cells, week.offsetMinutes)} width={width} />
      {notice !== null && <SegmentLine segments={[notice]} width={width} />}
      <Box flexDirection="column" marginTop={airy ? 1 : 0} marginBottom={airy ? 1 : 0} flexShrink={0}>
        <Heatmap
          cells={week.cells}
          rowLabels={WEEKDAYS}
          format={formatGwei}
          current={week.current}
          width={width}
          height={height - used + 2}
        />
      </Box>
      {hourWords(week.cells, week.current, theme.glyph.arrow).map((segments, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <SegmentLine key={line} segments={segments} width={width} />
      ))}
    </Box>
  );
});
