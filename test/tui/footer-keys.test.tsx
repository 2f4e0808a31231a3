import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PANES } from '../../src/tui/app/panes.ts';
import { TABS } from '../../src/tui/chrome/tabs.ts';
import { type ActionName, KEYMAP } from '../../src/tui/input/keymap.ts';
import { rounds } from '../helpers/rounds.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { ALERT, fakeAlerts } from './fake-alerts.ts';
import { autoTxView, fakeAutoTxs } from './fake-auto-txs.ts';
import { fakeGas } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';
import { openMonitor } from './whole-monitor.tsx';

const SERVICE = {
  ...fakeAlerts([ALERT, { ...ALERT, id: 'alr_2', gasSpeed: 'SLOW', note: 'payouts' }]),
  ...fakeAutoTxs([autoTxView(), autoTxView({ id: 'tx-2', nonce: 8, target: 30_000_000n })]),
};

async function open(columns = 200, rows = 30, intervalMs = 60_000) {
  const source = { intervalMs, embedded: {} };
  const { app, frame, shows, press } = await openMonitor({ client: fakeGas(SERVICE), source, columns, rows });
  return { frame, frames: app.frames, shows, press };
}

/** What opens something over the pane or in its place: Esc leads back. */
const OPENS: ReadonlySet<ActionName> = new Set([
  'find',
  'new',
  'open',
  'edit',
  'another',
  'delete',
  'write',
  'cancel',
  'heatmap',
]);

/** Where the key that a label of two is listed under does nothing yet: after the newest value comes none. */
const OTHER_KEY: Partial<Record<ActionName, string>> = { 'cursor-right': 'left' };

/** A tab with its footer, without the frame and its notices: each key's effect is in what is drawn or in what it reports. */
function showTab(place: number, rows: number) {
  const { scope } = TABS[place] ?? TABS[0];
  const { Pane } = PANES[scope];
  const patiences: number[] = [];
  const setPatience = (sec: number) => void patiences.push(sec);
  const shown = showScreen({ Pane, scope, gas: SERVICE, columns: 200, rows, hasFooter: true, setPatience });
  return { ...shown, patiences };
}

/** Tab, rows, the keys that lead to the pane as the footer names them, and its footer once all is loaded. */
const PANES_AND_KEYS = [
  ['Alerts', 2, 22, [], 'n new  ⏎ details  space on/off  c another  d delete  s sort  / find'],
  ['an open block', 4, 22, ['⏎ open'], 'Esc back  ←/→ block  y copy  / find'],
  [
    'an open alert',
    2,
    22,
    ['⏎ details'],
    'Esc back  R send again  n new  space on/off  c another  d delete  / find',
  ],
  ['Live', 0, 22, [], '⏎ why  P patience  y copy  a alert  / find'],
  [
    'Chart',
    1,
    22,
    [],
    't time frame  p percentile  v compare  h hours  l axis  B dots  w write CSV  ←/→ cursor  ↑/↓ high/low, day  / find',
  ],
  [
    'the cheap hours before any is seen',
    1,
    22,
    ['h hours'],
    't time frame  p percentile  v compare  h hours  l axis  B dots  Esc back  / find',
  ],
  [
    'Auto-tx',
    3,
    22,
    [],
    'n new  ⏎ details  space on/off  x cancel  e edit  c another  y copy hash  s sort  / find',
  ],
  [
    'an open auto-tx',
    3,
    22,
    ['⏎ details'],
    'Esc back  n new  space on/off  x cancel  e edit  c another  y copy hash  / find',
  ],
  ['Explorer', 4, 22, [], '⏎ open  y copy  / find'],
  ['Service', 5, 8, [], 'j/k scroll  / find'],
] as const;

it.each(PANES_AND_KEYS.slice(0, Math.max(rounds(PANES_AND_KEYS.length), 2)))(
  'every key in the footer does something: %s',
  async (_, place, rows, way, home) => {
    const { screen, press, toasts, prefills, opened, patiences } = showTab(place, rows);
    const footer = () => (screen().split('\n').at(-1) ?? '').trim();
    const until = (isThere: () => boolean, what: string) =>
      waitFor(isThere).catch((cause) => {
        throw new Error(`${what} on\n${screen()}`, { cause });
      });
    const binding = (text: string) =>
      KEYMAP.find((key) => `${key.footerLabel ?? key.label} ${key.footer}` === text);
    const goThere = async () => {
      for (const name of footer() === home ? [] : way) {
        await until(() => footer().includes(name), name);
        await press(binding(name)?.keys[0] ?? '');
      }
      await until(() => footer() === home, home);
    };
    await goThere();
    for (const key of home.split('  ').map(binding)) {
      if (key === undefined) throw new Error(`no key is named so: ${home}`);
      const { action, keys } = key;
      // Pressed at the end: they leave the pane.
      if (action === 'close' || (action === 'heatmap' && way.length > 0)) continue;
      // A cursor brings keys of its own until Esc; what changes the chart leads to it from the cheap hours.
      if (footer() !== home && way.length === 0) await press('escape');
      if (way.every((name) => footer().includes(name))) await goThere();
      const state = () => [screen(), toasts.length, prefills.length, opened.length, patiences.length].join();
      const before = state();
      await press(OTHER_KEY[action] ?? keys[0] ?? '');
      await until(() => state() !== before, `an effect of ${keys[0]} (${action})`);
      if (!OPENS.has(action)) continue;
      await until(() => footer() !== home, `what ${action} opens`);
      await press('escape');
      await until(() => footer() === home, `the way back from ${action}`);
    }
    if (way.length === 0) return;
    await press('escape');
    await until(() => footer() !== home && footer().includes(way[0]), 'the way back');
  },
);

describe('a toast', () => {
  it.each([
    ['1', 'y', 'Sent Average 0.0507 gwei to'],
    ['1', 'P', 'You can wait up to'],
    ['2', '-', 'Refreshing every'],
    ['5', 'f', 'Frozen: f resumes'],
  ])('on tab %s stands in the last line, and leaves every other line as it was', async (tab, key, text) => {
    const { frame, shows, press } = await open(80, 24);
    press(tab);
    await shows(`[${tab} `);
    await shows(/ q quit/);
    await waitFor(() => !frame().includes('Loading'));
    const before = frame().split('\n');
    press(key);
    await shows(new RegExp(text));
    const after = frame().split('\n');
    expect(after).toHaveLength(24);
    expect(after.slice(2, -1)).toEqual(before.slice(2, -1));
    expect(after.at(-1)).toMatch(/^ [▸!] .* \? help /);
  });
});

describe('/ finds from every tab', () => {
  it('filters a list as one types, keeps it with Enter and clears it with Esc', async () => {
    const { frame, shows, press } = await open();
    press('3');
    await shows('Alerts 2');
    press('/');
    press('pay');
    await shows('1 of 2 match: ⏎ keeps the filter, Esc clears it');
    await shows('1 match pay (Esc: all)');
    press('return');
    await shows(/ n new /);
    press('escape');
    await waitFor(() => !frame().includes('match pay'));
  });

  it.each(['armed', 'cooldown', 'cooling down', 'disabled', 'SLOW armed'])(
    'finds alerts by what the list says they are: %s',
    async (text) => {
      const alerts = [
        { ...ALERT, id: 'a', gasSpeed: 'SLOW', cooldownUntil: null },
        { ...ALERT, id: 'b', cooldownUntil: Date.now() + 3_600_000 },
        { ...ALERT, id: 'c', status: 'DISABLED', cooldownUntil: null },
      ];
      const client = fakeGas({ ...SERVICE, ...fakeAlerts(alerts) });
      const source = { intervalMs: 60_000, embedded: {} };
      const { shows, press } = await openMonitor({ client, source, columns: 200, rows: 30 });
      press('3');
      await shows('Alerts 3');
      press('/');
      press(text);
      await shows('1 of 3 match: ⏎ keeps the filter, Esc clears it');
      await shows(`1 match ${text} (Esc: all)`);
    },
  );

  it.each(['1', '3', '6'])('opens a block in the Explorer from tab %s', async (tab) => {
    const { shows, press } = await open();
    press(tab);
    await shows(`[${tab}`);
    press('/');
    press('24,337,601');
    await shows('⏎ opens it in Explorer');
    press('return');
    await shows('[5 Explorer');
    await shows('Block 24,337,6');
  });
});

it('what says the same is not drawn again, however often it is asked for', async () => {
  const { frames } = await open(80, 24, 20);
  const before = frames.length;
  await sleep(1_000);
  expect(frames.length - before).toBeLessThan(10);
});

it('a makes an alert from every tab, with the price that one looks at', async () => {
  const { shows, press } = await open();
  for (const tab of ['2', '4', '5', '6']) {
    press(tab);
    await shows(`[${tab}`);
    press('a');
    await shows('New alert');
    press('escape');
    await shows(`[${tab}`);
  }
  press('3');
  await shows(/Alerts 2 /);
});
