import type { SnapshotView } from '../../../client/views/gas.ts';
import { LANES } from '../../../core/advice.ts';
import { gweiString } from '../../../core/units.ts';
import { LANE_TITLES } from './lane-columns.ts';

/** The lanes for pasting elsewhere: exact gwei, one lane per line, values apart by tabs. */
export function lanesText(snapshot: SnapshotView): string {
  const value = (wei: bigint | null) => (wei === null ? '' : gweiString(wei));
  const rows = LANES.map((name) => {
    const lane = snapshot.lanes[name];
    return [LANE_TITLES[name], value(lane.price), value(lane.maxFeePerGas), value(lane.maxPriorityFeePerGas)];
  });
  return [['lane', 'price gwei', 'max fee gwei', 'tip gwei'], ...rows]
    .map((row) => row.join('\t'))
    .join('\n');
}
