import { autoTxPictures } from './auto-tx-scene.ts';
import type { Screen } from './screen-svg.ts';
import { openStage, stillScreen } from './stage.ts';

/** What each picture is of, for those who cannot see it. The files are docs/pictures/NAME-dark.svg and -light.svg. */
export const TITLES = {
  live: 'The Live pane on the simulated chain: three lanes, the advice, prices by wait, and the last hour',
  service: 'The Service pane on the simulated chain: source, quota, market, usual work, and its record',
  hours: 'The cheap hours of the simulated chain: its base fee by weekday and hour',
  chart: 'The Chart pane on recorded mainnet blocks: the base fee of some seven hours, and when alerts fired',
  explorer: 'The Explorer pane on recorded mainnet blocks: the latest blocks with base fee and fullness',
  alerts: 'The Alerts pane on recorded mainnet blocks: four alerts, armed or cooling down',
  'alert-form': 'The form of a new alert, with how often it would have fired',
  'auto-txs': 'The Auto-tx pane on a development chain: transactions that wait, are out, and are over',
  'auto-tx': 'The details of an auto-tx: what it does, its checks, what it cost, and what happened',
} as const;
export type PictureName = keyof typeof TITLES;

/** Pictures that are taken together, of one run of the program. */
export interface Scene {
  readonly names: readonly PictureName[];
  take(): Promise<Readonly<Partial<Record<PictureName, Screen>>>>;
}

export const SCENES: readonly Scene[] = [
  { names: ['live', 'service', 'hours'], take: demoPictures },
  { names: ['chart', 'explorer', 'alerts', 'alert-form'], take: recordingPictures },
  { names: ['auto-txs', 'auto-tx'], take: autoTxPictures },
];

/** What has just been told stands where the keys are, for a while. */
const KEYS_SHOWN = (rows: readonly string[]) => rows.at(-1)?.includes('? help');
const NOTES_LEAVE = { timeoutMs: 60_000 };

/** The simulated chain of `gastop --demo`, always at the same moment, with a history that a command has stored. */
async function demoPictures(): ReturnType<Scene['take']> {
  await using stage = await openStage({ now: '2026-03-04T15:40:14Z' });
  const source = ['--demo', '--db', `${stage.folder}/demo.db`];
  await stage.run(['history', '--window', '30d', '--bucket', '1d', ...source]);

  stage.setClock('2026-03-04T15:50:14Z');
  const monitor = await stage.monitor(31, source);
  await monitor.waitFor(/^ last hour in gwei/m);
  const live = await stillScreen(monitor);
  monitor.resize(100, 29);
  await monitor.press('6');
  await monitor.waitFor(/^ {3}\d+ d .*%$/m, { timeoutMs: 60_000 });
  const service = await stillScreen(monitor);
  monitor.resize(100, 20);
  await monitor.press('2', 'h');
  await monitor.waitFor('cheapest');
  return { live, service, hours: await stillScreen(monitor) };
}

/** 2,001 recorded blocks of mainnet, played to their end, with alerts that were there before. */
async function recordingPictures(): ReturnType<Scene['take']> {
  await using stage = await openStage({ now: '2024-10-15T20:30:00Z' });
  const source = ['--replay', stage.recording, '--db', `${stage.folder}/recording.db`];
  for (const alert of [
    ['--above', '40', '--lane', 'fast', '--once', '--note', 'stop paying out'],
    ['--below', '8', '--confirm', '3', '--note', 'batch of transfers'],
    ['--below', '14', '--cooldown', '4h', '--note', 'claim rewards'],
    ['--below', '10', '--lane', 'slow', '--cooldown', '1h', '--note', 'registry'],
  ]) {
    await stage.run(['alerts', 'create', '--terminal', ...alert, ...source]);
  }
  const monitor = await stage.monitor(29, [...source, '--speed', '20000']);
  await monitor.waitFor('◌ ended', { timeoutMs: 60_000 });
  await monitor.waitFor(KEYS_SHOWN, NOTES_LEAVE);
  await monitor.press('2', 't');
  await monitor.waitFor(/^ 24h/m);
  const chart = await stillScreen(monitor);
  monitor.resize(100, 22);
  await monitor.press('5');
  await monitor.waitFor('Latest blocks');
  const explorer = await stillScreen(monitor);
  monitor.resize(100, 16);
  await monitor.press('3');
  await monitor.waitFor('Alerts 4');
  const alerts = await stillScreen(monitor);
  monitor.resize(100, 22);
  await monitor.press('n');
  await monitor.waitFor('New alert');
  await monitor.press(...'9.5', 'tab', 'tab', ...'claim again', 'tab');
  await monitor.waitFor('would have');
  return { chart, explorer, alerts, 'alert-form': await stillScreen(monitor) };
}
