import { useIsScreenReaderEnabled } from 'ink';
import { useCallback, useMemo, useState } from 'react';
import * as z from 'zod';
import { chainNameOf } from '../../../client/views/gas.ts';
import { csvText } from '../../../core/csv.ts';
import { formatGwei, gweiString } from '../../../core/units.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useMonitor, useShownSnapshot } from '../../data/monitor-context.ts';
import { useDescription, useMarket, useReach } from '../../data/queries.ts';
import { useRemembered } from '../../data/remembered.ts';
import { ConfirmDialog } from '../../input/confirm.tsx';
import { useKeys } from '../../input/use-keys.tsx';
import { chartPlotWidth } from '../../ui/chart-lines.ts';
import { usePaneMemory, useRoom } from '../../ui/pane-context.tsx';
import { PolledFrame } from '../../ui/pane-state.tsx';
import { isAsciiTerminal } from '../../ui/theme.ts';
import { timeFrameName } from '../../ui/time.ts';
import { thereAgain } from '../alerts/alert-form.tsx';
import {
  type ChartData,
  type ChartSlot,
  chartChoices,
  chartData,
  choiceOf,
  hoursTimeFrame,
  nextAxis,
  slotAt,
  useChartData,
  useChartLook,
  useHeadTip,
} from './chart-data.ts';
import { ChartPlot, REACH_SEC, slotBasis, slotPrice } from './chart-plot.tsx';
import { CheapHours, localWeek, usualPrice, wrapHour } from './cheap-hours.tsx';

const HEATMAP_MS = 300_000;
/** As often as the Service tab asks for the same figures. */
const MARKET_MS = 30_000;

const NO_CHART_YET = 'Nothing to draw or save yet: wait until the chart is there';
const UNDRAWN = 'For a screen reader no chart is drawn: its figures are read';

interface Cursors {
  /** The time of a value of the chart, ms. */
  readonly cursor: number | null;
  /** An hour of the week in the shown zone, from Monday on. */
  readonly hour: number | null;
}

const INITIAL: Cursors = { cursor: null, hour: null };
const Switch = z.boolean();
const NO_SLOTS: readonly ChartSlot[] = [];
/** One of those that the service offers. */
const Choice = z.string();

export function ChartPane() {
  const snapshot = useShownSnapshot();
  const { columns } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const [chosen, change] = usePaneMemory('chart', INITIAL);
  const description = useDescription();
  const { timeFrames, percentiles } = chartChoices(description);
  const [chosenFrame, setTimeFrame] = useRemembered('time-frame', Choice, '1h');
  const [chosenPercentile, setPercentile] = useRemembered('percentile', Choice, 'p50');
  const timeFrame = choiceOf(timeFrames, chosenFrame);
  const percentile = choiceOf(percentiles, chosenPercentile);
  const [compare, setCompare] = useRemembered('chart-compare', Switch, false);
  const [heatmap, setHeatmap] = useRemembered('chart-hours', Switch, false);
  const { axis, setAxis, drawing, setDrawing } = useChartLook();
  const state = { ...chosen, timeFrame, percentile, compare, heatmap };
  const { fullPath, saveFile, now, newAlert } = useMonitor();
  const [asked, ask] = useState<{ readonly name: string; readonly text: string } | null>(null);
  const toast = useToast();
  const chart = useChartData(state, snapshot);
  const hoursFrame = hoursTimeFrame(description);
  const hours = useMarket(hoursFrame, {
    enabled: state.heatmap,
    head: snapshot,
    freshMs: HEATMAP_MS,
  });
  const responses = chart.data;
  const market = useMarket(timeFrame, {
    head: snapshot,
    enabled: !state.heatmap && responses !== undefined,
    freshMs: MARKET_MS,
  }).data;
  const tip = useHeadTip(percentile, snapshot, !state.heatmap && responses?.isByBlock === false);
  const data = useMemo(() => {
    if (responses === undefined) return null;
    const { baseFee, gasUsedRatio, blockTimestamp: timestamp } = snapshot;
    const head = { base: Number(baseFee), tip, gasUsedRatio, timestamp };
    return chartData(responses, head, market, chart.isFilling);
  }, [responses, snapshot, tip, market, chart.isFilling]);
  const slots = data?.slots ?? NO_SLOTS;
  const { heatmap: means = [], from = null, cheapestHourUtc = null } = hours.data ?? {};
  const hasHours = means.some((row) => row.some((value) => value !== null));
  const slot = state.cursor === null || state.heatmap ? undefined : slots[slotAt(slots, state.cursor)];
  const price = slot === undefined ? null : slotPrice(slot);
  const reach = useReach(price, REACH_SEC, snapshot);

  const choose = (part: Partial<Cursors>) => change((before) => ({ ...before, ...part }));
  const moveTo = (cursor: number | null) => choose({ cursor });
  // The drawn chart stays the same until its data changes.
  const moveToSlot = useCallback(
    (to: number) => {
      const cursor = to >= slots.length - 1 ? null : (slots[to]?.timestamp ?? null);
      change((before) => ({ ...before, cursor }));
    },
    [slots, change],
  );
  const moveBy = (by: number) => {
    const step = Math.max(1, Math.round(slots.length / Math.max(chartPlotWidth(columns), 1)));
    const from = state.cursor === null ? slots.length - 1 : slotAt(slots, state.cursor);
    moveToSlot(Math.max(from + by * step, 0));
  };
  const askToSave = (span: string, text: string) =>
    ask({ name: csvName(chainNameOf(snapshot), span, now()), text });
  const save = async (name: string, text: string) => {
    try {
      toast({ kind: 'info', text: `Saved ${await saveFile(name, text)}` });
    } catch (error) {
      toast({ kind: 'error', text: `Not saved: ${error instanceof Error ? error.message : error}` });
    }
  };
  const write = state.heatmap
    ? hasHours && (() => askToSave('hours', heatmapCsv(means)))
    : data && (() => askToSave(data.timeFrame, chartCsv(data)));
  const toggleHours = () => setHeatmap((before) => !before);
  const alertAt = (wei: bigint, from: string) =>
    newAlert({
      ...thereAgain(wei, snapshot.lanes.average.price),
      basis: `From ${from} = ${formatGwei(wei)} gwei`,
    });
  /** What changes the chart shows it, from the cheap hours, too. */
  const inChart = (act: () => void) => () => {
    if (heatmap) toggleHours();
    act();
  };
  const lookKeys = {
    ...(timeFrames.length > 1 && {
      'time-frame': inChart(() => setTimeFrame((before) => choiceOf(timeFrames, before, 1))),
    }),
    ...(percentiles.length > 1 && {
      percentile: inChart(() => setPercentile((before) => choiceOf(percentiles, before, 1))),
    }),
    compare: inChart(() => setCompare((before) => !before)),
    axis: isSpoken
      ? UNDRAWN
      : data === null && !heatmap
        ? NO_CHART_YET
        : inChart(() => data !== null && setAxis(nextAxis(data, axis))),
    drawing: isSpoken
      ? UNDRAWN
      : isAsciiTerminal()
        ? 'Braille dots need Unicode, and this terminal is set to ASCII'
        : inChart(() => setDrawing(drawing === 'line' ? 'braille' : 'line')),
  };
  const { lowest = null, highest = null } = data?.extremes ?? {};
  const chartKeys = {
    ...lookKeys,
    ...(state.cursor !== null && { close: () => moveTo(null) }),
    ...(highest !== null && { 'cursor-up': () => moveTo(highest.timestamp) }),
    ...(lowest !== null && { 'cursor-down': () => moveTo(lowest.timestamp) }),
    ...(slot === undefined || price === null
      ? {}
      : { alert: () => alertAt(price, `the cursor: ${slotBasis(slot, percentile)}`) }),
    'cursor-left': () => moveBy(-1),
    'cursor-right': () => moveBy(1),
    start: () => moveTo(slots[0]?.timestamp ?? null),
    end: () => moveTo(null),
  };
  const week = localWeek(means, snapshot.blockTimestamp ?? now());
  const moveHour = (by: number) => () =>
    change((before) => ({ ...before, hour: wrapHour((before.hour ?? week.current) + by) }));
  const usual = usualPrice(week, state.hour, snapshot);
  const hourKeys = {
    ...lookKeys,
    ...(usual === null ? {} : { alert: () => alertAt(usual.wei, `the cheap hours: ${usual.basis}`) }),
    close: () => (state.hour === null ? toggleHours() : choose({ hour: null })),
    ...(hasHours && {
      'cursor-left': moveHour(-1),
      'cursor-right': moveHour(1),
      'cursor-up': moveHour(-24),
      'cursor-down': moveHour(24),
    }),
    end: () => choose({ hour: null }),
  };
  useKeys('chart', {
    heatmap: toggleHours,
    write: write || NO_CHART_YET,
    ...(state.heatmap ? hourKeys : chartKeys),
  });

  if (asked !== null) {
    const question = { title: 'Write a CSV file?', lines: [fullPath(asked.name)], yes: 'Write', no: 'Back' };
    const onAnswer = (isYes: boolean) => {
      ask(null);
      if (isYes) void save(asked.name, asked.text);
    };
    return <ConfirmDialog {...question} onAnswer={onAnswer} />;
  }

  if (state.heatmap) {
    const empty = !hasHours && {
      title: 'No hours to compare yet',
      hint: 'Each hour that is seen fills its place; h goes back to the chart.',
    };
    return (
      <PolledFrame polled={hours} what="the hours of the week" empty={empty}>
        {(notice) => (
          <CheapHours
            {...{ notice, week, from, cheapestHourUtc }}
            isFilling={hours.isFilling}
            timeFrame={hoursFrame}
            cursor={state.hour}
            base={Number(snapshot.baseFee)}
            now={snapshot.blockTimestamp ?? now()}
          />
        )}
      </PolledFrame>
    );
  }
  const empty = slots.length === 0 && {
    title: 'No history yet',
    hint: 'The chart begins with the next block; t tries another time frame.',
  };
  const likely = reach.data?.probability ?? null;
  return (
    <PolledFrame
      polled={chart}
      what={`the ${timeFrameName(state.timeFrame)}`}
      hint="r asks again now, t tries another time frame"
      {...{ empty, pending: chart.pending }}
    >
      {(notice) =>
        data && (
          <ChartPlot {...{ data, notice, likely, axis, drawing }} cursor={state.cursor} onPick={moveToSlot} />
        )
      }
    </PolledFrame>
  );
}

/** `gastop-ethereum-24h-20261120T194407Z.csv`; `what` is the time frame, or another name of the content. */
export function csvName(chainName: string | null, what: string, now: number): string {
  const slug = (chainName ?? 'chain').toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  return `gastop-${slug}-${what}-${stamp}.csv`;
}

const gwei = (wei: number | null) => (wei === null ? null : gweiString(BigInt(Math.round(wei))));

export function chartCsv({ slots, marks, percentile, timeFrame, compared }: ChartData): string {
  const kinds = Map.groupBy(marks, ({ index }) => slots[index]);
  const columns = {
    timestamp_utc: ({ timestamp }: ChartSlot) => new Date(timestamp).toISOString(),
    base_fee_gwei: ({ base }: ChartSlot) => gwei(base),
    base_fee_min_gwei: ({ low }: ChartSlot) => gwei(low),
    base_fee_max_gwei: ({ high }: ChartSlot) => gwei(high),
    [`priority_fee_${percentile}_gwei`]: ({ tip }: ChartSlot) => gwei(tip),
    gas_used_ratio: ({ gasUsedRatio: ratio }: ChartSlot) => ratio && Number(ratio.toFixed(6)),
    ...(compared && { [`base_fee_${timeFrame}_before_gwei`]: ({ previous }: ChartSlot) => gwei(previous) }),
    marks: (slot: ChartSlot) => (kinds.get(slot) ?? []).map(({ kind }) => kind).join(' '),
  };
  // Steps in a hole of the history are drawn, but have no measurements.
  const measured = slots.filter(({ base }) => base !== null);
  return csvText(columns, measured);
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export function heatmapCsv(heatmap: readonly (readonly (number | null)[])[]): string {
  const hours = heatmap.flatMap((values, day) => values.map((mean, hour) => ({ day, hour, mean })));
  type Hour = (typeof hours)[number];
  const columns = {
    weekday_utc: ({ day }: Hour) => DAYS[day] ?? day,
    hour_utc: ({ hour }: Hour) => hour,
    mean_base_fee_gwei: ({ mean }: Hour) => gwei(mean),
  };
  return csvText(columns, hours);
}
