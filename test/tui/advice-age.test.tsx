import { expect, it } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import type { TabScreenProps } from '../../src/tui/app/tabs.ts';
import { useMonitor, useSnapshot } from '../../src/tui/data/queries.ts';
import { LiveScreen } from '../../src/tui/panes/live/live-pane.tsx';
import { MARKET, RECOMMENDATION, SNAPSHOT } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';

const START = SNAPSHOT.updatedAt ?? 0;

const blocksLater = (count: number): SnapshotView => ({
  ...SNAPSHOT,
  blockNumber: (SNAPSHOT.blockNumber ?? 0) + count,
  baseFee: SNAPSHOT.baseFee + BigInt(count) * 10n ** 9n,
  nextBaseFee: SNAPSHOT.baseFee + BigInt(count) * 10n ** 9n,
  updatedAt: START + count * 12_000,
});

const LATER = blocksLater(3);
const LEARNT: SnapshotView = {
  ...SNAPSHOT,
  lanes: { ...SNAPSHOT.lanes, average: { ...SNAPSHOT.lanes.average, price: 48_100_000n } },
};

it('advice that more than one block has overtaken says by how much it is older than the prices', async () => {
  let answered = 0;
  let block = 0;
  let isHeldBack = true;
  const { shows, screen, arrive } = showScreen({
    Screen: LiveScreen,
    scope: 'live',
    gas: {
      gasRecommendation: async () => {
        answered += 1;
        if (answered > 1 && isHeldBack) {
          throw new ClientError('unavailable', 'not now', { endpoint: '/gas/recommendation' });
        }
        return { ...RECOMMENDATION, updatedAt: START + block * 12_000 };
      },
    },
  });
  await shows('WAIT ~6m');
  block = 1;
  arrive(blocksLater(1));
  await shows('next base 1.05');
  // The question about the newest block has only just gone out.
  expect(screen()).not.toContain('older than the prices');
  block = 2;
  arrive(blocksLater(2));
  await shows(/WAIT ~6m for 0\.0410 gwei +24s older than the prices +saves 19 %/);
  isHeldBack = false;
  block = 3;
  arrive(blocksLater(3));
  await shows(/WAIT ~6m for 0\.0410 gwei +saves 19 %/);
});

it('advice is asked for anew with prices that were worked out anew for the same block, and is shown with these', async () => {
  let said = RECOMMENDATION;
  const { shows, arrive } = showScreen({
    Screen: LiveScreen,
    scope: 'live',
    gas: { gasRecommendation: async () => said },
  });
  await shows('WAIT ~6m');
  said = { ...RECOMMENDATION, action: 'SEND_NOW', targetPrice: 48_100_000n };
  arrive(LEARNT);
  await shows(/Average +│ +0\.0481 [\s\S]*SEND NOW at 0\.0481 gwei/);
});

/** The Live pane over prices that are asked for once an hour. */
function Hourly({ columns, rows }: TabScreenProps) {
  const { client, frozen } = useMonitor();
  const { data } = useSnapshot(client, { intervalMs: 3_600_000, frozen });
  return data === undefined ? null : <LiveScreen snapshot={data} columns={columns} rows={rows} />;
}

it('the figures of the day are asked for anew with prices that our own service worked out anew, not ten seconds later', async () => {
  let base = MARKET.base;
  const { shows, arrive } = showScreen({
    Screen: LiveScreen,
    scope: 'live',
    isOwnService: true,
    gas: { statsMarket: async () => ({ ...MARKET, base }) },
  });
  await shows(/├.*┤ 0\.412/);
  base = base === null ? null : { ...base, max: 5.5e9 };
  arrive(LEARNT);
  await shows(/├.*┤ 5\.50/);
});

const SEND_AT_ONCE = { ...RECOMMENDATION, action: 'SEND_NOW', targetPrice: 48_100_000n };

it.each([
  ['of a later block', { ...RECOMMENDATION, updatedAt: LATER.updatedAt }, LATER, 'next base 3.05'],
  ['to send at another price', SEND_AT_ONCE, LEARNT, /Average +│ +0\.0481 /],
])('advice of our own service %s than the prices brings its own at once', async (_, advice, newer, shown) => {
  let questions = 0;
  const { shows } = showScreen({
    Screen: Hourly,
    scope: 'live',
    isOwnService: true,
    gas: {
      gasCurrent: async () => {
        questions += 1;
        return questions === 1 ? SNAPSHOT : newer;
      },
      gasRecommendation: async () => ({ ...advice, updatedAt: newer.updatedAt }),
    },
  });
  await shows(shown);
  expect(questions).toBe(2);
});

it('advice of a service elsewhere costs no question about prices before the next one is due', async () => {
  let questions = 0;
  const { shows } = showScreen({
    Screen: Hourly,
    scope: 'live',
    gas: {
      gasCurrent: async () => {
        questions += 1;
        return SNAPSHOT;
      },
      gasRecommendation: async () => ({ ...RECOMMENDATION, updatedAt: LATER.updatedAt }),
    },
  });
  await shows('WAIT ~6m');
  expect(questions).toBe(1);
});
