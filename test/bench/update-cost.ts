import { readdirSync, readFileSync } from 'node:fs';
import type { Terminal } from '../helpers/terminal.ts';
import { HAS_PRICES, openBare, openGastop, type Workshop } from './programs.ts';
import type { Limit, Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const WINDOWS = 6;
const WINDOW_MS = 5_000;
const SETTLE_MS = 4_000;
/** Ink begins each frame that it writes with this (synchronized output). */
const FRAME = '\x1b[?2026h';

interface Cost {
  readonly cpuMs: number;
  readonly bytes: number;
  readonly frames: number;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** CPU time of all threads, from the scheduler's own account in nanoseconds. */
function cpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0);
}

const framesIn = (output: string) => output.split(FRAME).length - 1;

function read(terminal: Terminal): Cost {
  return { cpuMs: cpuMs(terminal.pid), bytes: terminal.bytes, frames: framesIn(terminal.output()) };
}

const difference = (later: Cost, earlier: Cost): Cost => ({
  cpuMs: later.cpuMs - earlier.cpuMs,
  bytes: later.bytes - earlier.bytes,
  frames: Math.max(later.frames - earlier.frames, 1),
});

/**
 * CPU time and bytes per second and per frame, while one block arrives each second (a recording at 12×), against
 * a bare Ink program that redraws one line each second. Both run side by side, so both meet the same machine.
 */
export async function measureUpdateCost(workshop: Workshop, args: readonly string[]): Promise<Row[]> {
  await using bare = await openBare(workshop, 1_000);
  await using gastop = await openGastop(workshop, { args });
  await gastop.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  await sleep(SETTLE_MS);
  const clearsBefore = gastop.clears.screen;
  const bareCosts: Cost[] = [];
  const gastopCosts: Cost[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    const before = [read(bare), read(gastop)] as const;
    await sleep(WINDOW_MS);
    bareCosts.push(difference(read(bare), before[0]));
    gastopCosts.push(difference(read(gastop), before[1]));
  }
  const clears = gastop.clears.screen - clearsBefore;

  const row = (
    measure: string,
    unit: string,
    digits: number,
    value: (cost: Cost) => number,
    budget: (own: number) => readonly Limit[] = () => [],
  ): Row => {
    const [own, yard] = [gastopCosts.map(value), bareCosts.map(value)];
    const each = ratios(own, yard);
    return {
      measure,
      gastop: `${median(own).toFixed(digits)} ${unit}`,
      yardstick: `bare Ink program redrawing a line a second, ${median(yard).toFixed(digits)} ${unit}`,
      ratio: median(each),
      spread: `${range(each)} in ${WINDOWS} windows`,
      budget: budget(median(own)),
    };
  };
  const seconds = WINDOW_MS / 1_000;
  return [
    row('CPU per update', 'ms', 2, ({ cpuMs: cpu, frames }) => cpu / frames),
    row(
      'CPU per second',
      'ms',
      1,
      ({ cpuMs: cpu }) => cpu / seconds,
      () => [{ atMost: 2 }],
    ),
    row(
      'bytes to the terminal per update',
      'B',
      0,
      ({ bytes, frames }) => bytes / frames,
      (own) => [
        { atMost: 1_500, figure: { value: own, unit: 'B' } },
        { atMost: 0, figure: { value: clears, unit: 'full clears' } },
      ],
    ),
    row('bytes per second', 'B', 0, ({ bytes }) => bytes / seconds),
  ];
}
