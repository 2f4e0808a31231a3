import { formatChange, formatCount, formatDuration, formatGwei, formatPercent } from '../../../core/units.ts';
import type { Line } from '../../ui/text.tsx';
import { WEEKDAYS, zoneText } from '../../ui/time.ts';
import { changeRatio, summarise } from './chart-summary.ts';
import {
  type CheapStretch,
  cheapStretches,
  hoursUntilCheap,
  shareCheaper,
  type WeekCells,
} from './cheap-hours.ts';

/** What the map shows and how full it is. */
export function hoursTitle(cells: WeekCells, offsetMinutes: number): readonly Line[] {
  const known = cells.flat().filter((value) => value !== null).length;
  return [
    [{ text: 'cheap hours', bold: true, color: 'accent' }],
    [{ text: `day × hour in ${zoneText(offsetMinutes)}` }],
    ...(known < 168
      ? [[{ text: `${formatCount(known)} of 168 hours seen so far`, color: 'warn' as const }]]
      : []),
    [{ text: 'mean base fee of 30 days, gwei', faint: true }],
  ];
}

/** The cheapest stretches, then what the present hour is like and when the next cheap one begins. */
export function hourWords(
  cells: WeekCells,
  current: { readonly row: number; readonly column: number },
  arrow: string,
): readonly (readonly Line[])[] {
  const stretches = cheapStretches(cells);
  const mean = summarise(cells.flat())?.mean;
  if (mean === undefined) return [];
  const against = (value: number) => formatChange(changeRatio(mean, value) ?? 0, 0);
  const cheapest = stretches
    .slice(0, 4)
    .map(
      (stretch): Line => [
        { text: stretchText(stretch), bold: true, color: 'good' },
        { text: ` ${formatGwei(stretch.mean)}` },
        { text: ` (${against(stretch.mean)})`, faint: true },
      ],
    );
  const here = cells[current.row]?.[current.column] ?? null;
  const next = hoursUntilCheap(stretches, current);
  const present: Line[] = [
    [
      { text: `${arrow} this hour`, color: 'accent' },
      { text: here === null ? ' not seen yet' : ` ${formatGwei(here)}` },
      { text: here === null ? '' : ` (${against(here)})`, faint: true },
    ],
    ...(next === null ? [] : [[{ text: nextText(next) }]]),
    ...(here === null
      ? []
      : [[{ text: `${formatPercent(shareCheaper(cells, here))} of hours are cheaper` }]]),
  ];
  return [[[{ text: 'cheapest', faint: true }], ...cheapest], present];
}

function nextText({ hours, stretch }: { readonly hours: number; readonly stretch: CheapStretch }): string {
  if (hours === 0) return 'among the cheapest';
  return `next cheap in ${formatDuration(hours * 3_600)}: ${stretchText(stretch)}`;
}

/** `Sun 04–07h`: from the beginning of the first hour to the end of the last. */
function stretchText({ start, hours }: CheapStretch): string {
  const day = WEEKDAYS[Math.floor(start / 24)] ?? '';
  const clock = (hour: number) => String(hour % 24).padStart(2, '0');
  return `${day} ${clock(start)}–${clock(start + hours)}h`;
}
