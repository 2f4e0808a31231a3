import { join } from 'node:path';
import type { ScreenQuestion, Terminal } from '../helpers/terminal.ts';
import { writeLongLists } from './long-lists.ts';
import { HAS_PRICES, openBare, openGastop, type Workshop } from './programs.ts';
import type { Row } from './row.ts';
import { quantile, range } from './statistics.ts';

const SIZE = { cols: 120, rows: 40 } as const;
const ALERTS = 1_000;
const AUTO_TXS = 10_000;
const ROUNDS = 4;
const PRESSES = 30;
const BUDGET_MS = 33;
/** Presses are spread over the programs' own pace, so that none always falls beside a redraw. */
const gapMs = (press: number) => 60 + ((press * 37) % 90);

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Press {
  readonly key: string;
  readonly shows: ScreenQuestion | 'another line marked';
}

/** Two keys, each of which undoes what the other did. */
interface Pair {
  readonly what: string;
  /** Leads to where they are pressed, and what is there then. */
  readonly before: Press;
  readonly presses: readonly [Press, Press];
}

const onTab =
  (title: string): ScreenQuestion =>
  (rows) =>
    rows[1]?.includes(title) === true;
const isHelp = (rows: readonly string[]) => rows.some((row) => row.includes('show or hide this help'));
const isList = (rows: readonly string[]) => markedRow(rows) !== -1;
const markedRow = (rows: readonly string[]) => rows.findIndex((row) => row.startsWith(' ▸ '));
const cursor: Pair['presses'] = [
  { key: 'down', shows: 'another line marked' },
  { key: 'up', shows: 'another line marked' },
];

const PAIRS: readonly Pair[] = [
  {
    what: 'help and back',
    before: { key: '1', shows: onTab('[1 Live]') },
    presses: [
      { key: '?', shows: isHelp },
      { key: '?', shows: (rows) => !isHelp(rows) },
    ],
  },
  {
    what: 'another tab and back',
    before: { key: '1', shows: onTab('[1 Live]') },
    presses: [
      { key: '2', shows: onTab('[2 Chart]') },
      { key: '1', shows: onTab('[1 Live]') },
    ],
  },
  {
    what: `the cursor in a list of ${ALERTS.toLocaleString('en')} alerts`,
    before: { key: '3', shows: isList },
    presses: cursor,
  },
  {
    what: `the cursor in a list of ${AUTO_TXS.toLocaleString('en')} auto-txs`,
    before: { key: '4', shows: isList },
    presses: cursor,
  },
];

async function latency(terminal: Terminal, press: Press): Promise<number> {
  const before = markedRow(terminal.screen());
  const isMoved = (rows: readonly string[]) => isList(rows) && markedRow(rows) !== before;
  const shows = press.shows === 'another line marked' ? isMoved : press.shows;
  const shown = terminal.waitFor(shows, { timeoutMs: 30_000 });
  const from = performance.now();
  const pressed = terminal.press(press.key);
  await shown;
  const taken = performance.now() - from;
  await pressed;
  return taken;
}

async function latencies(terminal: Terminal, presses: Pair['presses']): Promise<number[]> {
  const taken: number[] = [];
  for (let count = 0; count < PRESSES; count++) {
    await sleep(gapMs(count));
    taken.push(await latency(terminal, presses[count % 2 === 0 ? 0 : 1]));
  }
  return taken;
}

/**
 * Ms from a key press to what it shows on the screen while a block comes each second, p95, against the bare Ink
 * program's echo: keys that show another page, and keys that move through long lists.
 */
export async function measureKeyLatency(workshop: Workshop, args: readonly string[]): Promise<Row[]> {
  const database = join(workshop.folder, 'long-lists.db');
  await writeLongLists(database, ALERTS, AUTO_TXS);
  await using bare = await openBare(workshop, 1_000, SIZE);
  await using gastop = await openGastop(workshop, { args: [...args, '--db', database], size: SIZE });
  await gastop.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  await bare.waitFor('typed:');
  const echo: Pair['presses'] = [
    { key: 'x', shows: /typed: .*x$/m },
    { key: 'y', shows: /typed: .*y$/m },
  ];
  await latencies(bare, echo);
  const rows: Row[] = [];
  for (const { what, before, presses } of PAIRS) {
    await latency(gastop, before);
    await latencies(gastop, presses);
    const own: number[][] = [];
    const yard: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      yard.push(await latencies(bare, echo));
      own.push(await latencies(gastop, presses));
    }
    const p95 = quantile(own.flat(), 0.95);
    const yardstick = quantile(yard.flat(), 0.95);
    const each = own.map((round, index) => quantile(round, 0.95) / quantile(yard[index] ?? [], 0.95));
    rows.push({
      measure: `key press to screen, p95: ${what}`,
      gastop: `${p95.toFixed(1)} ms (median ${quantile(own.flat(), 0.5).toFixed(1)})`,
      yardstick: `bare Ink program's echo, ${yardstick.toFixed(1)} ms (median ${quantile(yard.flat(), 0.5).toFixed(1)})`,
      ratio: p95 / yardstick,
      spread: `${range(each)} in ${ROUNDS} rounds of ${PRESSES}`,
      budget: [{ atMost: BUDGET_MS, figure: { value: p95, unit: 'ms' } }],
    });
  }
  return rows;
}
