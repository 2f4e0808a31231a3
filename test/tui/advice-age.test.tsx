import { Box, Text } from 'ink';
import { expect, it, vi } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { MonitorContext, useMonitor } from '../../src/tui/data/monitor-context.ts';
import { useSnapshot } from '../../src/tui/data/prices.ts';
import { LivePane } from '../../src/tui/panes/live/live-pane.tsx';
import { RECOMMENDATION, SNAPSHOT } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';

const START = SNAPSHOT.updatedAt ?? 0;

const blocksLater = (count: number): SnapshotView => ({
  ...SNAPSHOT,
  blockNumber: (SNAPSHOT.blockNumber ?? 0) + count,
  baseFee: SNAPSHOT.baseFee + BigInt(count) * 10n ** 9n,
  nextBaseFee: SNAPSHOT.baseFee + BigInt(count) * 10n ** 9n,
  updatedAt: START + count * 12_000,
});

it('advice of a route that fails at a newer block is not stated any more, and says how old it is', async () => {
  let answered = 0;
  const { shows, screen, arrive } = showScreen({
    Pane: LivePane,
    scope: 'live',
    gas: {
      gasRecommendation: async () => {
        answered += 1;
        if (answered > 1) {
          throw new ClientError('unavailable', 'not now', { endpoint: '/gas/recommendation' });
        }
        return { ...RECOMMENDATION, updatedAt: START };
      },
    },
  });
  await shows('WAIT up to 15m');
  expect(screen()).not.toContain('no longer valid');
  arrive(blocksLater(1));
  await shows(/advice of \d+s ago, no longer valid/);
  expect(screen()).not.toMatch(/WAIT up|19 %|91 %/);
});

it('there is no advice while history loads, and advice at the same block once the service knows more', async () => {
  let isLoaded = false;
  const reasons = ['no advice yet: too little history'];
  const none = { ...RECOMMENDATION, action: null, alternatives: [], reasons };
  const gasRecommendation = async () => (isLoaded ? RECOMMENDATION : none);
  const { shows, screen, arrive } = showScreen({
    Pane: LivePane,
    scope: 'live',
    gas: { gasRecommendation },
  });
  await shows(/^ NO ADVICE YET *\n • too little history *$/m);
  expect(screen()).not.toMatch(/SEND NOW|WAIT|% likely|saves/);
  isLoaded = true;
  arrive({ ...SNAPSHOT, updatedAt: START + 1 });
  await shows('WAIT up to 15m');
});

const LiveOf = ({ snapshot }: { readonly snapshot: SnapshotView }) => (
  <MonitorContext value={{ ...useMonitor(), snapshot }}>
    <LivePane />
  </MonitorContext>
);

/** The Live pane over prices that are asked for once an hour. */
function Hourly() {
  const { data } = useSnapshot(useMonitor(), 3_600, () => 3_600_000, false);
  return data === undefined ? null : <LiveOf snapshot={data} />;
}

it('advice of a service elsewhere costs no question about prices before the next one is due', async () => {
  const gasCurrent = vi.fn(async () => SNAPSHOT);
  const gasRecommendation = async () => ({ ...RECOMMENDATION, updatedAt: blocksLater(3).updatedAt });
  const { shows } = showScreen({ Pane: Hourly, scope: 'live', gas: { gasCurrent, gasRecommendation } });
  await shows('WAIT up to 15m');
  expect(gasCurrent).toHaveBeenCalledTimes(1);
});

/** The Live pane over prices that are asked for again at once. */
function Restless() {
  const { data, error } = useSnapshot(useMonitor(), 3_600, () => 5, false);
  return (
    <Box flexDirection="column">
      <Text>{error?.message ?? 'no failure'}</Text>
      {data && <LiveOf snapshot={data} />}
    </Box>
  );
}

it('prices stay where a proxy answers that there are none while the service restarts', async () => {
  let isAway = false;
  const gone = new ClientError('not-found', 'no such route', { endpoint: '/gas/current', status: 404 });
  const gasCurrent = async () => (isAway ? Promise.reject(gone) : SNAPSHOT);
  const { shows } = showScreen({ Pane: Restless, scope: 'live', besides: 1, gas: { gasCurrent } });
  await shows('WAIT up to 15m');
  isAway = true;
  await shows('no such route', 'WAIT up to 15m');
});
