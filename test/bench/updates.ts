import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../helpers/terminal.ts';
import {
  HAS_PRICES,
  LARGE,
  openBare,
  openGastop,
  replayArgs,
  shownBlock,
  type Workshop,
} from './programs.ts';
import { atMost, compare, type Row } from './row.ts';

const WINDOWS = 12;
const WINDOW_MS = 5_000;
const SETTLE_MS = 4_000;
/** Until the demo has learned from its week, and has what it shows. */
const DEMO_SETTLES_MS = 30_000;

function cpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0);
}

/** What a program has taken so far, and the blocks or ticks that it has shown: each is one update. */
function costOf(terminal: Terminal) {
  const screen = terminal.screen();
  const tick = /tick (\d+)/.exec(screen[0] ?? '')?.[1];
  return { cpu: cpuMs(terminal.pid), bytes: terminal.bytes, updates: Number(tick ?? shownBlock(screen)) };
}

type Cost = ReturnType<typeof costOf>;
const difference = (later: Cost, earlier: Cost): Cost => ({
  cpu: later.cpu - earlier.cpu,
  bytes: later.bytes - earlier.bytes,
  updates: Math.max(later.updates - earlier.updates, 1),
});

/** CPU time and bytes of a block each second, and of one each 12 s, against a bare Ink program that redraws a line each second beside them. */
export async function measureUpdates(workshop: Workshop): Promise<Row[]> {
  await using slow = await openGastop(workshop, ['--demo'], { size: LARGE });
  await slow.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  await sleep(DEMO_SETTLES_MS);
  await using bare = await openBare(workshop, 1_000, LARGE);
  await using gastop = await openGastop(workshop, await replayArgs(workshop), { size: LARGE });
  await gastop.waitFor(HAS_PRICES, { timeoutMs: 60_000 });
  await sleep(SETTLE_MS);
  const clearsBefore = gastop.clears.screen;
  const count = workshop.rounds(WINDOWS);
  const whole = [costOf(slow), costOf(bare)] as const;
  const windows: { readonly ours: Cost; readonly theirs: Cost }[] = [];
  for (let window = 0; window < count; window++) {
    const before = [costOf(gastop), costOf(bare)] as const;
    await sleep(WINDOW_MS);
    windows.push({
      ours: difference(costOf(gastop), before[0]),
      theirs: difference(costOf(bare), before[1]),
    });
  }
  const clears = gastop.clears.screen - clearsBefore;
  const common = (value: (cost: Cost) => number) => ({
    ours: windows.map(({ ours }) => value(ours)),
    against: 'bare Ink program redrawing a line a second',
    theirs: windows.map(({ theirs }) => value(theirs)),
    runs: `in ${count} windows`,
  });
  // Most windows of 5 s have no block of the demo.
  const perSecond = ([before, terminal]: readonly [Cost, Terminal]) =>
    [(difference(costOf(terminal), before).cpu * 1_000) / (count * WINDOW_MS)] as const;
  return [
    compare({
      ...common(({ cpu }) => (cpu * 1_000) / WINDOW_MS),
      measure: 'CPU per second, one block each',
      unit: 'ms',
      digits: 1,
      // A twentieth of one core: a pane that stays open for weeks.
      budget: (_, own) => [atMost(own, 50, 'ms')],
    }),
    compare({
      measure: 'CPU per second, one block each 12 s',
      ours: perSecond([whole[0], slow]),
      theirs: perSecond([whole[1], bare]),
      against: 'bare Ink program redrawing a line a second',
      unit: 'ms',
      digits: 1,
      runs: `over ${(count * WINDOW_MS) / 1_000} s`,
      // A hundredth of one core.
      budget: (_, own) => [atMost(own, 10, 'ms')],
    }),
    compare({
      ...common(({ bytes, updates }) => bytes / updates),
      measure: 'bytes to the terminal per update',
      unit: 'B',
      budget: (_, own) => [atMost(own, 4_096, 'B'), atMost(clears, 0, 'full clears')],
    }),
  ];
}
