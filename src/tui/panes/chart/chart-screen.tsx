import { Box, useIsScreenReaderEnabled } from 'ink';
import { useMemo } from 'react';
import { cheaperThan, thereAgain } from '../../alert-prefill.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer, useNavigation } from '../../app/ui-state.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useDescription, useMonitor, useReach } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { chartPlotWidth } from '../../ui/line-chart.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { systemOffset, timeFrameName } from '../../ui/time.ts';
import { chartChoices, hoursTimeFrame, offeredChoice } from './chart-choices.ts';
import { chartCsv, csvName, heatmapCsv } from './chart-csv.ts';
import { chartData, slotAt } from './chart-data.ts';
import { ChartPane } from './chart-pane.tsx';
import { chartReducer, INITIAL_CHART_STATE } from './chart-state.ts';
import { REACH_SEC, slotPrice } from './chart-words.ts';
import { HoursPane } from './hours-pane.tsx';
import { saveErrorText } from './save-error.ts';
import { SpokenChart } from './spoken-chart.tsx';
import { useChartData, useHeatmap } from './use-chart-data.ts';

/** The Chart tab: gathers what it draws and says what its keys do. */
export function ChartScreen({ snapshot, columns, rows }: TabScreenProps) {
  const [chosen, dispatch] = useKeptReducer('chart', chartReducer, INITIAL_CHART_STATE);
  const description = useDescription();
  const choices = chartChoices(description);
  const { timeFrames, percentiles } = choices;
  const state = {
    ...chosen,
    timeFrame: offeredChoice(timeFrames, chosen.timeFrame),
    percentile: offeredChoice(percentiles, chosen.percentile),
  };
  const { saveFile, now } = useMonitor();
  const toast = useToast();
  const { newAlert } = useNavigation();
  const spoken = useIsScreenReaderEnabled();
  const chart = useChartData(state, choices, snapshot);
  const hours = useHeatmap(state.heatmap, hoursTimeFrame(description));
  const answer = chart.data?.value;
  const data = useMemo(() => (answer === undefined ? null : chartData(answer)), [answer]);
  const heatmap = hours.data?.value.heatmap ?? null;
  const slot =
    state.cursor === null || state.heatmap ? undefined : data?.slots[slotAt(data.slots, state.cursor)];
  const reach = useReach(slot === undefined ? null : slotPrice(slot), REACH_SEC, snapshot);
  const likely = reach.data?.probability ?? null;

  const moveCursor = (by: number) => {
    if (data === null || data.slots.length === 0) return;
    // One press moves the cursor by what can be seen: a column.
    const step = Math.max(1, Math.round(data.slots.length / Math.max(chartPlotWidth(columns), 1)));
    const newest = data.slots.length - 1;
    const from = state.cursor === null ? newest : slotAt(data.slots, state.cursor);
    const to = Math.max(from + by * step, 0);
    dispatch({ type: 'move-cursor', to: to >= newest ? null : (data.slots[to]?.timestamp ?? null) });
  };
  const save = async () => {
    const file = state.heatmap
      ? heatmap && { name: csvName(snapshot.chainId, 'hours', now()), text: heatmapCsv(heatmap) }
      : data && { name: csvName(snapshot.chainId, data.timeFrame, now()), text: chartCsv(data) };
    if (file === null) {
      toast({ kind: 'error', text: 'Nothing to save yet: wait until the chart is there' });
      return;
    }
    try {
      toast({ kind: 'info', text: `Saved ${await saveFile(file.name, file.text)}` });
    } catch (error) {
      toast({ kind: 'error', text: saveErrorText(error) });
    }
  };
  useKeys('chart', {
    'time-frame': () => dispatch({ type: 'next-time-frame', offered: timeFrames }),
    percentile: () => dispatch({ type: 'next-percentile', offered: percentiles }),
    compare: () => dispatch({ type: 'toggle-compare' }),
    heatmap: () => dispatch({ type: 'toggle-heatmap' }),
    ...(state.heatmap ? { 'close-heatmap': () => dispatch({ type: 'toggle-heatmap' }) } : {}),
    export: () => void save(),
    'alert-here': () => {
      const price = slot === undefined ? null : slotPrice(slot);
      const present = snapshot.lanes.average.price;
      newAlert(price === null ? cheaperThan(present) : thereAgain(price, present));
    },
    'cursor-left': () => moveCursor(-1),
    'cursor-right': () => moveCursor(1),
    start: () => dispatch({ type: 'move-cursor', to: data?.slots[0]?.timestamp ?? null }),
    end: () => dispatch({ type: 'move-cursor', to: null }),
  });

  const room = { width: columns, height: rows, offsetAt: systemOffset };
  if (state.heatmap) {
    return (
      <PolledFrame polled={hours} what="the hours of the week" pending={false} width={columns} height={rows}>
        {(notice) =>
          heatmap?.some((row) => row.some((value) => value !== null)) ? (
            <HoursPane {...room} notice={notice} heatmap={heatmap} now={snapshot.blockTimestamp ?? now()} />
          ) : (
            <Empty
              {...room}
              title="No hours to compare yet"
              hint="Each hour that is seen fills its place; h goes back to the chart."
            />
          )
        }
      </PolledFrame>
    );
  }
  return (
    <PolledFrame
      polled={chart}
      what={`the ${timeFrameName(state.timeFrame)}`}
      hint="r asks again now, t tries another time frame"
      pending={chart.pending}
      width={columns}
      height={rows}
    >
      {(notice) => {
        if (data === null || data.slots.length === 0) {
          return (
            <Empty
              {...room}
              title="No history yet"
              hint="The chart begins with the next block; t tries another time frame."
            />
          );
        }
        if (spoken)
          return <SpokenChart data={data} cursor={state.cursor} offsetAt={systemOffset} likely={likely} />;
        return <ChartPane {...room} notice={notice} data={data} cursor={state.cursor} likely={likely} />;
      }}
    </PolledFrame>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly hint: string;
  readonly width: number;
  readonly height: number;
}

function Empty({ title, hint, width, height }: EmptyProps) {
  return (
    <Box width={width} height={height}>
      <PaneState kind="empty" title={title} hint={hint} />
    </Box>
  );
}
