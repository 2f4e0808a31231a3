import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/store/database.ts';
import type { ScreenQuestion, Terminal } from '../helpers/terminal.ts';
import { HAS_PRICES, LARGE, openBare, openGastop, replayArgs, type Workshop } from './programs.ts';
import { atMost, compare, inTurns, quantile, type Row } from './row.ts';
import { insertAlerts, insertAutoTxs } from './stored-rows.ts';

const ALERTS = 1_000;
const AUTO_TXS = 10_000;
const ROUNDS = 4;
const PRESSES = 30;
const BUDGET_MS = 33;
/** Presses are spread over the programs' own pace, so that none always falls beside a redraw. */
const gapMs = (press: number) => 60 + ((press * 37) % 90);

interface Press {
  readonly key: string;
  readonly shows: ScreenQuestion | 'another line marked';
}
type Pair = readonly [Press, Press];

const onTab =
  (title: string): ScreenQuestion =>
  (rows) =>
    rows[1]?.includes(title) === true;
const isHelp = (rows: readonly string[]) => rows.some((row) => row.includes('show or hide this help'));
const markedRow = (rows: readonly string[]) => rows.findIndex((row) => row.startsWith(' ▸ '));
const isList = (rows: readonly string[]) => markedRow(rows) !== -1;
const listOn =
  (title: string): ScreenQuestion =>
  (rows) =>
    rows[1]?.includes(title) === true && isList(rows);
const onLive: Press = { key: '1', shows: onTab('[1 Live]') };
const cursor: Pair = [
  { key: 'down', shows: 'another line marked' },
  { key: 'up', shows: 'another line marked' },
];
const echo: Pair = [
  { key: 'x', shows: /typed: .*x$/m },
  { key: 'y', shows: /typed: .*y$/m },
];

/** What the pair does, what leads to where it is pressed, and the pair. */
const PAIRS: readonly (readonly [what: string, before: Press, pair: Pair])[] = [
  [
    'help and back',
    onLive,
    [
      { key: '?', shows: isHelp },
      { key: '?', shows: (rows) => !isHelp(rows) },
    ],
  ],
  ['another tab and back', onLive, [{ key: '2', shows: onTab('[2 Chart]') }, onLive]],
  [
    `the cursor in a list of ${ALERTS.toLocaleString('en')} alerts`,
    { key: '3', shows: listOn('[3 Alerts') },
    cursor,
  ],
  [
    `the cursor in a list of ${AUTO_TXS.toLocaleString('en')} auto-txs`,
    { key: '4', shows: listOn('[4 Auto-tx') },
    cursor,
  ],
];

async function latency(terminal: Terminal, { key, shows }: Press): Promise<number> {
  const before = markedRow(terminal.screen());
  const isMoved = (rows: readonly string[]) => isList(rows) && markedRow(rows) !== before;
  const shown = terminal.waitFor(shows === 'another line marked' ? isMoved : shows, { timeoutMs: 30_000 });
  const from = performance.now();
  const pressed = terminal.press(key);
  await shown;
  const taken = performance.now() - from;
  await pressed;
  return taken;
}

async function p95(terminal: Terminal, pair: Pair, presses: number): Promise<number> {
  const taken: number[] = [];
  for (let count = 0; count < presses; count++) {
    await sleep(gapMs(count));
    taken.push(await latency(terminal, pair[count % 2 === 0 ? 0 : 1]));
  }
  return quantile(taken, 0.95);
}

/** p95 from a key press to what it shows while a block comes each second, against the echo of the bare Ink program. */
export async function measureKeys(workshop: Workshop): Promise<Row[]> {
  const path = join(workshop.folder, 'long-lists.db');
  const database = await openDatabase(path);
  // Far below what a recording pays, so that nothing fires while keys are pressed; of the monitor's own service.
  await insertAlerts(database, ALERTS, (place) => ({ threshold: 1_000n + BigInt(place) }), '');
  await insertAutoTxs(database, AUTO_TXS, '');
  await database.close();
  await using bare = await openBare(workshop, 1_000, LARGE);
  const args = [...(await replayArgs(workshop)), '--db', path];
  await using gastop = await openGastop(workshop, args, { size: LARGE });
  await gastop.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  await bare.waitFor('typed:');
  const [rounds, presses] = [workshop.rounds(ROUNDS), workshop.rounds(PRESSES)];
  const rows: Row[] = [];
  for (const [what, before, pair] of PAIRS) {
    await latency(gastop, before);
    const turns = [() => p95(gastop, pair, presses), () => p95(bare, echo, presses)] as const;
    const [ours, theirs] = await inTurns(rounds, turns);
    rows.push(
      compare({
        measure: `key press to screen, p95: ${what}`,
        ours,
        against: "bare Ink program's echo",
        theirs,
        unit: 'ms',
        digits: 1,
        runs: `in ${rounds} rounds of ${presses}`,
        budget: (_, own) => [atMost(own, BUDGET_MS, 'ms')],
      }),
    );
  }
  return rows;
}
