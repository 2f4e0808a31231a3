import { expect, it, onTestFinished, vi } from 'vitest';
import { waitFor } from '../helpers/wait-for.ts';
import { fakeGas, RECOMMENDATION } from './fake-gas.ts';
import { openMonitor } from './whole-monitor.tsx';

/** A service whose best wait within an hour is one of 15 minutes, and within a day one of a day. */
const gas = fakeGas({
  gasRecommendation: async ({ patienceSec = 3_600 } = {}) => {
    if (patienceSec < 900) return { ...RECOMMENDATION, patienceSec, action: 'SEND_NOW', deadlineSec: null };
    return { ...RECOMMENDATION, patienceSec, deadlineSec: patienceSec < 86_400 ? 900 : 86_400 };
  },
});

async function open(columns: number, rows: number) {
  const { app, ...screen } = await openMonitor({ client: gas, columns, rows });
  onTestFinished(() => app.unmount());
  await screen.shows('WAIT up to 15m');
  return screen;
}

it.each([
  [undefined, "the terminal's clipboard"],
  ['', "the terminal's clipboard"],
  ['/tmp/tmux-1000/default,4021,0', 'tmux: it needs set -g set-clipboard on'],
])('y and Y say what they sent, and where to, with TMUX of %o', async (TMUX, where) => {
  vi.stubEnv('TMUX', TMUX);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { press, shows, frame } = await open(80, 24);
  for (const [key, what] of [
    ['y', 'Average 0.0507 gwei'],
    ['Y', 'the three lanes'],
    ['y', 'Average 0.0507 gwei'],
  ] as const) {
    press(key);
    await shows(`▸ Sent ${what} to ${where}`);
    expect(frame()).not.toContain('Copied');
  }
});

it('P says what another patience makes of the advice', async () => {
  const { press, shows } = await open(120, 40);
  press('P');
  await shows('You can wait up to 6h, 1h before: still WAIT up to 15m for 0.0410 gwei');
  await shows(' WAIT up to 15m for 0.0410 gwei (you can wait 6h)');
  press('P');
  await shows('You can wait up to 1d, 6h before: now WAIT up to 1d for 0.0410 gwei');
  press('P');
  await shows('You can wait up to 5m, 1d before: now SEND NOW at 0.0410 gwei');
  await shows(' SEND NOW at 0.0410 gwei (you can wait 5m)');
});

it.each([
  [80, 24],
  [120, 40],
  [200, 50],
])(
  'f says FROZEN, and the corner names no pace until the screen goes on, at %i×%i',
  async (columns, rows) => {
    const { press, shows, frame } = await open(columns, rows);
    const pace = /every 1m|each block/;
    for (let round = 0; round < 2; round++) {
      await waitFor(() => pace.test(frame()));
      press('f');
      await shows('FROZEN');
      expect(frame()).not.toMatch(pace);
      press('f');
      await waitFor(() => !frame().includes('FROZEN'));
    }
  },
);

it.each([120, 200])('f is in the footer of Live, Chart and Explorer at %i columns', async (columns) => {
  const { press, shows, frame } = await open(columns, 40);
  for (const [key, tab] of [
    ['1', '[1 Live]'],
    ['2', '[2 Chart]'],
    ['5', '[5 Explorer]'],
  ] as const) {
    press(key);
    await shows(tab);
    await waitFor(() => / f freeze /.test(frame().split('\n').at(-1) ?? ''));
  }
});
