import { Box, Text } from 'ink';
import { memo } from 'react';
import type { MarketView } from '../../../client/views/market.ts';
import type { HorizonView } from '../../../client/views/recommendation.ts';
import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { LANES } from '../../../core/advice.ts';
import { formatCount, formatDuration, formatGwei, formatPercent, UNKNOWN } from '../../../core/units.ts';
import { fitLeft, fitRight } from '../../components/fit.ts';
import { Words } from '../../components/words.tsx';
import { useTheme } from '../../theme.ts';
import { LANE_TITLES, workCost } from './lane-columns.ts';

export const SIDE_TABLE_WIDTH = 56;

interface HorizonsProps {
  readonly horizons: readonly HorizonView[];
  readonly maxRows: number;
}

/** What waiting longer would bring. */
export const Horizons = memo(function Horizons({ horizons, maxRows }: HorizonsProps) {
  const theme = useTheme();
  const row = (cells: readonly string[]) => ` ${cells.map((cell) => fitRight(cell, 11)).join('')}`;
  return (
    <Box flexDirection="column" width={SIDE_TABLE_WIDTH} flexShrink={0}>
      <Words faint>{row(['wait up to', 'price', 'saves', 'likely'])}</Words>
      {horizons.slice(0, maxRows).map((horizon) => (
        <Words key={horizon.horizonSec}>
          {theme.text(
            row([
              formatDuration(horizon.horizonSec),
              formatGwei(horizon.price),
              horizon.savingRatio === null ? UNKNOWN : formatPercent(horizon.savingRatio),
              horizon.probability === null ? UNKNOWN : formatPercent(horizon.probability),
            ]),
          )}
        </Words>
      ))}
    </Box>
  );
});

interface UsualWorkProps {
  readonly actions: MarketView['actions'];
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  readonly maxRows: number;
}

/** What usual work costs now, lane by lane. */
export const UsualWork = memo(function UsualWork({ actions, snapshot, symbol, maxRows }: UsualWorkProps) {
  const theme = useTheme();
  const room = snapshot.nativeUsd === null ? 13 : 9;
  const row = (name: string, gas: string, costs: readonly string[]) =>
    ` ${fitLeft(name, 15, theme.glyph.ellipsis)}${fitRight(gas, 8)}${costs.map((cell) => fitRight(cell, room)).join('')}`;
  const unit = snapshot.nativeUsd === null ? `in ${symbol}` : 'usual work';
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Words faint>
        {row(
          unit,
          'gas',
          LANES.map((lane) => LANE_TITLES[lane].toLowerCase()),
        )}
      </Words>
      {actions.slice(0, maxRows).map(({ name, gas }) => (
        <Text key={name} wrap="truncate">
          <Words>
            {row(
              theme.text(name),
              formatCount(gas),
              LANES.map((lane) => workCost(gas, snapshot.lanes[lane].price, snapshot.nativeUsd, symbol)),
            )}
          </Words>
        </Text>
      ))}
    </Box>
  );
});
