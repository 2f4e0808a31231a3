import { useIsScreenReaderEnabled } from 'ink';
import { useCallback, useMemo } from 'react';
import * as z from 'zod';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { chainNameOf } from '../../../client/views/gas-texts.ts';
import { csvText } from '../../../core/csv.ts';
import { formatGwei, gweiString } from '../../../core/units.ts';
import { useToast } from '../../chrome/toast.tsx';
import { thereAgain } from '../../data/alert-prefill.ts';
import { useMonitor, useShownSnapshot } from '../../data/monitor-context.ts';
import { MONTH_MS, useDescription, useMarket, useReach } from '../../data/queries.ts';
import { useRemembered } from '../../data/remembered.ts';
import { useConfirmation } from '../../input/confirm.tsx';
import { type ActionHandlers, useKeys } from '../../input/use-keys.tsx';
import { chartPlotWidth } from '../../ui/chart-lines.ts';
import { usePaneMemory, useRoom } from '../../ui/pane-context.tsx';
import { PolledFrame } from '../../ui/pane-state.tsx';
import { isAsciiTerminal } from '../../ui/theme.ts';
import { timeFrameName } from '../../ui/time.ts';
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

const NO_CHART_YET = 'Nothing to draw or save yet: wait until the chart is there';
const UNDRAWN = 'For a screen reader no chart is drawn: its figures are read';

const Switch = z.boolean();
const NO_SLOTS: readonly ChartSlot[] = [];
/** One of those that the service offers. */
const Choice = z.string();

/** The chart, or in its place the cheap hours of the week. */
export function ChartPane() {
  const snapshot = useShownSnapshot();
  const choices = useChartChoices();
  const chart = useChart(choices, snapshot);
  const lookKeys = useLookKeys(choices, chart.data);
  const { dialog, askToWrite } = useCsvFile(snapshot);
  if (dialog !== null) return dialog;
  const shared = { snapshot, choices, lookKeys, askToWrite };
  return choices.heatmap ? <HoursScreen {...shared} /> : <PlotScreen {...shared} chart={chart} />;
}

type Choices = ReturnType<typeof useChartChoices>;

/** What is shown, and what chooses it. */
function useChartChoices() {
  const description = useDescription();
  const { timeFrames, percentiles } = chartChoices(description);
  const [timeFrame, setTimeFrame] = useRemembered('time-frame', Choice, '1h');
  const [percentile, setPercentile] = useRemembered('percentile', Choice, 'p50');
  const [compare, setCompare] = useRemembered('chart-compare', Switch, false);
  const [heatmap, setHeatmap] = useRemembered('chart-hours', Switch, false);
  return {
    timeFrame: choiceOf(timeFrames, timeFrame),
    percentile: choiceOf(percentiles, percentile),
    compare,
    heatmap,
    hoursFrame: hoursTimeFrame(description),
    hasTimeFrames: timeFrames.length > 1,
    hasPercentiles: percentiles.length > 1,
    nextTimeFrame: () => setTimeFrame((before) => choiceOf(timeFrames, before, 1)),
    nextPercentile: () => setPercentile((before) => choiceOf(percentiles, before, 1)),
    toggleCompare: () => setCompare((before) => !before),
    toggleHours: () => setHeatmap((before) => !before),
  };
}

/** The chart's data up to the head; requests nothing while the cheap hours are shown. */
function useChart(choices: Choices, snapshot: SnapshotView) {
  const { timeFrame, percentile, heatmap } = choices;
  const polled = useChartData(choices, !heatmap);
  const responses = polled.data;
  const isWanted = !heatmap && responses !== undefined;
  const market = useMarket(timeFrame, { enabled: isWanted }).data;
  const tip = useHeadTip(percentile, snapshot, !heatmap && responses?.isByBlock === false);
  const data = useMemo(() => {
    if (responses === undefined) return null;
    const { baseFee, gasUsedRatio, blockTimestamp: timestamp } = snapshot;
    const head = { base: Number(baseFee), tip, gasUsedRatio, timestamp };
    return chartData(responses, head, market, polled.isFilling);
  }, [responses, snapshot, tip, market, polled.isFilling]);
  return { polled, data };
}

/** What changes the chart shows it, from the cheap hours, too. */
function useLookKeys(choices: Choices, data: ChartData | null) {
  const isSpoken = useIsScreenReaderEnabled();
  const { heatmap, toggleHours } = choices;
  const { axis, setAxis, drawing, setDrawing } = useChartLook();
  const inChart = (act: () => void) => () => {
    if (heatmap) toggleHours();
    act();
  };
  return {
    heatmap: toggleHours,
    'time-frame': choices.hasTimeFrames ? inChart(choices.nextTimeFrame) : undefined,
    percentile: choices.hasPercentiles ? inChart(choices.nextPercentile) : undefined,
    compare: inChart(choices.toggleCompare),
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
}

/** Asks before it writes a CSV file. */
function useCsvFile(snapshot: SnapshotView) {
  const { fullPath, saveFile, now } = useMonitor();
  const { dialog, ask } = useConfirmation();
  const toast = useToast();
  const save = async (name: string, text: string) => {
    try {
      toast({ kind: 'info', text: `Saved ${await saveFile(name, text)}` });
    } catch (error) {
      toast({ kind: 'error', text: `Not saved: ${error instanceof Error ? error.message : error}` });
    }
  };
  const askToWrite = (span: string, text: string) => {
    const name = csvName(chainNameOf(snapshot), span, now());
    const question = { title: 'Write a CSV file?', lines: [fullPath(name)], yes: 'Write', no: 'Back' };
    ask({ ...question, run: () => void save(name, text) });
  };
  return { dialog, askToWrite };
}

interface ScreenProps {
  readonly snapshot: SnapshotView;
  readonly choices: Choices;
  readonly lookKeys: ActionHandlers;
  readonly askToWrite: (span: string, text: string) => void;
}

interface PlotScreenProps extends ScreenProps {
  readonly chart: ReturnType<typeof useChart>;
}

function PlotScreen({ snapshot, choices, lookKeys, askToWrite, chart }: PlotScreenProps) {
  const { columns } = useRoom();
  const alertAt = useAlertAt(snapshot);
  /** The time of a value of the chart, ms. */
  const [cursor, setCursor] = usePaneMemory<number | null>('chart', null);
  const { polled, data } = chart;
  const slots = data?.slots ?? NO_SLOTS;
  const slot = cursor === null ? undefined : slots[slotAt(slots, cursor)];
  const price = slot === undefined ? null : slotPrice(slot);
  const likely = useReach(price, REACH_SEC).data?.probability ?? null;
  // The drawn chart stays the same until its data changes.
  const moveToSlot = useCallback(
    (to: number) => setCursor(to >= slots.length - 1 ? null : (slots[to]?.timestamp ?? null)),
    [slots, setCursor],
  );
  const moveBy = (by: number) => {
    const step = Math.max(1, Math.round(slots.length / Math.max(chartPlotWidth(columns), 1)));
    const from = cursor === null ? slots.length - 1 : slotAt(slots, cursor);
    moveToSlot(Math.max(from + by * step, 0));
  };
  const { lowest = null, highest = null } = data?.extremes ?? {};
  useKeys('chart', {
    ...lookKeys,
    write: data === null ? NO_CHART_YET : () => askToWrite(data.timeFrame, chartCsv(data)),
    close: cursor === null ? undefined : () => setCursor(null),
    'cursor-up': highest === null ? undefined : () => setCursor(highest.timestamp),
    'cursor-down': lowest === null ? undefined : () => setCursor(lowest.timestamp),
    alert:
      slot === undefined || price === null
        ? undefined
        : () => alertAt(price, `the cursor: ${slotBasis(slot, choices.percentile)}`),
    'cursor-left': () => moveBy(-1),
    'cursor-right': () => moveBy(1),
    start: () => setCursor(slots[0]?.timestamp ?? null),
    end: () => setCursor(null),
  });
  const empty = slots.length === 0 && {
    title: 'No history yet',
    hint: 'The chart begins with the next block; t tries another time frame.',
  };
  return (
    <PolledFrame
      polled={polled}
      what={`the ${timeFrameName(choices.timeFrame)}`}
      hint="r asks again now, t tries another time frame"
      empty={empty}
      pending={polled.pending}
    >
      {(notice) =>
        data && <ChartPlot data={data} notice={notice} likely={likely} cursor={cursor} onPick={moveToSlot} />
      }
    </PolledFrame>
  );
}

function HoursScreen({ snapshot, choices, lookKeys, askToWrite }: ScreenProps) {
  const { now } = useMonitor();
  const alertAt = useAlertAt(snapshot);
  /** An hour of the week in the shown zone, from Monday on. */
  const [hour, setHour] = usePaneMemory<number | null>('chart hours', null);
  const hours = useMarket(choices.hoursFrame, { freshMs: MONTH_MS });
  const { heatmap: means = [], from = null, cheapestHourUtc = null } = hours.data ?? {};
  const hasHours = means.some((row) => row.some((value) => value !== null));
  const present = snapshot.blockTimestamp ?? now();
  const week = localWeek(means, present);
  const usual = usualPrice(week, hour, snapshot);
  const unselect = () => setHour(null);
  const moveBy = (by: number) =>
    hasHours ? () => setHour((before) => wrapHour((before ?? week.current) + by)) : undefined;
  useKeys('chart', {
    ...lookKeys,
    write: hasHours ? () => askToWrite('hours', heatmapCsv(means)) : NO_CHART_YET,
    alert: usual === null ? undefined : () => alertAt(usual.wei, `the cheap hours: ${usual.madeOf}`),
    close: hour === null ? choices.toggleHours : unselect,
    'cursor-left': moveBy(-1),
    'cursor-right': moveBy(1),
    'cursor-up': moveBy(-24),
    'cursor-down': moveBy(24),
    end: unselect,
  });
  const empty = !hasHours && {
    title: 'No hours to compare yet',
    hint: 'Each hour that is seen fills its place; h goes back to the chart.',
  };
  return (
    <PolledFrame polled={hours} what="the hours of the week" empty={empty}>
      {(notice) => (
        <CheapHours
          notice={notice}
          week={week}
          from={from}
          cheapestHourUtc={cheapestHourUtc}
          isFilling={hours.isFilling}
          timeFrame={choices.hoursFrame}
          cursor={hour}
          base={Number(snapshot.baseFee)}
          now={present}
        />
      )}
    </PolledFrame>
  );
}

/** Opens the form of a new alert at a price, which comes `from` what is selected here. */
function useAlertAt(snapshot: SnapshotView) {
  const { newAlert } = useMonitor();
  return (wei: bigint, from: string) =>
    newAlert({
      ...thereAgain(wei, snapshot.lanes.average.price),
      madeOf: `From ${from} = ${formatGwei(wei)} gwei`,
    });
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
