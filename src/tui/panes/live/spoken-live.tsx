import { Box, Text } from 'ink';
import { LANES } from '../../../core/advice.ts';
import { formatGwei, formatUsd, UNKNOWN, usdOf } from '../../../core/units.ts';
import { cost } from '../../../core/usual-actions.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import { ASCII_THEME } from '../../ui/theme.ts';
import { adviceFacts } from './advice-line.ts';
import { LANE_TITLES, laneColumns } from './lane-columns.ts';
import { liveFacts } from './live-facts.ts';
import type { LiveView } from './live-view.ts';

/** The Live pane for a screen reader: sentences in the order of their weight, no drawing. */
export function SpokenLive({ view }: { readonly view: LiveView }) {
  const { recommendation } = view;
  return (
    <Box flexDirection="column">
      {LANES.map((lane) => (
        <Text key={lane}>{spokenLane(view, lane)}</Text>
      ))}
      {recommendation === undefined ? null : (
        <Text>{`Advice: ${adviceFacts(recommendation, ASCII_THEME, false, view.adviceOlderSec).map(spoken).join(', ')}.`}</Text>
      )}
      {(recommendation?.reasons ?? []).map((reason) => (
        <Text key={reason}>{ASCII_THEME.text(reason)}</Text>
      ))}
      {liveFacts(view, ASCII_THEME).map((fact) => (
        <Text key={fact.id}>{`${spoken(fact)}.`}</Text>
      ))}
    </Box>
  );
}

function spokenLane({ snapshot, symbol }: LiveView, name: (typeof LANES)[number]): string {
  const lane = snapshot.lanes[name];
  const wait =
    laneColumns(snapshot, symbol)
      .find(({ id }) => id === 'wait')
      ?.cell(lane, name) ?? UNKNOWN;
  const [usual, rarely] = wait.split(' / ');
  return [
    `${LANE_TITLES[name]}: ${formatGwei(lane.price)} gwei`,
    lane.maxFeePerGas === null ? null : `max fee ${formatGwei(lane.maxFeePerGas)} gwei`,
    lane.maxPriorityFeePerGas === null ? null : `tip ${formatGwei(lane.maxPriorityFeePerGas)} gwei`,
    rarely === undefined ? null : `usually within ${usual}, almost always within ${rarely}`,
    snapshot.nativeUsd === null
      ? null
      : `a transfer costs ${formatUsd(usdOf(cost(21_000, lane.price), snapshot.nativeUsd))}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
    .concat('.');
}

/** Glyphs that only draw are left out. */
function spoken({ spans }: Fact): string {
  return spans
    .map(({ text }) => text)
    .join('')
    .replace(/[#.]{4,}|[>^=]|\bv (?=[-+\d])/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
