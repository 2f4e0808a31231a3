import { timeFrameSec } from '../../../client/values.ts';
import {
  formatChange,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import { type LineStyle, legendGlyph } from '../../ui/line-chart.tsx';
import { changeSpan, type Line } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import { clockText, dayText, type OffsetAt, weekdayText, zoneText } from '../../ui/time.ts';
import type { ChartData, ChartSlot, SlotMark } from './chart-data.ts';

/** What is said about one line of the chart; wei per gas. */
interface LineSummary {
  readonly now: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  /** Newest against oldest value, as a share; `null` where the oldest is 0. */
  readonly changeRatio: number | null;
}

/** How far `to` lies above (or below) `from`, as a share of `from`. */
export function changeRatio(from: number, to: number): number | null {
  return from > 0 ? to / from - 1 : null;
}

/** `null` where no value is known. */
export function summarise(values: readonly (number | null)[]): LineSummary | null {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const now = known.at(-1);
  if (first === undefined || now === undefined) return null;
  const mean = known.reduce((sum, value) => sum + value / known.length, 0);
  return {
    now,
    mean,
    min: Math.min(...known),
    max: Math.max(...known),
    changeRatio: changeRatio(first, now),
  };
}

/** The base fee of a chart: now, the mean and the extremes are those of single blocks, where they are known. */
export function summariseBase({ slots, nowBase, meanBase }: ChartData): LineSummary | null {
  const of = summarise(slots.map(({ base }) => base));
  if (of === null || nowBase === null) return of;
  const oldest = slots.find(({ base }) => base !== null)?.base ?? 0;
  // The newest block may be younger than the chart.
  const min = Math.min(nowBase, ...slots.flatMap(({ low, base }) => low ?? base ?? []));
  const max = Math.max(nowBase, ...slots.flatMap(({ high, base }) => high ?? base ?? []));
  return { now: nowBase, mean: meanBase ?? of.mean, min, max, changeRatio: changeRatio(oldest, nowBase) };
}

/** How a kind of mark looks and is called; of two in one column the one with the higher rank is seen. */
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
  const name = kind.toLowerCase().replaceAll('_', ' ').slice(0, 20);
  const look = LOOKS.get(kind) ?? { glyph: '✱', ascii: '*', color: 'warn', name, rank: 0 };
  return ascii ? { ...look, glyph: look.ascii } : look;
}

/** Each kind of mark that occurs, with how often, the more important first. */
function markSegments(marks: readonly SlotMark[], theme: Theme): readonly Line[] {
  return [...Map.groupBy(marks, ({ kind }) => kind)]
    .map(([kind, { length }]) => ({ ...markLook(kind, theme.ascii), length }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ glyph, color, name, length }) => [
      { text: glyph, color, bold: true },
      { text: ` ${name}${length > 1 ? ` ×${length}` : ''}` },
    ]);
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Distances between labels that clocks and calendars have, in minutes. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 10080];
/** `╵Tue 13` and two spaces. */
const LABEL_WIDTH = 9;

/** Labels for round local times along the bottom of a chart whose slots begin at `timestamps` (ms, ascending). */
export function timeLabels(timestamps: readonly number[], plotWidth: number, offsetAt: OffsetAt) {
  const span = (timestamps.at(-1) ?? 0) - (timestamps[0] ?? 0);
  const room = Math.max(Math.floor(plotWidth / LABEL_WIDTH), 1);
  const step = (STEPS.find((minutes) => span / (minutes * MINUTE) <= room) ?? 43_200) * MINUTE;
  const local = (timestamp: number) => timestamp + offsetAt(timestamp) * MINUTE;
  return timestamps.flatMap((timestamp, index) => {
    const past = local(timestamp) % step;
    const before = timestamps[index - 1];
    // The first slot is labelled only where it begins a step itself.
    const begins =
      before === undefined
        ? past === 0
        : Math.floor(local(timestamp) / step) > Math.floor(local(before) / step);
    if (!begins) return [];
    // The slot may begin a little after the round time; the label names the round time itself.
    const round = timestamp - past;
    const day = dayText(round, offsetAt);
    const clock =
      local(round) % DAY === 0
        ? `${weekdayText(round, offsetAt)} ${day.split(' ')[0]}`
        : clockText(round, offsetAt);
    return [{ index, text: step > DAY ? day : clock }];
  });
}

const named = (name: string, text: string): Line => [{ text: `${name} `, faint: true }, { text }];
const gwei = (wei: number | null): string => (wei === null ? UNKNOWN : formatGwei(wei));

/** `─ base 0.0497 ↓ −2.1 % in 1h  min 0.0311  mean 0.0512  max 0.412` */
function lineSegments(
  name: string,
  of: LineSummary,
  look: { readonly style: LineStyle; readonly color: ColorName },
  data: ChartData,
  theme: Theme,
): readonly Line[] {
  const span = data.reachSec === null ? data.timeFrame : formatDuration(data.reachSec);
  return [
    [
      { text: legendGlyph(look.style, theme.ascii), color: look.color },
      { text: ` ${name} ` },
      { text: formatGwei(of.now), bold: true, color: look.color },
      ...(of.changeRatio === null
        ? []
        : [{ text: ' ' }, changeSpan(of.changeRatio, theme), { text: ` in ${span}`, faint: true }]),
    ],
    ...extremes(of),
  ];
}

const extremes = ({ min, mean, max }: LineSummary): readonly Line[] => [
  named('min', formatGwei(min)),
  named('mean', formatGwei(mean)),
  named('max', formatGwei(max)),
];

/** `1h  14:05 – 15:05 UTC+2  gwei`. The UTC offset is said here and nowhere else. */
export function titleSegments(data: ChartData, offsetAt: OffsetAt): readonly Line[] {
  const first = data.slots[0]?.timestamp ?? 0;
  const last = data.slots.at(-1)?.timestamp ?? 0;
  const isHour = isWithinAnHour(data.timeFrame);
  // No more precise than the time frame makes it useful; short of history a long frame may show hours alone.
  const isLong = last - first > DAY && !isHour;
  const end = isLong ? dayText : clockText;
  const weekday = isLong || isHour ? '' : `${weekdayText(first, offsetAt)} `;
  const [from, to] = [zoneText(offsetAt(first)), zoneText(offsetAt(last))];
  // Where the clocks were changed in between, each end has its own.
  const zone = from === to ? '' : ` ${from}`;
  return [
    [{ text: data.timeFrame, bold: true, color: 'accent' }],
    [{ text: `${weekday}${end(first, offsetAt)}${zone} – ${end(last, offsetAt)} ${to}` }],
    [{ text: 'gwei', faint: true }],
  ];
}

/** How far history reaches if not over the whole chart, and what the marks in it mean: `▲ spike ×2`. */
export function legendSegments({ reachSec, problem, marks }: ChartData, theme: Theme): readonly Line[] {
  const why = problem === null ? '' : `, to the start of gastop: ${problem}`;
  const reach = `history reaches back ${formatDuration(reachSec ?? 0)}${why}`;
  return [
    ...(reachSec === null ? [] : [[{ text: reach, color: 'warn' }] as const]),
    ...markSegments(marks, theme),
  ];
}

export function baseSegments(data: ChartData, theme: Theme): readonly Line[] {
  const of = summariseBase(data);
  if (of === null) return [[{ text: `base ${UNKNOWN}` }]];
  return lineSegments('base', of, { style: 'solid', color: 'base' }, data, theme);
}

/** `┈ 1h before  min …  mean 0.0490  max …  mean now +3.4 %`, or why there is none. */
export function previousSegments(data: ChartData, theme: Theme): readonly Line[] {
  if (data.previousProblem !== null) {
    return [[{ text: `nothing to compare with: ${data.previousProblem}`, color: 'warn' }]];
  }
  const before = summarise(data.slots.map(({ previous }) => previous));
  const mean = summarise(data.slots.map(({ base }) => base))?.mean;
  const change = before === null || mean === undefined ? null : changeRatio(before.mean, mean);
  return [
    [
      { text: legendGlyph('dotted', theme.ascii), color: 'previous' },
      { text: ` ${data.timeFrame} before${before === null ? `: ${UNKNOWN}` : ''}` },
    ],
    ...(before === null ? [] : extremes(before)),
    ...(change === null ? [] : [[{ text: `mean now ${formatChange(change)}` }]]),
  ];
}

export function tipSegments(data: ChartData, theme: Theme): readonly Line[] {
  const of = summarise(data.slots.map(({ tip }) => tip));
  const name = `tip ${data.percentile}`;
  if (of === null) {
    const isEmpty = data.slots.every(({ gasUsedRatio }) => gasUsedRatio === 0);
    const why = isEmpty ? 'no transactions in these blocks' : 'not known from this source';
    return [[{ text: `${name}: ${data.tipsProblem ?? why}`, faint: true }]];
  }
  const segments = lineSegments(name, of, { style: 'dashed', color: 'tip' }, data, theme);
  if (data.tipsProblem === null) return segments;
  // What is drawn all the same was polled.
  return segments.toSpliced(1, 0, [{ text: 'the service gives no history of them', faint: true }]);
}

export function gasSegments({ slots }: ChartData, theme: Theme): readonly Line[] {
  const gas = summarise(slots.map(({ gasUsedRatio }) => gasUsedRatio));
  if (gas === null) return [[{ text: `blocks: ${UNKNOWN}` }]];
  return [
    [
      { text: legendGlyph('solid', theme.ascii), color: 'warn' },
      { text: ' blocks ' },
      { text: `${formatPercent(gas.now)} full`, bold: true },
    ],
    named('mean', formatPercent(gas.mean)),
  ];
}

/** How far ahead the cursor's price is looked for, in seconds. */
export const REACH_SEC = 3_600;

/** Base fee and tip of a slot together, wei per gas; `null`: unknown. */
export function slotPrice({ base, tip }: ChartSlot): bigint | null {
  const price = base === null ? 0 : Math.round(base + (tip ?? 0));
  return price > 0 ? BigInt(price) : null;
}

export interface CursorAt {
  readonly slot: ChartSlot;
  /** The newest slot, because the cursor stands nowhere else. */
  readonly isFollowing: boolean;
  /** What is marked in its column. */
  readonly marks: readonly SlotMark[];
  /** How likely its price is reached again within {@link REACH_SEC}. */
  readonly likely: number | null;
}

/** The values at one slot; against the newest unless it is that itself. */
export function cursorSegments(
  data: ChartData,
  { slot, isFollowing, marks, likely }: CursorAt,
  theme: Theme,
  offsetAt: OffsetAt,
): readonly Line[] {
  const { nowBase } = data;
  const values = [
    // The newest slot may have begun hours ago: what is said of now is said of the newest block.
    named('base', gwei(isFollowing ? nowBase : slot.base)),
    named(`tip ${data.percentile}`, gwei(slot.tip)),
    [
      { text: slot.gasUsedRatio === null ? UNKNOWN : formatPercent(slot.gasUsedRatio) },
      { text: ' full', faint: true },
    ],
  ];
  const before = data.compared && slot.previous !== null ? [named('before', gwei(slot.previous))] : [];
  const isExact = data.slotMs < MINUTE;
  const clock = clockText(slot.timestamp, offsetAt, true);
  if (isFollowing) {
    const when: Line = [{ text: isExact ? `now ${clock}` : 'now', color: 'accent' }];
    return [when, ...values, ...before, [{ text: '←/→ look at a value', faint: true }]];
  }
  const change = slot.base === null || nowBase === null ? null : changeRatio(slot.base, nowBase);
  const at = isExact ? clock : moment(slot.timestamp, data.timeFrame, offsetAt);
  return [
    [{ text: `${theme.glyph.arrow} ${at}`, bold: true, color: 'accent' }],
    ...markSegments(marks, theme),
    ...values,
    ...(change === null ? [] : [named('since', formatChange(change))]),
    ...(likely === null ? [] : [named(`reached in ${formatDuration(REACH_SEC)}`, formatLikelihood(likely))]),
    ...before,
  ];
}

/** A moment, as precise as the time frame makes it useful: `14:05`, or `Tue 3 Nov 14:05`. */
export function moment(timestamp: number, timeFrame: string, offsetAt: OffsetAt): string {
  const clock = clockText(timestamp, offsetAt);
  if (isWithinAnHour(timeFrame)) return clock;
  const isDay = (timeFrameSec(timeFrame) ?? Number.POSITIVE_INFINITY) * 1_000 <= DAY;
  return `${weekdayText(timestamp, offsetAt)} ${isDay ? '' : `${dayText(timestamp, offsetAt)} `}${clock}`;
}

function isWithinAnHour(timeFrame: string): boolean {
  return (timeFrameSec(timeFrame) ?? Number.POSITIVE_INFINITY) <= 3_600;
}

/** The figures of the window in columns: what, of the base fee, of the tip. */
export function figureRows(data: ChartData): readonly (readonly [string, string, string])[] {
  const tip = data.slots.map((slot) => slot.tip);
  const [of, tips] = [summariseBase(data), summarise(tip)];
  const gas = summarise(data.slots.map(({ gasUsedRatio }) => gasUsedRatio));
  const change = (ratio: number | null | undefined) => (ratio == null ? UNKNOWN : formatChange(ratio));
  const row = (name: 'now' | 'max' | 'mean' | 'min') =>
    [name, gwei(of?.[name] ?? null), gwei(tips?.[name] ?? null)] as const;
  const base = data.slots.map((slot) => slot.base);
  const spread = (name: string, at: number) =>
    [name, gwei(quantile(base, at)), gwei(quantile(tip, at))] as const;
  return [
    ['', 'base', `tip ${data.percentile}`],
    row('now'),
    ['change', change(of?.changeRatio), change(tips?.changeRatio)],
    row('max'),
    spread('p90', 0.9),
    row('mean'),
    spread('median', 0.5),
    spread('p10', 0.1),
    row('min'),
    ['full', gas === null ? UNKNOWN : formatPercent(gas.mean), gas === null ? '' : '(mean)'],
  ];
}

/** The value below which the share `at` of the known values lies (nearest rank). */
function quantile(values: readonly (number | null)[], at: number): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known[Math.max(Math.ceil(at * known.length) - 1, 0)] ?? null;
}
