import { readdirSync, readFileSync } from 'node:fs';
import type { Terminal } from '../helpers/terminal.ts';
import { HAS_PRICES, openBare, openGastop, type Workshop } from './programs.ts';
import { shownBlock } from './resident-memory.ts';
import type { Limit, Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const SIZE = { cols: 120, rows: 40 } as const;
/** A minute. */
const WINDOWS = 12;
const WINDOW_MS = 5_000;
const SETTLE_MS = 4_000;
/** A twentieth of one core: a pane that stays open for weeks. */
const MOST_CPU_MS = 50;
/** Ink begins each frame that it writes with this (synchronized output). */
const FRAME = '\x1b[?2026h';

interface Cost {
  readonly cpuMs: number;
  readonly bytes: number;
  readonly frames: number;
  /** Blocks that were shown; each is one update, in however many frames it is drawn. */
  readonly updates: number;
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
  const screen = terminal.screen();
  return {
    cpuMs: cpuMs(terminal.pid),
    bytes: terminal.bytes,
    frames: framesIn(terminal.output()),
    updates: shownTick(screen) ?? shownBlock(screen),
  };
}

/** What the bare program counts. */
function shownTick(rows: readonly string[]): number | null {
  const tick = /tick (\d+)/.exec(rows[0] ?? '')?.[1];
  return tick === undefined ? null : Number(tick);
}

const difference = (later: Cost, earlier: Cost): Cost => ({
  cpuMs: later.cpuMs - earlier.cpuMs,
  bytes: later.bytes - earlier.bytes,
  frames: later.frames - earlier.frames,
  updates: Math.max(later.updates - earlier.updates, 1),
});

/**
 * CPU time and bytes on a screen of 120×40 over a minute in which one block arrives each second (a recording at 12×),
 * against a bare Ink program that redraws one line each second. Both run side by side, so both meet the same machine.
 */
export async function measureUpdateCost(workshop: Workshop, args: readonly string[]): Promise<Row[]> {
  await using bare = await openBare(workshop, 1_000, SIZE);
  await using gastop = await openGastop(workshop, { args, size: SIZE });
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
      gastop: `${median(own).toFixed(digits)} ${unit}`.trim(),
      yardstick: `bare Ink program redrawing a line a second, ${median(yard).toFixed(digits)} ${unit}`.trim(),
      ratio: median(each),
      spread: `${range(each)} in ${WINDOWS} windows`,
      budget: budget(median(own)),
    };
  };
  const seconds = WINDOW_MS / 1_000;
  return [
    row(
      'CPU per second, one block each',
      'ms',
      1,
      ({ cpuMs: cpu }) => cpu / seconds,
      (own) => [{ atMost: MOST_CPU_MS, figure: { value: own, unit: 'ms' } }],
    ),
    row(
      'bytes to the terminal per update',
      'B',
      0,
      ({ bytes, updates }) => bytes / updates,
      (own) => [
        { atMost: 4_096, figure: { value: own, unit: 'B' } },
        { atMost: 0, figure: { value: clears, unit: 'full clears' } },
      ],
    ),
    row('frames per update', '', 1, ({ frames, updates }) => frames / updates),
  ];
}
