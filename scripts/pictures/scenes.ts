import { setTimeout } from 'node:timers/promises';
import { GASTOP } from '../../test/helpers/gastop.ts';
import { openTerminal, type Terminal } from '../../test/helpers/terminal.ts';
import type { Screen } from './screen-svg.ts';

/** What each picture is of, for those who cannot see it. The files are docs/pictures/NAME-dark.svg and -light.svg. */
export const TITLES = {
  live: 'The Live pane: three lanes, the advice, prices by wait, and the last hour',
  chart: 'The Chart pane: the base fee and the tips of a day, and when an alert fired',
  hours: 'The cheap hours: the base fee by weekday and hour',
  alerts: 'The Alerts pane: one that has fired, one armed, one disabled',
  'alert-form': 'The form of a new alert, with how often it would have fired',
  'auto-txs': 'The Auto-tx pane: a transaction that is included, a draft, one that failed, one executed',
  'auto-tx': 'The details of an auto-tx: what it does, its checks, what it cost, and what happened',
  explorer: 'The Explorer pane: the latest blocks with base fee and fullness',
  service: 'The Service pane: source, market, usual work, its record, and a summary',
} as const;
export type PictureName = keyof typeof TITLES;

const COLUMNS = 100;
const STILL_MS = 700;
/** When each picture is taken, by the clock of the demo. */
const NOW = Date.parse('2026-03-04T15:40:14Z');
/** Runs before the program: puts its clock forward, so that what it shows of the time is the same in each picture. */
const setClock = (aheadMs: number) => `
const { now } = Date, SystemDate = Date;
globalThis.Date = new Proxy(SystemDate, {
  construct: (date, parts, made) => Reflect.construct(date, parts.length === 0 ? [now() + ${aheadMs}] : parts, made),
});
SystemDate.now = () => now() + ${aheadMs};`;

/** No notice stands above the keys. */
export const QUIET = (rows: readonly string[]) =>
  rows.at(-1)?.includes('? help') && !/^ [●▸!] /.test(rows.at(-2) ?? '');
/** The waits of the Live pane, up to that of a day, which comes last. */
export const WAITS = /^ price(?: +[\d.]+){5}$/m;
/** Blocks come every 12 or 24 seconds. */
export const LATER = { timeoutMs: 300_000 };

/** The demo, begun always at the same moment by its own clock. */
export function openDemo(rows: number): Promise<Terminal> {
  const clock = `data:text/javascript,${encodeURIComponent(setClock(NOW - Date.now()))}`;
  return openTerminal({ args: ['--import', clock, GASTOP, '--demo'], cols: COLUMNS, rows });
}

/** Takes them of the demo, each at the size that suits it. */
export async function takePictures(): Promise<Readonly<Record<PictureName, Screen>>> {
  await using monitor = await openDemo(31);
  // By then the month is there for what shows it.
  await monitor.waitFor(WAITS, LATER);
  const show = async (rows: number, key: string, until: string | RegExp) => {
    monitor.resize(COLUMNS, rows);
    await monitor.press(key);
    await monitor.waitFor(until, LATER);
    await monitor.waitFor(QUIET, LATER);
    return stillScreen(monitor);
  };

  await monitor.press('4');
  await monitor.waitFor('Auto-txs 4', LATER);
  const autoTxs = await show(16, 'G', /(included|executed) +0\.5 ETH/);
  const autoTx = await show(56, 'enter', 'Timeline');
  await monitor.press('esc');
  const live = await show(31, '1', WAITS);
  await monitor.press('2');
  const chart = await show(29, 't', /^ 24h/m);
  const alerts = await show(16, '3', 'Alerts 3');
  const explorer = await show(22, '5', 'Latest blocks');
  const service = await show(25, '6', /^ +30d .* %$/m);
  // Now every hour of the week has been seen.
  await monitor.press('2');
  const hours = await show(20, 'h', 'cheapest');
  await monitor.press('esc');
  monitor.resize(COLUMNS, 22);
  await monitor.press('3');
  await monitor.waitFor('Alerts 3');
  await monitor.press('n');
  await monitor.waitFor('New alert');
  await monitor.press(...'0.12', 'tab', 'tab', ...'claim again', 'tab');
  await monitor.waitFor(/would (not )?have fired|would fire/);
  const alertForm = await stillScreen(monitor);
  return {
    live,
    chart,
    hours,
    alerts,
    'alert-form': alertForm,
    'auto-txs': autoTxs,
    'auto-tx': autoTx,
    explorer,
    service,
  };
}

/** What stands on the screen once it has stood still for a moment, so that all that was asked for is on it. */
export async function stillScreen(terminal: Terminal): Promise<Screen> {
  let before = '';
  for (let since = performance.now(); performance.now() - since < STILL_MS; await setTimeout(20)) {
    const now = terminal.screen().join('\n');
    if (now !== before) [before, since] = [now, performance.now()];
  }
  return terminal.screen().map((_, y) => Array.from({ length: COLUMNS }, (_, x) => terminal.cell(x, y)));
}
