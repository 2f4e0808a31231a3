import { render } from 'ink-testing-library';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AlertDetailsView } from '../../src/client/views/alerts.ts';
import type { AutoTxView } from '../../src/client/views/auto-txs.ts';
import { AlertsPane } from '../../src/tui/panes/alerts/alerts-pane.tsx';
import { AutoTxsPane } from '../../src/tui/panes/auto-txs/auto-txs-pane.tsx';
import { PricesScreen } from '../../src/tui/panes/live/live-pane.tsx';
import type { LiveView } from '../../src/tui/panes/live/live-view.ts';
import { leftColumn, rightColumn, tableOf } from '../../src/tui/ui/table.tsx';
import { AT, EXECUTED, FAILED, SENT, WAITING } from './auto-txs/auto-tx-samples.ts';
import { ALERT, fakeAlerts } from './fake-alerts.ts';
import { fakeAutoTxs } from './fake-auto-txs.ts';
import { HOUR, MARKET, RECOMMENDATION, SNAPSHOT, TREND } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';
import { inRoom } from './sized-screen.tsx';

const VIEW: LiveView = {
  ...{ snapshot: SNAPSHOT, status: { kind: 'live' }, trend: TREND, recommendation: RECOMMENDATION },
  ...{ hour: HOUR, market: MARKET, symbol: 'ETH', adviceAge: null, missing: [] },
};

const SIZES = [
  [60, 13],
  [80, 21],
  [120, 37],
  [160, 42],
  [200, 47],
] as const;

/** Where each heading of a table begins, of the line that has the first of them. */
function placesOf(lines: readonly string[], headings: readonly string[]): Readonly<Record<string, number>> {
  const line = lines.find((each) => headings.slice(0, 2).every((heading) => each.includes(heading))) ?? '';
  return Object.fromEntries(
    headings.map((heading) => [heading, line.indexOf(heading)]).filter(([, at]) => at !== -1),
  );
}

describe.each(SIZES)('at %i × %i', (columns, rows) => {
  it('each column of the auto-txs keeps its place whatever becomes of them', async () => {
    const states: readonly AutoTxView[] = [
      { ...WAITING, id: 'one' },
      { ...SENT, id: 'one' },
      { ...EXECUTED, id: 'one' },
      { ...FAILED, id: 'one' },
      { ...WAITING, id: 'one', status: 'DISABLED', expiresAt: null },
    ];
    let listed: readonly AutoTxView[] = states.slice(0, 1);
    const { lines, shows, renew } = showScreen({
      ...{ Pane: AutoTxsPane, scope: 'auto-txs', isOwnService: true, columns, rows },
      gas: {
        ...fakeAutoTxs(states.slice(0, 1)),
        autoTxs: async () => ({ items: listed, total: listed.length, unreadable: 0 }),
      },
    });
    await shows(/▸ . pending/);
    const headings = ['state', 'what it does', 'target', 'now', 'to go', 'chance', 'when'];
    const before = placesOf(lines(), headings);
    expect(Object.keys(before)).toEqual(expect.arrayContaining(['state', 'what it does', 'target', 'to go']));
    for (const [state, word] of [
      [1, 'submitted'],
      [2, 'executed'],
      [3, 'failed'],
      [4, 'disabled'],
    ] as const) {
      listed = states.slice(state, state + 1);
      await renew();
      await shows(new RegExp(`▸ . ${word}`));
      expect(placesOf(lines(), headings)).toEqual(before);
    }
    // The target is never cut.
    expect(lines().find((line) => line.startsWith(' ▸ '))).toMatch(/ 0\.04 /);
  });

  it('each column of the alerts keeps its place while one fires, cools down and is disabled', async () => {
    const armed: AlertDetailsView = { ...ALERT, cooldownUntil: null, triggerCount: 0, lastTriggeredAt: null };
    let listed: readonly AlertDetailsView[] = [armed];
    const { lines, shows, renew } = showScreen({
      ...{ Pane: AlertsPane, scope: 'alerts', isOwnService: true, columns, rows },
      gas: {
        ...fakeAlerts([armed]),
        alerts: async () => ({ items: listed, total: 1, unreadable: 0 }),
      },
    });
    await shows(/▸ ● armed/);
    const headings = ['state', 'fires when', 'to go', 'fired', 'last'];
    const before = placesOf(lines(), headings);
    expect(Object.keys(before)).toEqual(expect.arrayContaining(['state', 'fires when', 'to go']));
    const threshold = 60_000_000n;
    for (const [alert, word] of [
      [{ ...armed, threshold, confirmBlocks: 5 }, /▸ ● confirming .*● reached/],
      [
        {
          ...armed,
          threshold,
          cooldownUntil: AT + 86_400_000,
          triggerCount: 12,
          lastTriggeredAt: AT - 2_404_000,
        },
        /▸ ◌ cooldown Tue/,
      ],
      [{ ...armed, status: 'DISABLED' }, /▸ — disabled/],
    ] as const) {
      listed = [alert];
      await renew();
      await shows(word);
      expect(placesOf(lines(), headings)).toEqual(before);
    }
    expect(lines().find((line) => line.startsWith(' ▸ '))).toContain('Average < 0.04 gwei');
  });

  it('each column of the lanes keeps its place when the prices go stale', async () => {
    const view = (changes: Partial<LiveView>) =>
      inRoom(columns, rows, <PricesScreen view={{ ...VIEW, ...changes }} />);
    const app = render(view({}));
    onTestFinished(() => app.unmount());
    const headings = [
      'gwei',
      'price',
      'max fee',
      'tip',
      'half, 95 % in',
      'transfer',
      'swap',
      'likely',
      'within',
    ];
    const lines = () => (app.lastFrame() ?? '').split('\n');
    const before = placesOf(lines(), headings);
    expect(Object.keys(before)).toEqual(expect.arrayContaining(['price', 'max fee']));
    app.rerender(
      view({ status: { kind: 'stale', reason: 'no block for 5m', retryAt: null }, adviceAge: '5m ago' }),
    );
    expect(lines().join('\n')).toContain('no longer valid');
    expect(placesOf(lines(), headings)).toEqual(before);
  });
});

it.each([
  [60, 'Average < $0.40/swap (0.21 gwei now)', 'Average < $0.40/swap (0.21 gwei now)'],
  [60, 'Average < 98 % of the last 24 hours (0.0402 gwei now)', 'Average < 98 % of the last 24 hours (…'],
  [50, 'Average < 98 % of the last 24 hours (0.0402 gwei now)', 'Average < 98 % of the last …'],
])('a column that decides is cut at %i columns rather than missing: %s', (width, text, shown) => {
  const columns = [
    leftColumn<string>('state', 16, 0, () => '● armed'),
    leftColumn<string>('fires when', 19, 0, (words) => words),
    rightColumn<string>('to go', 9, 1, () => '↓ 21 %'),
  ];
  const { lines } = tableOf({ columns, rows: [text], width }, false);
  expect(
    lines[0]
      ?.map((span) => span.text)
      .join('')
      .trim(),
  ).toBe(`● armed           ${shown}`);
});
