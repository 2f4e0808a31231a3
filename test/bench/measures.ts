import { measureAlertCost } from './alert-cost.ts';
import { measureArrival } from './arrival.ts';
import { measureAutoTxCost } from './auto-tx-cost.ts';
import { measureBoardCost } from './board-cost.ts';
import { measureChartCost } from './chart-cost.ts';
import { measureEngineCost } from './engine-cost.ts';
import { measureFirstFrame } from './first-frame.ts';
import { measureHttpCost } from './http-cost.ts';
import { measureKeyLatency } from './key-latency.ts';
import { measureOneShot } from './one-shot.ts';
import { measurePackageSize } from './package-size.ts';
import type { Workshop } from './programs.ts';
import { writeRecording } from './recording.ts';
import { measureReplayMemory } from './replay-memory.ts';
import { measureReplicaCost } from './replica-cost.ts';
import { measureResidentMemory } from './resident-memory.ts';
import type { Row } from './row.ts';
import { measureStreamCost } from './stream-cost.ts';
import { measureUpdateCost } from './update-cost.ts';
import { measureWholePath } from './whole-path-cost.ts';

export interface Measure {
  /** As it is asked for: `npm run bench -- NAME`. */
  readonly name: string;
  /** What it does, in one line. */
  readonly says: string;
  readonly rows: (workshop: Workshop) => Promise<Row[]>;
  /** Takes too long to be part of every run. */
  readonly onRequest?: true;
}

const DEMO = ['--demo'] as const;
/** Recorded blocks are 12 s apart: one a second. */
const ONE_BLOCK_A_SECOND = '12';

async function replayArgs({ folder }: Workshop): Promise<readonly string[]> {
  return ['--replay', await writeRecording(folder, 5_000), '--speed', ONE_BLOCK_A_SECOND];
}

/** Those with a budget first, in the order of their budgets. */
export const MEASURES: readonly Measure[] = [
  {
    name: 'start',
    says: 'starts `gastop --demo` and a bare Ink program in turns in a pseudo-terminal, until text is on the screen',
    rows: (workshop) => measureFirstFrame(workshop, DEMO),
  },
  {
    name: 'now',
    says: 'runs `gastop now --json` against `gastop serve` on this machine, and commands that ask nobody, in turns with `node -e 0`',
    rows: measureOneShot,
  },
  {
    name: 'package',
    says: 'packs the package, as `npm pack` does, and the bare Ink program',
    rows: measurePackageSize,
  },
  {
    name: 'updates',
    says: 'has the monitor show a block a second beside a bare Ink program that redraws a line a second: CPU time of all threads, bytes to the terminal',
    rows: async (workshop) => measureUpdateCost(workshop, await replayArgs(workshop)),
  },
  {
    name: 'keys',
    says: 'presses keys while blocks come, until what they do is on the screen, and as many in a bare Ink program that echoes them',
    rows: async (workshop) => measureKeyLatency(workshop, await replayArgs(workshop)),
  },
  {
    name: 'arrival',
    says: 'has a node make blocks, and waits until the monitor shows each: by newHeads over WebSocket, and polled over HTTP',
    rows: measureArrival,
  },
  {
    name: 'memory',
    says: 'plays 24 h of blocks to the monitor while a bare Ink program draws as many frames; nothing is collected for it',
    rows: measureResidentMemory,
  },
  {
    name: 'leaks',
    says: 'plays 320,000 blocks as fast as the monitor takes them and looks at what is in use early and late',
    rows: measureReplayMemory,
    onRequest: true,
  },
  {
    name: 'board',
    says: 'shows ten nodes side by side, counts what it asks them for, and opens one; beside the monitor on one of them',
    rows: measureBoardCost,
  },
  {
    name: 'http',
    says: 'asks a service with key, quota, limits, metrics and log, and one bare Hono route with the same bytes, in turns over 64 connections',
    rows: measureHttpCost,
  },
  {
    name: 'streams',
    says: 'has blocks told to 1,000 streams of one service, and to 20 beside one that reads nothing',
    rows: measureStreamCost,
  },
  {
    name: 'replicas',
    says: 'asks a service on PostgreSQL and one on SQLite, and three on PostgreSQL, in turns over 48 connections',
    rows: measureReplicaCost,
    onRequest: true,
  },
  {
    name: 'chart',
    says: "asks for the month's chart and the day's in turns, with 216,000 blocks stored",
    rows: measureChartCost,
  },
  {
    name: 'alerts',
    says: 'has blocks wake none and 1,000 of 100,000 armed alerts, in turns with 1,000 armed ones',
    rows: measureAlertCost,
  },
  {
    name: 'auto-txs',
    says: 'has blocks reach none and 20 of 10,000 waiting auto-txs, in turns with 100 waiting ones',
    rows: measureAutoTxCost,
  },
  {
    name: 'engine',
    says: 'feeds blocks to the fee engine with a day and with 30 days of history behind it',
    rows: async () => [measureEngineCost()],
  },
  {
    name: 'path',
    says: 'has a block go from the source through engine and database to the answer, with a day and with 30 days stored',
    rows: measureWholePath,
  },
];
