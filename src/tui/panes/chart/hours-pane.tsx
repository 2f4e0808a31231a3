import { Box } from 'ink';
import { formatChange, formatCount, formatGwei, formatPercent } from '../../../core/units.ts';
import { Heatmap } from '../../components/heatmap.tsx';
import { useTheme } from '../../theme.ts';
import { changeRatio, summarise } from './chart-summary.ts';
import {
  type CheapStretch,
  cheapStretches,
  hoursUntilCheap,
  localWeek,
  shareCheaper,
  type WeekCells,
} from './cheap-hours.ts';
import { type OffsetAt, zoneText } from './local-time.ts';
import { type Segment, SegmentLine } from './segment-line.tsx';

export interface HoursPaneProps {
  /** Mean base fees, wei per gas, Monday first, UTC hours; at least one is known. */
  readonly heatmap: WeekCells;
  /** The chain's present, ms. */
  readonly now: number;
  readonly width: number;
  readonly height: number;
  readonly notice: Segment | null;
  readonly offsetAt: OffsetAt;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** When gas is cheap: the week as a map, and in words. */
export function HoursPane({ heatmap, now, width, height, notice, offsetAt }: HoursPaneProps) {
  const theme = useTheme();
  const week = localWeek(heatmap, now, offsetAt);
  const airy = height >= 16;
  const used = 5 + (notice === null ? 0 : 1) + (airy ? 2 : 0);
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={titleSegments(week.cells, week.offsetMinutes)} width={width} />
      {notice !== null && <SegmentLine segments={[notice]} width={width} />}
      <Box flexDirection="column" marginTop={airy ? 1 : 0} marginBottom={airy ? 1 : 0} flexShrink={0}>
        <Heatmap
          cells={week.cells}
          rowLabels={DAYS}
          format={formatGwei}
          current={week.current}
          width={width}
          height={height - used + 2}
        />
      </Box>
      {wordLines(week).map((segments, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <SegmentLine key={line} segments={segments} width={width} />
      ))}
    </Box>
  );

  function wordLines({ cells, current }: ReturnType<typeof localWeek>): readonly (readonly Segment[])[] {
    return hourWords(cells, current, theme.glyph.arrow);
  }
}

function titleSegments(cells: WeekCells, offsetMinutes: number): readonly Segment[] {
  const known = cells.flat().filter((value) => value !== null).length;
  return [
    [{ text: 'cheap hours', bold: true, color: 'accent' }],
    [{ text: `day × hour in ${zoneText(offsetMinutes)}` }],
    [{ text: 'mean base fee of 30 days, gwei', faint: true }],
    ...(known < 168
      ? [[{ text: `${formatCount(known)} of 168 hours seen so far`, color: 'warn' as const }]]
      : []),
  ];
}

/** The cheapest stretches, then what the present hour is like and when the next cheap one begins. */
export function hourWords(
  cells: WeekCells,
  current: { readonly row: number; readonly column: number },
  arrow: string,
): readonly (readonly Segment[])[] {
  const stretches = cheapStretches(cells);
  const mean = summarise(cells.flat())?.mean;
  if (mean === undefined) return [];
  const against = (value: number) => formatChange(changeRatio(mean, value) ?? 0, 0);
  const cheapest = stretches
    .slice(0, 4)
    .map(
      (stretch): Segment => [
        { text: stretchText(stretch), bold: true, color: 'good' },
        { text: ` ${formatGwei(stretch.mean)}` },
        { text: ` (${against(stretch.mean)})`, faint: true },
      ],
    );
  const here = cells[current.row]?.[current.column] ?? null;
  const next = hoursUntilCheap(stretches, current);
  const present: Segment[] = [
    [
      { text: `${arrow} this hour`, color: 'accent' },
      { text: here === null ? ' not seen yet' : ` ${formatGwei(here)}` },
      { text: here === null ? '' : ` (${against(here)})`, faint: true },
    ],
    ...(here === null
      ? []
      : [[{ text: `${formatPercent(shareCheaper(cells, here))} of the hours are cheaper` }]]),
    ...(next === null
      ? []
      : [
          [
            {
              text:
                next.hours === 0
                  ? 'among the cheapest'
                  : `next cheap hour in ${next.hours} h (${stretchText(next.stretch)})`,
            },
          ],
        ]),
  ];
  return [[[{ text: 'cheapest', faint: true }], ...cheapest], present];
}

/** `Sun 04–07`: from the beginning of the first hour to the end of the last. */
function stretchText({ start, hours }: CheapStretch): string {
  const day = DAYS[Math.floor(start / 24)] ?? '';
  const clock = (hour: number) => String(hour % 24).padStart(2, '0');
  return `${day} ${clock(start)}–${clock(start + hours)}h`;
}
