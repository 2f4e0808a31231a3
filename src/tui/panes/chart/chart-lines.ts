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
import { bold, changeSpan, colored, faint, type Line, plain } from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { clockText, dayText, offsetAt, weekdayText, zoneText } from '../../ui/time.ts';
import { type ChartData, type ChartSlot, meanOf, type SlotMark } from './chart-data.ts';

interface Summary {
  readonly now: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  readonly changeRatio: number | null;
}

export function changeRatio(from: number, to: number): number | null {
  return from > 0 ? to / from - 1 : null;
}

type Known = 'base' | 'tip' | 'previous' | 'gasUsedRatio';

const known = ({ slots }: ChartData, name: Known) => slots.flatMap((slot) => slot[name] ?? []);

/** `null` when no value is known. For the base fee all but the change come from single blocks, if known. */
function summaryOf(data: ChartData, name: Known): Summary | null {
  const values = known(data, name);
  const newest = name === 'base' ? (data.nowBase ?? values.at(-1)) : values.at(-1);
  const mean = (name === 'base' ? data.meanBase : null) ?? meanOf(values);
  if (values[0] === undefined || newest === undefined || mean === null) return null;
  // The newest block may be younger than the chart.
  const single =
    name === 'base' ? data.slots.flatMap(({ low, high }) => [low ?? newest, high ?? newest]) : [];
  const all = [newest, ...values, ...single];
  return {
    now: newest,
    mean,
    min: Math.min(...all),
    max: Math.max(...all),
    changeRatio: changeRatio(values[0], newest),
  };
}

/** Look and name of a kind of mark; of two in one column the one with the higher rank is visible. */
interface MarkLook {
  readonly glyph: string;
  readonly color: ColorName;
  readonly name: string;
  readonly rank: number;
}

const LOOKS = new Map<string, MarkLook>([
  ['ANOMALY', { glyph: '◇', color: 'warn', name: 'unusual', rank: 1 }],
  ['REGIME_SHIFT', { glyph: '◆', color: 'accent', name: 'new level', rank: 2 }],
  ['SPIKE', { glyph: '▲', color: 'bad', name: 'spike', rank: 3 }],
  ['AUTO_TX', { glyph: '■', color: 'good', name: 'auto-tx', rank: 4 }],
  ['ALERT', { glyph: '●', color: 'good', name: 'alert fired', rank: 5 }],
]);

export function markLook(kind: string): MarkLook {
  const name = kind.toLowerCase().replaceAll('_', ' ').slice(0, 20);
  return LOOKS.get(kind) ?? { glyph: '✱', color: 'warn', name, rank: 0 };
}

function markSegments(marks: readonly SlotMark[]): readonly Line[] {
  return [...Map.groupBy(marks, ({ kind }) => kind)]
    .map(([kind, { length }]) => ({ ...markLook(kind), length }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ glyph, color, name, length }) => [
      { text: glyph, color, bold: true },
      plain(` ${name}${length > 1 ? ` ×${length}` : ''}`),
    ]);
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Distances between labels that clocks and calendars have, in minutes. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 10080];
/** `╵Tue 13` and two spaces. */
const LABEL_WIDTH = 9;

export function timeLabels(timestamps: readonly number[], plotWidth: number) {
  const span = (timestamps.at(-1) ?? 0) - (timestamps[0] ?? 0);
  const room = Math.max(Math.floor(plotWidth / LABEL_WIDTH), 1);
  const step = (STEPS.find((minutes) => span / (minutes * MINUTE) <= room) ?? 43_200) * MINUTE;
  const local = (timestamp: number) => timestamp + offsetAt(timestamp) * MINUTE;
  return timestamps.flatMap((timestamp, index) => {
    const past = local(timestamp) % step;
    const before = timestamps[index - 1];
    // The first slot has a label only if it starts a step.
    const begins =
      before === undefined
        ? past === 0
        : Math.floor(local(timestamp) / step) > Math.floor(local(before) / step);
    if (!begins) return [];
    // The slot may start a little after the round time, which the label names.
    const round = timestamp - past;
    const day = dayText(round);
    const isMidnight = local(round) % DAY === 0;
    const clock = isMidnight ? `${weekdayText(round)} ${day.split(' ')[0]}` : clockText(round);
    return [{ index, text: step > DAY ? day : clock }];
  });
}

const named = (name: string, text: string): Line => [faint(`${name} `), { text }];
const gwei = (wei: number | null | undefined): string => (wei == null ? UNKNOWN : formatGwei(wei));

const extremes = ({ min, mean, max }: Summary): readonly Line[] => [
  named('min', formatGwei(min)),
  named('mean', formatGwei(mean)),
  named('max', formatGwei(max)),
];

function lineSegments(name: string, of: Summary, style: LineStyle, color: ColorName, data: ChartData) {
  const span = data.reachSec === null ? data.timeFrame : formatDuration(data.reachSec);
  const change: Line =
    of.changeRatio === null ? [] : [plain(' '), changeSpan(of.changeRatio), faint(` in ${span}`)];
  const first: Line = [
    { text: legendGlyph(style), color },
    plain(` ${name} `),
    { text: formatGwei(of.now), bold: true, color },
    ...change,
  ];
  return [first, ...extremes(of)];
}

function titleSegments(data: ChartData): readonly Line[] {
  const first = data.slots[0]?.timestamp ?? 0;
  const last = data.slots.at(-1)?.timestamp ?? 0;
  const isHour = isWithinAnHour(data.timeFrame);
  // As precise as is useful for the time frame; a long frame with a short history may show hours only.
  const isLong = last - first > DAY && !isHour;
  const end = isLong ? dayText : clockText;
  const weekday = isLong || isHour ? '' : `${weekdayText(first)} `;
  const [from, to] = [zoneText(offsetAt(first)), zoneText(offsetAt(last))];
  // After a change of clocks each end has its own offset.
  const zone = from === to ? '' : ` ${from}`;
  return [
    [bold(data.timeFrame, 'accent')],
    [plain(`${weekday}${end(first)}${zone} – ${end(last)} ${to}`)],
    [faint('gwei')],
  ];
}

function legendSegments({ reachSec, problem, marks }: ChartData): readonly Line[] {
  const why = problem === null ? '' : `, to the start of gastop: ${problem}`;
  const reach: Line = [colored(`history reaches back ${formatDuration(reachSec ?? 0)}${why}`, 'warn')];
  return [...(reachSec === null ? [] : [reach]), ...markSegments(marks)];
}

function baseSegments(data: ChartData): readonly Line[] {
  const of = summaryOf(data, 'base');
  return of === null ? [[plain(`base ${UNKNOWN}`)]] : lineSegments('base', of, 'solid', 'base', data);
}

function previousSegments(data: ChartData): readonly Line[] {
  if (data.previousProblem !== null) {
    return [[colored(`nothing to compare with: ${data.previousProblem}`, 'warn')]];
  }
  const before = summaryOf(data, 'previous');
  const mean = meanOf(known(data, 'base'));
  const change = before === null || mean === null ? null : changeRatio(before.mean, mean);
  return [
    [
      colored(legendGlyph('dotted'), 'previous'),
      plain(` ${data.timeFrame} before${before === null ? `: ${UNKNOWN}` : ''}`),
    ],
    ...(before === null ? [] : extremes(before)),
    ...(change === null ? [] : [[plain(`mean now ${formatChange(change)}`)]]),
  ];
}

function tipSegments(data: ChartData): readonly Line[] {
  const of = summaryOf(data, 'tip');
  const name = `tip ${data.percentile}`;
  if (of === null) {
    const isEmpty = data.slots.every(({ gasUsedRatio }) => gasUsedRatio === 0);
    const why = isEmpty ? 'no transactions in these blocks' : 'not known from this source';
    return [[faint(`${name}: ${data.tipsProblem ?? why}`)]];
  }
  const segments = lineSegments(name, of, 'dashed', 'tip', data);
  if (data.tipsProblem === null) return segments;
  // Despite that, the drawn data was polled.
  return segments.toSpliced(1, 0, [faint('the service gives no history of them')]);
}

function gasSegments(data: ChartData): readonly Line[] {
  const gas = summaryOf(data, 'gasUsedRatio');
  if (gas === null) return [[plain(`blocks: ${UNKNOWN}`)]];
  return [
    [colored(legendGlyph('solid'), 'warn'), plain(' blocks '), bold(`${formatPercent(gas.now)} full`)],
    named('mean', formatPercent(gas.mean)),
  ];
}

export const chartWords = (data: ChartData) => ({
  title: titleSegments(data),
  legend: legendSegments(data),
  base: baseSegments(data),
  previous: data.compared ? [previousSegments(data)] : [],
  tip: tipSegments(data),
  gas: gasSegments(data),
});

/** How far ahead the probability of the cursor's price is forecast, in seconds. */
export const REACH_SEC = 3_600;

/** Base fee and tip of a slot together, wei per gas; `null`: unknown. */
export function slotPrice({ base, tip }: ChartSlot): bigint | null {
  const price = base === null ? 0 : Math.round(base + (tip ?? 0));
  return price > 0 ? BigInt(price) : null;
}

interface CursorAt {
  readonly slot: ChartSlot;
  readonly isFollowing: boolean;
  readonly marks: readonly SlotMark[];
  readonly likely: number | null;
}

/** The values at one slot, against the newest unless it is the newest. */
export function cursorSegments(
  data: ChartData,
  { slot, isFollowing, marks, likely }: CursorAt,
): readonly Line[] {
  const { nowBase } = data;
  const values = [
    // The newest slot may have begun hours ago: "now" means the newest block.
    named('base', gwei(isFollowing ? nowBase : slot.base)),
    named(`tip ${data.percentile}`, gwei(slot.tip)),
    [plain(slot.gasUsedRatio === null ? UNKNOWN : formatPercent(slot.gasUsedRatio)), faint(' full')],
  ];
  const before = data.compared && slot.previous !== null ? [named('before', gwei(slot.previous))] : [];
  const isExact = data.slotMs < MINUTE;
  const clock = clockText(slot.timestamp, true);
  if (isFollowing) {
    const when: Line = [colored(isExact ? `now ${clock}` : 'now', 'accent')];
    return [when, ...values, ...before, [faint('←/→ look at a value')]];
  }
  const change = slot.base === null || nowBase === null ? null : changeRatio(slot.base, nowBase);
  const at = isExact ? clock : moment(slot.timestamp, data.timeFrame);
  return [
    [bold(`▸ ${at}`, 'accent')],
    ...markSegments(marks),
    ...values,
    ...(change === null ? [] : [named('since', formatChange(change))]),
    ...(likely === null ? [] : [named(`reached in ${formatDuration(REACH_SEC)}`, formatLikelihood(likely))]),
    ...before,
  ];
}

/** A time, as precise as is useful for the time frame: `14:05`, or `Tue 3 Nov 14:05`. */
export function moment(timestamp: number, timeFrame: string): string {
  const clock = clockText(timestamp);
  if (isWithinAnHour(timeFrame)) return clock;
  const isDay = (timeFrameSec(timeFrame) ?? Number.POSITIVE_INFINITY) * 1_000 <= DAY;
  return `${weekdayText(timestamp)} ${isDay ? '' : `${dayText(timestamp)} `}${clock}`;
}

function isWithinAnHour(timeFrame: string): boolean {
  return (timeFrameSec(timeFrame) ?? Number.POSITIVE_INFINITY) <= 3_600;
}

export function figureRows(data: ChartData): readonly (readonly [string, string, string])[] {
  const [base, tip, gas] = [summaryOf(data, 'base'), summaryOf(data, 'tip'), summaryOf(data, 'gasUsedRatio')];
  const change = (of: Summary | null) => (of?.changeRatio == null ? UNKNOWN : formatChange(of.changeRatio));
  const row = (name: 'now' | 'max' | 'mean' | 'min') =>
    [name, gwei(base?.[name]), gwei(tip?.[name])] as const;
  const spread = (name: string, at: number) =>
    [name, gwei(quantile(known(data, 'base'), at)), gwei(quantile(known(data, 'tip'), at))] as const;
  return [
    ['', 'base', `tip ${data.percentile}`],
    row('now'),
    ['change', change(base), change(tip)],
    row('max'),
    spread('p90', 0.9),
    row('mean'),
    spread('median', 0.5),
    spread('p10', 0.1),
    row('min'),
    ['full', gas === null ? UNKNOWN : formatPercent(gas.mean), gas === null ? '' : '(mean)'],
  ];
}

/** The value below which a share `at` of the values lies (nearest rank). */
function quantile(values: readonly number[], at: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.max(Math.ceil(at * values.length) - 1, 0)];
}
