import { Box, Text } from 'ink';
import {
  formatChange,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import { type OffsetAt, timeFrameName, zoneText } from '../../ui/time.ts';
import { type ChartData, slotAt } from './chart-data.ts';
import { countMarks } from './chart-marks.ts';
import { type LineSummary, summarise, summariseBase } from './chart-summary.ts';
import { moment, REACH_SEC } from './chart-words.ts';

interface SpokenChartProps {
  readonly data: ChartData;
  readonly cursor: number | null;
  readonly offsetAt: OffsetAt;
  /** How likely the price under the cursor is reached again soon. */
  readonly likely: number | null;
}

/** The chart in sentences, for screen readers: a drawing of lines would be read sign by sign. */
export function SpokenChart({ data, cursor, offsetAt, likely }: SpokenChartProps) {
  const slot = data.slots[cursor === null ? data.slots.length - 1 : slotAt(data.slots, cursor)];
  const marks = countMarks(data.marks, true).map(({ look, count }) => `${count} ${look.name}`);
  return (
    <Box flexDirection="column">
      <Text>{`Chart of the ${timeFrameName(data.timeFrame)}, in gwei.`}</Text>
      <Text>{sentence('Base fee', summariseBase(data))}</Text>
      <Text>{sentence(`Tip ${data.percentile}`, summarise(data.slots.map(({ tip }) => tip)))}</Text>
      {data.compared && (
        <Text>
          {data.previousProblem ??
            sentence(
              `Base fee ${data.timeFrame} before`,
              summarise(data.slots.map(({ previous }) => previous)),
            )}
        </Text>
      )}
      {marks.length > 0 && <Text>{`Marked: ${marks.join(', ')}.`}</Text>}
      {slot && (
        <Text>
          {`At ${moment(slot.timestamp, data, offsetAt)} ${zoneText(offsetAt(slot.timestamp))}: base fee ${gwei(slot.base)}, ` +
            `tip ${gwei(slot.tip)}, gas used ${slot.gasUsedRatio === null ? UNKNOWN : formatPercent(slot.gasUsedRatio)}.`}
        </Text>
      )}
      {cursor !== null && likely !== null && (
        <Text>{`Reached again within ${formatDuration(REACH_SEC)}: ${formatLikelihood(likely)} likely.`}</Text>
      )}
    </Box>
  );
}

function sentence(name: string, of: LineSummary | null): string {
  if (of === null) return `${name}: not known.`;
  const change = of.changeRatio === null ? '' : `, ${formatChange(of.changeRatio)} over the window`;
  return (
    `${name}: ${formatGwei(of.now)} now, lowest ${formatGwei(of.min)}, mean ${formatGwei(of.mean)}, ` +
    `highest ${formatGwei(of.max)}${change}.`
  );
}

function gwei(wei: number | null): string {
  return wei === null ? UNKNOWN : formatGwei(wei);
}
