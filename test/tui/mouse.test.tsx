import { expect, it } from 'vitest';
import { EVERYWHERE, Remembered } from '../../src/tui/data/remembered.ts';
import type { MouseReport } from '../../src/tui/input/terminal-input.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { ALERT, fakeAlerts } from './fake-alerts.ts';
import { fakeGas, SNAPSHOT } from './fake-gas.ts';
import { openMonitor } from './whole-monitor.tsx';

const ALERTS = ['first', 'second', 'third'].map((note, place) => ({ ...ALERT, id: `alert-${place}`, note }));

const NEWEST = SNAPSHOT.blockNumber ?? 0;
const BLOCKS = Array.from({ length: 30 }, (_, place) => ({
  ...{ timestamp: (SNAPSHOT.blockTimestamp ?? 0) - place * 12_000, blockNumber: NEWEST - place },
  ...{ open: 5e7, min: 5e7, mean: 5e7, max: 5e7, close: 5e7 },
}));
const PAGE = { chainId: 1, from: null, to: null, bucket: 'block', page: 0, size: 500 } as const;

async function open(tab: string, columns: number, remembered = new Remembered()) {
  const client = fakeGas({
    ...fakeAlerts(ALERTS),
    baseFee: async () => ({ ...PAGE, total: BLOCKS.length, rows: BLOCKS }),
  });
  const { app, frame, shows } = await openMonitor({ client, source: { embedded: {} }, columns, remembered });
  const rows = () => frame().split('\n');
  const point = (report: MouseReport) => app.stdin.emit('mouse', report);
  const click = (x: number, y: number) => point({ kind: 'click', x, y });
  const clickTab = (name: string) => click((rows()[1] ?? '').indexOf(name.slice(0, 4)), 1);
  clickTab(tab);
  await shows(new RegExp(`\\[\\d ${tab}`));
  return { rows, shows, point, click, press: (key: string) => app.stdin.write(key) };
}

const rowOf = (rows: readonly string[], sign: string | RegExp) =>
  rows.findIndex((row) => (typeof sign === 'string' ? row.includes(sign) : sign.test(row)));

it.each([
  ['Alerts', 100],
  ['Alerts', 160],
  ['Explorer', 100],
  ['Explorer', 160],
] as const)(
  'a click selects the row under it on %s with %i columns, and the wheel goes on from there',
  async (tab, columns) => {
    const { rows, click, point } = await open(tab, columns);
    const isSelected = (row: number) => waitFor(() => /^ ▸ /.test(rows()[row] ?? ''));
    await waitFor(() => rowOf(rows(), /^ ▸ /) > 0);
    const first = rowOf(rows(), /^ ▸ /);
    click(12, first + 2);
    await isSelected(first + 2);
    point({ kind: 'wheel-up' });
    await isSelected(first + 1);
    click(12, first);
    await isSelected(first);
    point({ kind: 'wheel-down' });
    await isSelected(first + 1);
  },
);

it.each([
  ['Alerts', /▸ Average </],
  ['Explorer', /▸ Block [\d,]+/],
] as const)(
  'a click on the list of %s beside open details selects its row, and gives the list the keys',
  async (tab, opened) => {
    const { rows, click, press, shows } = await open(tab, 160);
    const selected = () => rowOf(rows(), /^ ▸ /);
    await waitFor(() => selected() > 0);
    const first = selected();
    press('\r');
    await waitFor(() => (rows()[2] ?? '').includes('▸ '), { what: 'open details' });
    click(12, first + 2);
    await waitFor(() => selected() === first + 2);
    await waitFor(() => !(rows()[2] ?? '').includes('▸ '));
    press('k');
    await waitFor(() => selected() === first + 1);
    press('\r');
    await shows(opened);
  },
);

it.each([80, 100, 160])(
  'a click into the plot of the Chart puts the cursor there, at %i columns',
  async (columns) => {
    const { rows, shows, click, point } = await open('Chart', columns);
    await shows('now ');
    const y = rowOf(rows(), /[┤┼]/) + 1;
    for (const x of [12, 31, 60]) {
      click(x, y);
      await waitFor(() => rows().some((row) => row[x] === '┃'), { what: `a cursor at ${x}` });
    }
    const cursor = () => rows().findLast((row) => row.includes('▸ '));
    const before = cursor();
    point({ kind: 'wheel-down' });
    await waitFor(() => cursor() !== before);
    point({ kind: 'wheel-up' });
    await waitFor(() => cursor() === before);
    // Beside the plot there is no time.
    click(3, y);
    point({ kind: 'wheel-down' });
    await waitFor(() => cursor() !== before && cursor() !== undefined);
  },
);

it('the wheel scrolls the help, and a click on a tab closes it', async () => {
  const { rows, shows, point, click, press } = await open('Service', 80);
  press('?');
  await shows('show or hide this help');
  const before = rowOf(rows(), 'show or hide this help');
  for (let times = 0; times < 3; times++) point({ kind: 'wheel-down' });
  await waitFor(() => rowOf(rows(), 'show or hide this help') === before - 3);
  click(2, 1);
  await shows('│ Average');
});

it('neither clicks nor the wheel reach what is behind a form', async () => {
  const { rows, shows, point, click, press } = await open('Alerts', 80);
  press('n');
  await shows('New alert');
  click(2, 1);
  point({ kind: 'wheel-down' });
  press('\x1b[27u');
  await shows('Alerts 3');
  expect(rows()[1]).toContain('[3 Alerts');
});

it('M is remembered for every source', async () => {
  const kept: unknown[] = [];
  const file = { recall: () => ({}), keep: (...all: unknown[]) => kept.push(all), watch: () => {} };
  const { shows, press } = await open('Alerts', 80, new Remembered({ file }));
  press('M');
  await shows('Mouse on');
  press('M');
  await shows('Mouse off');
  expect(kept.filter((each) => String(each).includes('mouse'))).toEqual([
    [EVERYWHERE, 'mouse', true],
    [EVERYWHERE, 'mouse', false],
  ]);
});
