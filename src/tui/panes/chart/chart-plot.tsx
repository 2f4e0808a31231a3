import { Box, useIsScreenReaderEnabled } from 'ink';
import { memo, useMemo } from 'react';
import { timeFrameSec } from '../../../client/values.ts';
import { changeRatio, summarise } from '../../../core/market-stats.ts';
import { DAY_MS, MINUTE_MS } from '../../../core/time.ts';
import {
  formatChange,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  formatSpan,
  UNKNOWN,
} from '../../../core/units.ts';
import { chartPlotWidth, legendGlyph } from '../../ui/chart-lines.ts';
import { LineChart } from '../../ui/line-chart.tsx';
import { useRoom, useTextWidth } from '../../ui/pane-context.tsx';
import { known } from '../../ui/table.tsx';
import {
  bold,
  changeSpan,
  colored,
  EMPTY_LINE,
  faint,
  fitText,
  flow,
  type Line,
  LineList,
  placed,
  plain,
  SegmentLine,
  shownWidth,
} from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { clockText, dayText, offsetAt, STILL_READ, weekdayText, zoneText } from '../../ui/time.ts';
import { axesOf, type ChartData, type ChartSlot, meanOrNull, slotAt, useChartLook } from './chart-data.ts';

type Summary = NonNullable<ReturnType<typeof summaryOf>>;
type Known = 'base' | 'tip' | 'previous' | 'gasUsedRatio';

const valuesOf = ({ slots }: ChartData, name: Known) => slots.flatMap((slot) => slot[name] ?? []);

/** `null` when no value is known. Of the base fee the market route's figures, or those of single blocks, if known. */
function summaryOf(data: ChartData, name: Known) {
  const values = valuesOf(data, name);
  const isBase = name === 'base';
  const now = name === 'previous' ? values.at(-1) : data.now[name];
  const mean = isBase ? data.meanBase : meanOrNull(values);
  if (values[0] === undefined || now === undefined || mean === null) return null;
  // The newest block may be younger than the chart.
  const single = isBase ? data.slots.flatMap(({ low, high }) => [low ?? [], high ?? []].flat()) : [];
  const all = [now ?? [], values, single].flat();
  const { previousExtremes: before } = data;
  const isBefore = name === 'previous' && before !== null;
  const own = {
    p10: null,
    median: null,
    p90: null,
    ...summarise(values.map((value) => ({ value, weight: 1 }))),
    now,
    mean,
    min: Math.min(...all),
    max: Math.max(...all),
    ...(isBefore && { min: before.lowest.min, max: before.highest.max }),
    changeRatio: now === null ? null : changeRatio(now, values[0]),
  };
  return isBase && data.spread !== null ? { ...own, ...data.spread } : own;
}

/** Look and name of each kind of mark; of two in one column the later one is visible. */
const LOOKS = new Map<string, readonly [glyph: string, color: ColorName, name: string]>([
  ['ANOMALY', ['◇', 'warn', 'unusual']],
  ['REGIME_SHIFT', ['◆', 'accent', 'new level']],
  ['SPIKE', ['▲', 'bad', 'spike']],
  ['AUTO_TX', ['■', 'good', 'auto-tx']],
  ['ALERT', ['●', 'good', 'alert fired']],
]);

export function markLook(kind: string) {
  const own = kind.toLowerCase().replaceAll('_', ' ').slice(0, 20);
  const [glyph, color, name] = LOOKS.get(kind) ?? ['✱', 'warn', own];
  return { glyph, color, name, rank: [...LOOKS.keys()].indexOf(kind) };
}

/** @param momentOf names the time of each: a column may hold hours of them */
function markSegments(
  marks: ChartData['marks'],
  momentOf: (timestamp: number) => string = () => '',
): readonly Line[] {
  return [...Map.groupBy(marks, ({ kind }) => kind)]
    .map(([kind, all]) => ({ ...markLook(kind), all }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ glyph, color, name, all }) => {
      const [top] = all.toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0));
      // Of several in one column the highest counts.
      if (top?.value != null && momentOf(top.timestamp) !== '')
        return [bold(glyph, color), plain(` ${name} ${formatGwei(top.value)} at ${momentOf(top.timestamp)}`)];
      const times = [...new Set(all.map(({ timestamp }) => momentOf(timestamp)))];
      const when = times.length > MOST_TIMES ? `${times[0]} – ${times.at(-1)}` : times.join(', ');
      const words = [name, all.length > 1 ? `×${all.length}` : '', when];
      return [bold(glyph, color), plain(` ${words.filter((word) => word !== '').join(' ')}`)];
    });
}

/** Of more marks of one kind only the first and the last are named. */
const MOST_TIMES = 3;

/** Distances between labels that clocks and calendars have, in minutes. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 10080];
/** `╵Tue 13` and two spaces. */
const LABEL_WIDTH = 9;

export function timeLabels(slots: readonly Pick<ChartSlot, 'timestamp'>[], plotWidth: number) {
  const span = (slots.at(-1)?.timestamp ?? 0) - (slots[0]?.timestamp ?? 0);
  const room = Math.max(Math.floor(plotWidth / LABEL_WIDTH), 1);
  const step = (STEPS.find((minutes) => span / (minutes * MINUTE_MS) <= room) ?? 43_200) * MINUTE_MS;
  const local = (timestamp: number) => timestamp + offsetAt(timestamp) * MINUTE_MS;
  return slots.flatMap(({ timestamp }, index) => {
    const past = local(timestamp) % step;
    const before = slots[index - 1]?.timestamp;
    // The first slot has a label only if it starts a step.
    const isBegun = before !== undefined && local(timestamp) - local(before) > past;
    if (past !== 0 && !isBegun) return [];
    // The slot may start a little after the round time, which the label names.
    const round = timestamp - past;
    const day = dayText(round);
    const isMidnight = local(round) % DAY_MS === 0;
    const clock = isMidnight ? `${weekdayText(round)} ${day.split(' ')[0]}` : clockText(round);
    return [{ index, text: step > DAY_MS ? day : clock }];
  });
}

const named = (name: string, text: string): Line => [faint(`${name} `), { text }];
const gwei = (wei: number | null) => known(wei, formatGwei);
const percent = (share: number | null) => known(share, (ratio) => formatPercent(ratio));
const extremes = (of: Summary, whenOf = (_name: 'min' | 'mean' | 'max') => '') =>
  (['min', 'mean', 'max'] as const).map((name) => [...named(name, gwei(of[name])), plain(whenOf(name))]);

const SIDES = { min: 'lowest', max: 'highest' } as const;

/** When the base fee was lowest or highest, as briefly as the time frame allows; empty where that is not known. */
function extremeTime(data: ChartData, of: Summary, name: 'min' | 'max'): string {
  const at = data.extremes[SIDES[name]];
  // The head, or figures of a window that begins elsewhere, may go beyond it.
  if (at === null || formatGwei(at.value) !== formatGwei(of[name])) return '';
  const isWeek = (timeFrameSec(data.timeFrame) ?? Number.POSITIVE_INFINITY) * 1_000 <= 7 * DAY_MS;
  const [long, short = long] = moments(at.timestamp, data.timeFrame);
  return isWeek && long !== short ? `${weekdayText(at.timestamp)} ${clockText(at.timestamp)}` : short;
}

/** A line's caption: its name and latest value, its change and its extremes, as much of it as fits. */
function caption(
  data: ChartData,
  key: 'base' | 'tip',
  { width, hasSide }: { readonly width: number; readonly hasSide: boolean },
): readonly Line[] {
  const of = summaryOf(data, key);
  const [name, style] =
    key === 'base' ? (['base', 'solid'] as const) : ([`tip ${data.percentile}`, 'dashed'] as const);
  if (of === null) {
    const isEmpty = data.slots.every(({ gasUsedRatio }) => gasUsedRatio === 0);
    const why = isEmpty ? 'no transactions in these blocks' : 'not known from this source';
    return [[faint(`${name}: ${data.tipsProblem ?? why}`)]];
  }
  const span = data.reachSec === null ? data.timeFrame : formatSpan(data.reachSec);
  const { changeRatio: ratio } = of;
  const change = ratio === null || !isBegun(data) ? [] : [plain(' '), changeSpan(ratio)];
  // Despite that, the drawn data was polled.
  const isPolled = key === 'tip' && data.tipsProblem !== null;
  const latest = [colored(legendGlyph(style), key), plain(` ${name} `), bold(gwei(of.now), key), ...change];
  const against = change.length === 0 ? [] : [faint(` against ${span} ago`)];
  const isOfBlocks = key === 'base' || data.tipMeansMs === null;
  const basis = isOfBlocks ? [] : [[faint(`${formatSpan((data.tipMeansMs ?? 0) / 1_000)} means:`)]];
  const polled = isPolled ? [[faint('the service gives no history of them')]] : [];
  const timed = (name: 'min' | 'mean' | 'max') => {
    const when = name === 'mean' || key === 'tip' ? '' : extremeTime(data, of, name);
    return when === '' ? '' : ` ${when}`;
  };
  const figures = [...polled, ...basis, ...extremes(of)];
  const withTimes = [...polled, ...basis, ...extremes(of, timed)];
  const whole = [...latest, ...against];
  // The side has the times, too.
  const brief = hasSide ? [] : [[latest, ...withTimes]];
  const variants = [[whole, ...withTimes], ...brief, [whole, ...figures]];
  const fits = (segments: readonly Line[]) => flow(segments, width, { most: 2 }).length < 2;
  return variants.find(fits) ?? [latest, ...figures];
}

/** Which axes are logarithmic; empty where none is. */
function axisWords({ base, tip }: ReturnType<typeof axesOf>, hasTips: boolean): string {
  if (base === 'linear') return tip === 'linear' || !hasTips ? '' : ', tips on a log axis';
  return tip === 'log' || !hasTips ? ', log axis' : ', base on a log axis';
}

function titleSegments({ slots, timeFrame }: ChartData, axes: string): readonly Line[] {
  const [first, last] = [slots[0]?.timestamp ?? 0, slots.at(-1)?.timestamp ?? 0];
  const isHour = isWithinAnHour(timeFrame);
  // As precise as is useful for the time frame; a long frame with a short history may show hours only.
  const isLong = last - first > DAY_MS && !isHour;
  const end = isLong ? dayText : clockText;
  const weekday = isLong || isHour ? '' : `${weekdayText(first)} `;
  const [from, to] = [zoneText(offsetAt(first)), zoneText(offsetAt(last))];
  // After a change of clocks each end has its own offset.
  const span = `${weekday}${end(first)}${from === to ? '' : ` ${from}`} – ${end(last)} ${to}`;
  return [[bold(timeFrame, 'accent')], [plain(span)], [faint(`gwei${axes}`)]];
}

/** A history that is shorter than a step of the chart: how far it reaches, and a change over it, are unknown. */
const isBegun = ({ reachSec, slotMs }: ChartData) => reachSec === null || reachSec * 1_000 >= slotMs;

function legendSegments(data: ChartData): readonly Line[] {
  const { reachSec, problem, marks, slotMs, isFilling } = data;
  const why = problem === null ? '' : `, to the start of gastop: ${problem}`;
  const span = isBegun(data) ? formatSpan(reachSec ?? 0) : `less than ${formatSpan(slotMs / 1_000)}`;
  const rest = isFilling ? ` so far, ${STILL_READ}` : why;
  const reach = colored(`history reaches back ${span}${rest}`, 'warn');
  return [...(reachSec === null ? [] : [[reach]]), ...markSegments(marks)];
}

function previousSegments(data: ChartData): readonly Line[] {
  const { previousProblem: problem, previousReachSec: reachSec, timeFrame } = data;
  if (problem !== null) return [[colored(`nothing to compare with: ${problem}`, 'warn')]];
  const before = summaryOf(data, 'previous');
  const change = before && changeRatio(meanOrNull(valuesOf(data, 'base')) ?? 0, before.mean);
  const name = [colored(legendGlyph('dotted'), 'previous'), plain(` ${timeFrame} before`)];
  if (before === null) return [[...name, plain(`: ${UNKNOWN}`)]];
  // The mean of a part is nothing to compare the mean of the whole with.
  if (reachSec !== null) {
    const part = colored(` only ${formatSpan(reachSec)} of it stored`, 'warn');
    return [[...name, part], ...extremes(before)];
  }
  const against = change === null ? [] : [[plain(`mean of this ${timeFrame} ${formatChange(change)}`)]];
  return [name, ...extremes(before), ...against];
}

function gasSegments(data: ChartData): readonly Line[] {
  const gas = summaryOf(data, 'gasUsedRatio');
  if (gas === null) return [[plain(`blocks: ${UNKNOWN}`)]];
  const now = [colored(legendGlyph('solid'), 'warn'), plain(' blocks '), bold(`${percent(gas.now)} full`)];
  return [now, named('mean', percent(gas.mean))];
}

/** How far ahead the probability of the cursor's price is forecast, in seconds. */
export const REACH_SEC = 3_600;

/** Base fee and tip of a slot together, wei per gas; `null`: unknown. */
export function slotPrice({ base, tip }: ChartSlot): bigint | null {
  const price = base === null ? 0 : Math.round(base + (tip ?? 0));
  return price > 0 ? BigInt(price) : null;
}

/** `base 0.0316 + tip p50 0.0134 at Sun 07:15`: what {@link slotPrice} is made of. */
export function slotBasis({ base, tip, timestamp }: ChartSlot, percentile: string): string {
  const added = tip === null ? '' : ` + tip ${percentile} ${formatGwei(tip)}`;
  return `base ${gwei(base)}${added} at ${weekdayText(timestamp)} ${clockText(timestamp)}`;
}

/** The values at one slot (by index; `null`: the newest), against the newest unless it is that. */
function cursorSegments(
  data: ChartData,
  index: number | null,
  marks: ChartData['marks'],
  likely: number | null,
  isShort: boolean,
): readonly Line[] {
  const { now, slots, timeFrame, percentile, extremes: known } = data;
  const slot = slots[index ?? slots.length - 1];
  if (slot === undefined) return [];
  // The newest slot may have begun hours ago: "now" means the newest block.
  const { timestamp, base, tip, gasUsedRatio: ratio } = index === null ? now : slot;
  const { previous } = slot;
  const values = [
    named('base', gwei(base)),
    named(`tip ${percentile}`, gwei(tip)),
    [plain(percent(ratio)), faint(' full')],
  ];
  const before = data.compared && previous !== null ? [named('before', gwei(previous))] : [];
  const isExact = data.slotMs < MINUTE_MS;
  const clock = clockText(timestamp, true);
  if (index === null) {
    const when = colored(isExact ? `now ${clock}` : 'now', 'accent');
    return [[when], ...values, ...before, [faint('←/→ look at a value')]];
  }
  const change = now.base === null ? null : changeRatio(now.base, base);
  const price = slotPrice(slot);
  return [
    [bold(`▸ ${isExact ? clock : moment(timestamp, timeFrame)}`, 'accent')],
    ...markSegments(marks, (at) => (data.slotMs > DAY_MS ? moment(at, timeFrame) : clockText(at, isExact))),
    ...Object.values(SIDES).flatMap((side) => {
      const at = known[side];
      const isHere = at !== null && slotAt(slots, at.timestamp) === index;
      if (!isHere || marks.some(({ value }) => value === at.value)) return [];
      return [[bold(side), plain(` ${formatGwei(at.value)} at ${clockText(at.timestamp)}`)]];
    }),
    ...values,
    ...(change === null ? [] : [named('since', formatChange(change))]),
    ...(price === null || likely === null ? [] : [likelyAgain(price, likely, isShort)]),
    ...before,
  ];
}

/** `0.164 with tip: 79 % likely in 1h`: what is forecast is a lane's price, tip included. */
function likelyAgain(price: bigint, likely: number, isShort: boolean): Line {
  const within = `in ${formatDuration(REACH_SEC)}`;
  const [before, after] = isShort ? [` ${within} `, ''] : [' with tip: ', ` likely ${within}`];
  return [plain(formatGwei(price)), faint(before), plain(formatLikelihood(likely)), faint(after)];
}

/** A time as precise as is useful for the time frame, and shorter: `Tue 3 Nov 14:05`, `3 Nov 14:05`, `3 Nov`, or `14:05`. */
function moments(timestamp: number, timeFrame: string): readonly [string, ...string[]] {
  const clock = clockText(timestamp);
  if (isWithinAnHour(timeFrame)) return [clock];
  const isDay = (timeFrameSec(timeFrame) ?? Number.POSITIVE_INFINITY) * 1_000 <= DAY_MS;
  const [weekday, day] = [weekdayText(timestamp), dayText(timestamp)];
  return isDay ? [`${weekday} ${clock}`, clock] : [`${weekday} ${day} ${clock}`, `${day} ${clock}`, day];
}

const moment = (timestamp: number, timeFrame: string) => moments(timestamp, timeFrame)[0];

const isWithinAnHour = (timeFrame: string) => (timeFrameSec(timeFrame) ?? Number.POSITIVE_INFINITY) <= 3_600;

/** From so many columns on the line of the cursor has whole words. */
const ROOMY = 100;
const SIDE_WIDTH = 35;
const SIDE_FROM = 116;
const FIGURES = ['now', 'change', 'max', 'p90', 'mean', 'median', 'p10', 'min'] as const;

/** Beside the charts of wide screens: the figures of both prices, and what is marked. */
export function ChartSide({ data, height }: Pick<ChartPlotProps, 'data'> & { readonly height: number }) {
  const inner = SIDE_WIDTH - 3;
  const column = Math.floor((inner - 8) / 2);
  const row = (name: string, ...cells: readonly string[]) =>
    name.padEnd(8) + cells.map((cell) => ` ${cell}`.padStart(column)).join('');
  const prices = (['base', 'tip'] as const).map((key) => summaryOf(data, key));
  const gas = summaryOf(data, 'gasUsedRatio');
  const { tipMeansMs: meansMs } = data;
  const full = gas === null ? [UNKNOWN, ''] : [percent(gas.mean), '(mean)'];
  const figures: readonly Line[] = [
    [faint(row('', 'base', `tip ${data.percentile}`))],
    ...(meansMs === null ? [] : [[faint(row('of', 'blocks', `${formatSpan(meansMs / 1_000)} means`))]]),
    ...FIGURES.map((name) => {
      if (name === 'change')
        return [plain(row(name, ...prices.map((of) => known(of?.changeRatio, formatChange))))];
      return [plain(row(name, ...prices.map((of) => known(of?.[name], formatGwei))))];
    }),
    [plain(row('full', ...full))],
    ...(['max', 'min'] as const).flatMap((name) => {
      const [of] = prices;
      const when = of == null ? '' : extremeTime(data, of, name);
      return of == null || when === '' ? [] : [[plain(`${SIDES[name]} ${formatGwei(of[name])} ${when}`)]];
    }),
  ];
  const isUnusual = data.marks.some(({ value }) => value !== null);
  const about = isUnusual
    ? [`unusual for ${data.timeFrame}, newest first`, '(far off the prices around it)']
    : ['marked, newest first'];
  const room = Math.max(height - figures.length - 2 - about.length, 0);
  const marked = data.marks.toReversed().map(({ kind, timestamp, value }): Line => {
    const { glyph, name, color } = markLook(kind);
    const price = value === null ? '' : formatGwei(value);
    const room = inner - price.length - 1;
    // A figure keeps its digits: the weekday goes first, then the clock.
    const lefts = moments(timestamp, data.timeFrame).map((when) => `${glyph} ${when} ${name}`);
    const left = lefts.find((each) => shownWidth(each) <= room) ?? lefts.at(-1) ?? '';
    return [colored(`${fitText(left, room)} ${price}`, color)];
  });
  const heading =
    room === 0 || marked.length === 0 ? [] : [EMPTY_LINE, ...about.map((words) => [faint(words)])];
  return (
    <Box width={SIDE_WIDTH} height={height} paddingLeft={2}>
      <LineList lines={[...figures, ...heading, ...marked.slice(0, room)]} width={inner} />
    </Box>
  );
}

/** With fewer rows two charts would be too flat to read. */
const TWO_CHARTS_FROM = 7;
const THREE_CHARTS_FROM = 26;
/** A screen reader reads the figures of every chart. */
const SPOKEN_ROWS = 100;

/** The rows of each chart. Base fee and tips have their own if possible: one would flatten the other. */
function chartRows(rows: number, hasTips: boolean) {
  const gas = rows >= THREE_CHARTS_FROM ? Math.round((rows - 1) * 0.2) : 0;
  // Each chart after the first needs one row for its caption.
  const left = rows - (gas === 0 ? 0 : gas + 1);
  if (!hasTips || left - 1 < TWO_CHARTS_FROM) return { base: Math.max(left, 1), tip: 0, gas };
  const tip = Math.max(Math.round((left - 1) * 0.33), 2);
  return { base: left - 1 - tip, tip, gas };
}

export interface ChartPlotProps {
  readonly data: ChartData;
  readonly cursor: number | null;
  readonly notice: Line | null;
  readonly likely?: number | null;
  /** Whether keys move a cursor over it, which has a line of its own. */
  readonly hasCursor?: boolean;
  /** Gets the index of the slot that is clicked. */
  readonly onPick?: (index: number) => void;
}

export const ChartPlot = memo(function ChartPlot(props: ChartPlotProps) {
  const { data, cursor, notice, likely = null, onPick, hasCursor = true } = props;
  const { axis, drawing } = useChartLook();
  const { columns: width, rows: height } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const textWidth = useTextWidth();
  const { slots, marks } = data;
  const hasTips = slots.some(({ tip }) => tip !== null);
  // Everything drawn is explained: parts that do not fit into the title go below it.
  const legend = legendSegments(data);
  const axes = useMemo(() => axesOf(data, axis), [data, axis]);
  const aboveOf = (axisText: string) => {
    const title = flow([...titleSegments(data, axisText), ...legend], textWidth);
    const rest = legend.filter((segment) => !segment.every((span) => title[0]?.includes(span)));
    return [...title, ...flow(rest, textWidth), ...(notice === null ? [] : [[plain(' '), ...notice]])];
  };
  const wholly = aboveOf(isSpoken ? '' : axisWords(axes, hasTips));
  const previous = data.compared ? [previousSegments(data)] : [];
  const hasSide = width >= SIDE_FROM && !isSpoken;
  const chartWidth = width - (hasSide ? SIDE_WIDTH : 0);
  const captionRoom = { width: chartWidth, hasSide };
  // The caption of the base fee, the time labels and the cursor line.
  const around = wholly.length + (hasCursor ? 3 : 2) + previous.length + (hasTips ? 0 : 1);
  const rows = chartRows((isSpoken ? SPOKEN_ROWS : height) - around, hasTips);
  // Tips in the chart of the base fee have its axis.
  const above = rows.tip > 0 || isSpoken ? wholly : aboveOf(axisWords(axes, false));

  const index = cursor === null ? null : slotAt(slots, cursor);
  const plotWidth = Math.max(chartPlotWidth(chartWidth), 1);
  const values = (name: Known) => slots.map((slot) => slot[name]);
  const base = { color: 'base', values: values('base'), ranges: slots } as const;
  const before = { color: 'previous', style: 'dotted', values: values('previous') } as const;
  const tip = { color: 'tip', style: 'dashed', values: values('tip') } as const;
  // Of two in one place the more important is drawn last, on top, and of two alike the higher one.
  const looks = marks
    .map((mark) => ({
      index: mark.index,
      value: mark.value ?? slots[mark.index]?.base,
      ...markLook(mark.kind),
    }))
    .sort((a, b) => a.rank - b.rank || (a.value ?? 0) - (b.value ?? 0));
  const charts = [
    {
      captions: [caption(data, 'base', captionRoom), ...previous],
      height: rows.base,
      series: [base, ...(data.compared ? [before] : []), ...(rows.tip === 0 && hasTips ? [tip] : [])],
      marks: looks,
      axis: axes.base,
    },
    { captions: [caption(data, 'tip', captionRoom)], height: rows.tip, series: [tip], axis: axes.tip },
    {
      captions: [gasSegments(data)],
      height: rows.gas,
      series: [{ color: 'warn', values: values('gasUsedRatio') } as const],
      include: [0, 1],
      format: (ratio: number) => formatPercent(ratio),
    },
  ].filter((chart) => chart.height > 0);

  const sideMost = slots.length / plotWidth / 2;
  const near = marks.filter((mark) => index !== null && Math.abs(mark.index - index) <= sideMost);
  const xLabels = timeLabels(slots, plotWidth);
  const isLast = (place: number) => place === charts.length - 1;
  return (
    <Box flexDirection="column" width={width} height={height}>
      <LineList lines={above} />
      <Box flexDirection="row">
        <Box flexDirection="column" width={chartWidth} flexShrink={0}>
          {placed(charts, ({ captions, height: own, ...chart }, place) => (
            <>
              {placed(captions, (segments) => (
                <SegmentLine segments={segments} width={chartWidth} />
              ))}
              <LineChart
                format={formatGwei}
                {...chart}
                drawing={drawing}
                width={chartWidth}
                height={isLast(place) ? own + 1 : own}
                xLabels={isLast(place) ? xLabels : undefined}
                cursor={index}
                onPick={onPick}
              />
            </>
          ))}
          {hasTips ? null : <SegmentLine segments={caption(data, 'tip', captionRoom)} width={chartWidth} />}
        </Box>
        {hasSide ? <ChartSide data={data} height={height - above.length - 1} /> : null}
      </Box>
      {hasCursor ? (
        <SegmentLine segments={cursorSegments(data, index, near, likely, textWidth < ROOMY)} />
      ) : null}
    </Box>
  );
});
