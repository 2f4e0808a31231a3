import {
  formatChange,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import { legendGlyph } from '../../ui/plot.ts';
import type { Line, Span } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import { clockText, dayText, type OffsetAt, timeFrameSec, weekdayText, zoneText } from '../../ui/time.ts';
import type { ChartData, ChartSlot, SlotMark } from './chart-data.ts';
import { countMarks } from './chart-marks.ts';
import { changeRatio, summarise, summariseBase } from './chart-summary.ts';

const DAY_MS = 86_400_000;

/** `1h  14:05 – 15:05 UTC+2  gwei`. The UTC offset is said here and nowhere else. */
export function titleSegments(data: ChartData, offsetAt: OffsetAt): readonly Line[] {
  const first = data.slots[0]?.timestamp ?? 0;
  const last = data.slots.at(-1)?.timestamp ?? 0;
  return [
    [{ text: data.timeFrame, bold: true, color: 'accent' }],
    [{ text: spanText(first, last, data.timeFrame, offsetAt) }],
    [{ text: 'gwei', faint: true }],
  ];
}

/** How far history reaches if not over the whole chart, and what the marks in it mean: `▲ spike ×2`. */
export function legendSegments(data: ChartData, theme: Theme): readonly Line[] {
  const reach: Line[] =
    data.reachSec === null
      ? []
      : [[{ text: `history reaches back ${formatDuration(data.reachSec)}`, color: 'warn' }]];
  return [...reach, ...markSegments(data.marks, theme)];
}

/** `─ base 0.0497 ▼ −2.1 %  min 0.0311  mean 0.0512  max 0.412`, then the window before. */
export function baseSegments(data: ChartData, theme: Theme): readonly Line[] {
  const base = summariseBase(data);
  const line: Span = { text: legendGlyph('solid', theme.ascii), color: 'base' };
  if (base === null) return [[line, { text: ' base' }, { text: ` ${UNKNOWN}` }]];
  return [
    [
      line,
      { text: ' base ' },
      { text: formatGwei(base.now), bold: true, color: 'base' },
      ...changeSpans(base.changeRatio, theme),
    ],
    [{ text: 'min ', faint: true }, { text: formatGwei(base.min) }],
    [{ text: 'mean ', faint: true }, { text: formatGwei(base.mean) }],
    [{ text: 'max ', faint: true }, { text: formatGwei(base.max) }],
  ];
}

/** `┈ 1h before: mean 0.0490  now +3.4 % on it`, or why there is none. */
export function previousSegments(data: ChartData, theme: Theme): readonly Line[] {
  const glyph: Span = { text: legendGlyph('dotted', theme.ascii), color: 'previous' };
  const name = { text: ` ${data.timeFrame} before` };
  if (data.previousProblem !== null) {
    return [[{ text: `nothing to compare with: ${data.previousProblem}`, color: 'warn' }]];
  }
  const before = summarise(data.slots.map(({ previous }) => previous));
  const mean = summarise(data.slots.map(({ base }) => base))?.mean;
  if (before === null || mean === undefined) return [[glyph, name, { text: `: ${UNKNOWN}` }]];
  const change = changeRatio(before.mean, mean);
  return [
    [glyph, name],
    [{ text: 'min ', faint: true }, { text: formatGwei(before.min) }],
    [{ text: 'mean ', faint: true }, { text: formatGwei(before.mean) }],
    [{ text: 'max ', faint: true }, { text: formatGwei(before.max) }],
    ...(change === null ? [] : [[{ text: `mean now ${formatChange(change)}` }]]),
  ];
}

/** `╌ tip p50 0.0100 ▲ +3.0 %  min …  mean …  max …` */
export function tipSegments(data: ChartData, theme: Theme): readonly Line[] {
  const tips = summarise(data.slots.map(({ tip }) => tip));
  const line: Span = { text: legendGlyph('dashed', theme.ascii), color: 'tip' };
  if (tips === null) {
    const why = data.tipsProblem ?? 'not known from this source';
    return [
      [
        { text: `tip ${data.percentile}: `, faint: true },
        { text: why, faint: true },
      ],
    ];
  }
  return [
    [
      line,
      { text: ` tip ${data.percentile} ` },
      { text: formatGwei(tips.now), bold: true, color: 'tip' },
      ...changeSpans(tips.changeRatio, theme),
    ],
    [{ text: 'min ', faint: true }, { text: formatGwei(tips.min) }],
    [{ text: 'mean ', faint: true }, { text: formatGwei(tips.mean) }],
    [{ text: 'max ', faint: true }, { text: formatGwei(tips.max) }],
  ];
}

export function gasSegments(data: ChartData, theme: Theme): readonly Line[] {
  const gas = summarise(data.slots.map(({ gasUsedRatio }) => gasUsedRatio));
  if (gas === null) return [[{ text: `gas used: ${UNKNOWN}` }]];
  return [
    [
      { text: legendGlyph('solid', theme.ascii), color: 'warn' },
      { text: ' gas used ' },
      { text: formatPercent(gas.now), bold: true },
    ],
    [{ text: 'mean ', faint: true }, { text: formatPercent(gas.mean) }],
    [{ text: 'of the block limit', faint: true }],
  ];
}

function markSegments(marks: readonly SlotMark[], theme: Theme): readonly Line[] {
  return countMarks(marks, theme.ascii).map(
    ({ look, count }): Line => [
      { text: look.glyph, color: look.color, bold: true },
      { text: ` ${look.name}${count > 1 ? ` ×${count}` : ''}` },
    ],
  );
}

/** How far ahead the cursor's price is looked for, in seconds. */
export const REACH_SEC = 3_600;

/** What somebody who pays the base fee and the tip of a slot pays, wei per gas; `null` where nothing is known. */
export function slotPrice({ base, tip }: ChartSlot): bigint | null {
  const price = base === null ? 0 : Math.round(base + (tip ?? 0));
  return price > 0 ? BigInt(price) : null;
}

/**
 * The values at one slot; against the newest unless it is that itself. `marks`: what is to be explained with it;
 * `likely`: that its price is reached again within {@link REACH_SEC}.
 */
export function cursorSegments(
  data: ChartData,
  slot: ChartSlot,
  following: boolean,
  marks: readonly SlotMark[],
  theme: Theme,
  offsetAt: OffsetAt,
  likely: number | null,
): readonly Line[] {
  const explained = markSegments(marks, theme);
  const newest = data.nowBase;
  const exact = data.slotMs < 60_000;
  const at = exact ? clockText(slot.timestamp, offsetAt, true) : moment(slot.timestamp, data, offsetAt);
  // The newest slot may have begun hours ago: what is said of now is said of the newest block.
  const when = following ? (exact ? `now ${at}` : 'now') : `${theme.glyph.arrow} ${at}`;
  const change = slot.base === null || newest === null ? null : changeRatio(slot.base, newest);
  return [
    [{ text: when, bold: !following, color: 'accent' }],
    ...(following ? [] : explained),
    [{ text: 'base ', faint: true }, { text: gwei(following ? newest : slot.base) }],
    [{ text: `tip ${data.percentile} `, faint: true }, { text: gwei(slot.tip) }],
    [
      { text: 'gas ', faint: true },
      { text: slot.gasUsedRatio === null ? UNKNOWN : formatPercent(slot.gasUsedRatio) },
    ],
    ...(following || change === null
      ? []
      : [[{ text: 'now ', faint: true }, { text: formatChange(change) }]]),
    ...(following || likely === null
      ? []
      : [
          [
            { text: `reached in ${formatDuration(REACH_SEC)} `, faint: true },
            { text: formatLikelihood(likely) },
          ],
        ]),
    ...(data.compared && slot.previous !== null
      ? [[{ text: 'before ', faint: true }, { text: gwei(slot.previous) }]]
      : []),
    ...(following ? [[{ text: '←/→ look at a value', faint: true }]] : []),
  ];
}

/** From when to when, no more precise than the time frame makes it useful. */
function spanText(first: number, last: number, timeFrame: string, offsetAt: OffsetAt): string {
  // Short of history a long frame may show hours alone.
  const isLong = last - first > DAY_MS && !isWithinAnHour(timeFrame);
  const end = isLong ? dayText : clockText;
  const weekday = isLong || isWithinAnHour(timeFrame) ? '' : `${weekdayText(first, offsetAt)} `;
  const [from, to] = [zoneText(offsetAt(first)), zoneText(offsetAt(last))];
  // Where the clocks were changed in between, each end has its own.
  return `${weekday}${end(first, offsetAt)}${from === to ? '' : ` ${from}`} – ${end(last, offsetAt)} ${to}`;
}

/** A moment, as precise as the time frame makes it useful: `14:05`, or `Tue 3 Nov 14:05`. */
export function moment(timestamp: number, data: Pick<ChartData, 'timeFrame'>, offsetAt: OffsetAt): string {
  const clock = clockText(timestamp, offsetAt);
  if (isWithinAnHour(data.timeFrame)) return clock;
  if ((timeFrameSec(data.timeFrame) ?? Number.POSITIVE_INFINITY) * 1_000 <= DAY_MS)
    return `${weekdayText(timestamp, offsetAt)} ${clock}`;
  return `${weekdayText(timestamp, offsetAt)} ${dayText(timestamp, offsetAt)} ${clock}`;
}

function isWithinAnHour(timeFrame: string): boolean {
  return (timeFrameSec(timeFrame) ?? Number.POSITIVE_INFINITY) <= 3_600;
}

function gwei(wei: number | null): string {
  return wei === null ? UNKNOWN : formatGwei(wei);
}

/** Direction as glyph, sign and colour: dearer is bad. */
function changeSpans(ratio: number | null, theme: Theme): readonly Span[] {
  if (ratio === null) return [];
  const text = formatChange(ratio);
  const moved = /[1-9]/.test(text);
  const glyph = !moved ? theme.glyph.steady : ratio > 0 ? theme.glyph.up : theme.glyph.down;
  return [{ text: ` ${glyph} ${text}`, ...(moved ? { color: ratio > 0 ? 'bad' : 'good' } : {}) }];
}
