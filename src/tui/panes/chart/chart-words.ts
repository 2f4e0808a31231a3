import { timeFrameSec } from '../../../client/values.ts';
import {
  formatChange,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import { legendGlyph } from '../../ui/plot.ts';
import { changeSpan, type Line, type Span } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import { clockText, dayText, type OffsetAt, weekdayText, zoneText } from '../../ui/time.ts';
import type { ChartData, ChartSlot, SlotMark } from './chart-data.ts';

/** What is said in words about one line of the chart; wei per gas. */
export interface LineSummary {
  readonly now: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  /** Newest against oldest value, as a share; `null` where the oldest is 0. */
  readonly changeRatio: number | null;
}

/** `null` where no value is known. */
export function summarise(values: readonly (number | null)[]): LineSummary | null {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const now = known.at(-1);
  if (first === undefined || now === undefined) return null;
  return {
    now,
    min: known.reduce((a, b) => Math.min(a, b)),
    mean: known.reduce((sum, value) => sum + value / known.length, 0),
    max: known.reduce((a, b) => Math.max(a, b)),
    changeRatio: changeRatio(first, now),
  };
}

/** The base fee of a chart: now, the mean and the extremes are those of single blocks, where they are known. */
export function summariseBase({ slots, nowBase, meanBase }: ChartData): LineSummary | null {
  const of = summarise(slots.map(({ base }) => base));
  if (of === null || nowBase === null) return of;
  const oldest = slots.find(({ base }) => base !== null)?.base ?? 0;
  const lowest = summarise(slots.map(({ low }) => low))?.min ?? of.min;
  const highest = summarise(slots.map(({ high }) => high))?.max ?? of.max;
  return {
    ...of,
    now: nowBase,
    mean: meanBase ?? of.mean,
    changeRatio: changeRatio(oldest, nowBase),
    // The newest block may be younger than the chart.
    min: Math.min(lowest, nowBase),
    max: Math.max(highest, nowBase),
  };
}

/** How far `to` lies above (or below) `from`, as a share of `from`. */
export function changeRatio(from: number, to: number): number | null {
  return from > 0 ? to / from - 1 : null;
}

/** The value below which the share `at` of the known values lies (nearest rank). */
export function quantile(values: readonly (number | null)[], at: number): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known[Math.min(Math.max(Math.ceil(at * known.length) - 1, 0), known.length - 1)] ?? null;
}

/** How a kind of mark looks and is called; `rank`: which of two in one column is seen. */
interface MarkLook {
  readonly glyph: string;
  readonly color: ColorName;
  readonly name: string;
  readonly rank: number;
}

const LOOKS = new Map<string, MarkLook & { readonly ascii: string }>([
  ['ANOMALY', { glyph: '◇', ascii: '?', color: 'warn', name: 'unusual', rank: 1 }],
  ['REGIME_SHIFT', { glyph: '◆', ascii: '#', color: 'accent', name: 'new level', rank: 2 }],
  ['SPIKE', { glyph: '▲', ascii: '^', color: 'bad', name: 'spike', rank: 3 }],
  ['AUTO_TX', { glyph: '■', ascii: '$', color: 'good', name: 'auto-tx', rank: 4 }],
  ['ALERT', { glyph: '●', ascii: 'o', color: 'good', name: 'alert fired', rank: 5 }],
]);

/** The look of a kind; an unknown one keeps the service's own word. */
export function markLook(kind: string, ascii: boolean): MarkLook {
  const look = LOOKS.get(kind);
  if (look === undefined) {
    const name = kind.toLowerCase().replaceAll('_', ' ').slice(0, 20);
    return { glyph: ascii ? '*' : '✱', color: 'warn', name, rank: 0 };
  }
  return ascii ? { ...look, glyph: look.ascii } : look;
}

/** Each kind that occurs, with how often, in the order of importance. */
export function countMarks(
  marks: readonly SlotMark[],
  ascii: boolean,
): readonly { readonly look: MarkLook; readonly count: number }[] {
  return [...Map.groupBy(marks, ({ kind }) => kind)]
    .map(([kind, all]) => ({ look: markLook(kind, ascii), count: all.length }))
    .sort((a, b) => b.look.rank - a.look.rank);
}

/** Marks so ordered that of two in one column the more important is drawn last, on top. */
export function byRank(marks: readonly SlotMark[]): readonly SlotMark[] {
  return [...marks].sort((a, b) => markLook(a.kind, false).rank - markLook(b.kind, false).rank);
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Distances between labels that clocks and calendars have. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 10080].map(
  (minutes) => minutes * MINUTE,
);
/** `╵Tue 13` and two spaces. */
const LABEL_WIDTH = 9;

/** Labels for round local times along the bottom of a chart whose slots begin at `timestamps` (ms, ascending). */
export function timeLabels(
  timestamps: readonly number[],
  plotWidth: number,
  offsetAt: OffsetAt,
): readonly { readonly index: number; readonly text: string }[] {
  const [first] = timestamps;
  const last = timestamps.at(-1);
  if (first === undefined || last === undefined) return [];
  const room = Math.max(Math.floor(plotWidth / LABEL_WIDTH), 1);
  const step = STEPS.find((candidate) => (last - first) / candidate <= room) ?? DAY * 30;
  const labels: { index: number; text: string }[] = [];
  let before = Math.floor(local(first, offsetAt) / step);
  for (const [index, timestamp] of timestamps.entries()) {
    const place = Math.floor(local(timestamp, offsetAt) / step);
    // The first slot is labelled only where it begins a step itself.
    const begins = index === 0 ? local(timestamp, offsetAt) % step === 0 : place !== before;
    if (begins) labels.push({ index, text: labelText(timestamp, step, offsetAt) });
    before = place;
  }
  return labels;
}

function local(timestamp: number, offsetAt: OffsetAt): number {
  return timestamp + offsetAt(timestamp) * MINUTE;
}

function labelText(timestamp: number, step: number, offsetAt: OffsetAt): string {
  // The slot may begin a little after the round time; the label names the round time itself.
  const round = timestamp - (local(timestamp, offsetAt) % step);
  const midnight = local(round, offsetAt) % DAY === 0;
  if (step > DAY) return dayText(round, offsetAt);
  return midnight
    ? `${weekdayText(round, offsetAt)} ${dayText(round, offsetAt).split(' ')[0]}`
    : clockText(round, offsetAt);
}

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
  const { reachSec, problem } = data;
  const why = problem === null ? '' : `, to the start of gastop: ${problem}`;
  const reach: Line[] =
    reachSec === null
      ? []
      : [[{ text: `history reaches back ${formatDuration(reachSec)}${why}`, color: 'warn' }]];
  return [...reach, ...markSegments(data.marks, theme)];
}

/** `─ base 0.0497 ↓ −2.1 % in 1h  min 0.0311  mean 0.0512  max 0.412` */
export function baseSegments(data: ChartData, theme: Theme): readonly Line[] {
  const base = summariseBase(data);
  const line: Span = { text: legendGlyph('solid', theme.ascii), color: 'base' };
  if (base === null) return [[line, { text: ' base' }, { text: ` ${UNKNOWN}` }]];
  return [
    [
      line,
      { text: ' base ' },
      { text: formatGwei(base.now), bold: true, color: 'base' },
      ...change(base.changeRatio, data, theme),
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

/** `╌ tip p50 0.0100 ↑ +3.0 % in 1h  min …  mean …  max …` */
export function tipSegments(data: ChartData, theme: Theme): readonly Line[] {
  const tips = summarise(data.slots.map(({ tip }) => tip));
  const line: Span = { text: legendGlyph('dashed', theme.ascii), color: 'tip' };
  if (tips === null) {
    const isEmpty = data.slots.every(({ gasUsedRatio }) => gasUsedRatio === 0);
    const why =
      data.tipsProblem ?? (isEmpty ? 'no transactions in these blocks' : 'not known from this source');
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
      ...change(tips.changeRatio, data, theme),
    ],
    // What is drawn all the same was polled.
    ...(data.tipsProblem === null ? [] : [[{ text: 'the service gives no history of them', faint: true }]]),
    [{ text: 'min ', faint: true }, { text: formatGwei(tips.min) }],
    [{ text: 'mean ', faint: true }, { text: formatGwei(tips.mean) }],
    [{ text: 'max ', faint: true }, { text: formatGwei(tips.max) }],
  ];
}

export function gasSegments(data: ChartData, theme: Theme): readonly Line[] {
  const gas = summarise(data.slots.map(({ gasUsedRatio }) => gasUsedRatio));
  if (gas === null) return [[{ text: `blocks: ${UNKNOWN}` }]];
  return [
    [
      { text: legendGlyph('solid', theme.ascii), color: 'warn' },
      { text: ' blocks ' },
      { text: `${formatPercent(gas.now)} full`, bold: true },
    ],
    [{ text: 'mean ', faint: true }, { text: formatPercent(gas.mean) }],
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
      { text: slot.gasUsedRatio === null ? UNKNOWN : formatPercent(slot.gasUsedRatio) },
      { text: ' full', faint: true },
    ],
    ...(following || change === null
      ? []
      : [[{ text: 'since ', faint: true }, { text: formatChange(change) }]]),
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

/** Against the oldest value that is drawn. */
function change(ratio: number | null, { timeFrame, reachSec }: ChartData, theme: Theme): Line {
  const span = reachSec === null ? timeFrame : formatDuration(reachSec);
  return ratio === null
    ? []
    : [{ text: ' ' }, changeSpan(ratio, theme), { text: ` in ${span}`, faint: true }];
}
