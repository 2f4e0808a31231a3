/**
 * What gastop costs, each figure as a ratio to a yardstick measured in the same run, so that machines compare.
 *
 *     npm run bench                      every measure but the long ones
 *     npm run bench -- start keys        some of them, by name
 *     npm run bench -- quick             what a person feels most, in a third of the rounds: two minutes
 *     npm run bench -- --write           all of them, into docs/PERFORMANCE.md
 *     npm run bench -- --list            their names
 *
 * A budget that is not kept is said in the table; the exit code is for measures that failed.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureAlerts } from './alerts.ts';
import { measureArrival } from './arrival.ts';
import { measureAutoTxs } from './auto-txs.ts';
import { measureBoard } from './board.ts';
import { measureHttp, measureScrapes } from './http.ts';
import { measureKeys } from './keys.ts';
import { measureMemory } from './memory.ts';
import { measureNow, measurePackage, measureScripts } from './now.ts';
import { openWorkshop, type Workshop } from './programs.ts';
import { measureReplicas } from './replicas.ts';
import { formatTable, machineText, type Row, verdict, withResult } from './row.ts';
import { measureStart } from './start.ts';
import { measureChart, measurePath } from './stored.ts';
import { measureStreams } from './streams.ts';
import { measureUpdates } from './updates.ts';

/** Starts, commands, keys and an idle pane. */
const QUICK: readonly string[] = ['start', 'now', 'scripts', 'updates', 'keys'];

interface Measure {
  readonly says: string;
  readonly rows: (workshop: Workshop) => Promise<readonly Row[]>;
  readonly onRequest?: true;
}

const MEASURES: Readonly<Record<string, Measure>> = {
  start: {
    says: 'starts `gastop --demo` and a bare Ink program in turns in a pseudo-terminal, until text is on the screen',
    rows: measureStart,
  },
  now: {
    says: 'runs `gastop --version`, and `gastop now` against `gastop serve` on this machine, in turns with `node -e 0`',
    rows: measureNow,
  },
  scripts: {
    says: 'runs `gastop now --json --rpc`, with history that the monitor has stored, in turns with a viem and an ethers script on the same node',
    rows: measureScripts,
  },
  package: {
    says: 'packs the package, as `npm pack` does, and the bare Ink program',
    rows: measurePackage,
  },
  updates: {
    says: 'has the monitor show a block a second, and one each 12 s, beside a bare Ink program that redraws a line a second: CPU time of all threads, bytes to the terminal',
    rows: measureUpdates,
  },
  keys: {
    says: 'presses keys while blocks come, until what they do is on the screen, and as many in a bare Ink program that echoes them',
    rows: measureKeys,
  },
  arrival: {
    says: 'has a node make blocks, and waits until the monitor shows each: by newHeads over WebSocket, and polled over HTTP',
    rows: measureArrival,
  },
  memory: {
    says: 'plays 24 h of blocks to the monitor while a bare Ink program draws as many frames; nothing is collected for it',
    rows: measureMemory,
  },
  board: {
    says: 'shows ten nodes side by side, counts what it asks them for, and opens one; beside the monitor on one of them',
    rows: measureBoard,
  },
  http: {
    says: 'asks a service with key, quota, limits, metrics and log, and one bare Hono route with the same bytes, in turns over 64 connections',
    rows: measureHttp,
  },
  scrapes: {
    says: 'asks a service for `gas/current` 800 times a second, in turns with and without a scrape of its metrics every 10 ms',
    rows: measureScrapes,
  },
  streams: { says: 'has blocks told to 1,000 streams of one service', rows: measureStreams },
  replicas: {
    says: 'asks a service on PostgreSQL and one on SQLite, and three on PostgreSQL, in turns over 48 connections',
    rows: measureReplicas,
    onRequest: true,
  },
  chart: {
    says: "asks for the month's chart and the day's in turns, with 216,000 blocks stored",
    rows: measureChart,
  },
  alerts: {
    says: 'has blocks wake none of 100,000 armed alerts, in turns with 1,000 armed ones',
    rows: measureAlerts,
  },
  'auto-txs': {
    says: 'has blocks reach none of 10,000 waiting auto-txs, in turns with 100 waiting ones',
    rows: measureAutoTxs,
  },
  path: {
    says: 'has a block go from the source through engine and database to the answer, with a day and with 30 days stored',
    rows: measurePath,
  },
};

const PAGE = new URL('../../docs/PERFORMANCE.md', import.meta.url);

const { values, positionals: given } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, list: { type: 'boolean' } },
});
const lines = (line: (name: string, says: string, more: string) => string, more: string) =>
  Object.entries(MEASURES).map(([name, { says, onRequest }]) => line(name, says, onRequest ? more : ''));
const listing = lines((name, says, more) => `  ${name.padEnd(10)} ${more}${says}`, '(on request) ').join(
  '\n',
);
const isQuick = given.includes('quick');
const positionals = [...given.filter((name) => name !== 'quick'), ...(isQuick ? QUICK : [])];
if (values.list) {
  process.stdout.write(`${listing}\n`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !(name in MEASURES));
if (unknown.length > 0 || (values.write && positionals.length > 0)) {
  process.stderr.write(
    unknown.length > 0
      ? `no measure ${unknown.join(', ')}; there are\n${listing}\n`
      : '--write takes every measure: name none\n',
  );
  process.exit(2);
}

await using workshop = await openWorkshop(isQuick);
const taken: Row[] = [];
const from = performance.now();
for (const [name, { rows, onRequest }] of Object.entries(MEASURES)) {
  if (positionals.length === 0 ? onRequest : !positionals.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  try {
    taken.push(...(await rows(workshop)));
  } catch (error) {
    // One measure that fails does not cost the others, but it is not passed over.
    process.exitCode = 1;
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
const rows = taken.toSorted((a, b) => Number(verdict(a) === '–') - Number(verdict(b) === '–'));
const minutes = (performance.now() - from) / 60_000;
process.stdout.write(`${formatTable(rows)}\n\n${machineText()}, ${minutes.toFixed(0)} minutes\n`);
const over = rows.filter((row) => verdict(row) === 'over');
if (over.length > 0) {
  process.stdout.write(`over budget: ${over.map(({ measure }) => measure).join('; ')}\n`);
}
if (values.write && process.exitCode === undefined) {
  const said = lines((name, says, more) => `- \`${name}\` ${says}${more}`, ' (only when asked for)').join(
    '\n',
  );
  const today = `${new Date().toISOString().slice(0, 10)}, ${machineText()}`;
  await writeFile(PAGE, withResult(await readFile(PAGE, 'utf8'), rows, [today, said]));
  process.stdout.write('docs/PERFORMANCE.md has it\n');
} else if (values.write) {
  process.stderr.write('docs/PERFORMANCE.md is left as it was: a measure failed\n');
}
