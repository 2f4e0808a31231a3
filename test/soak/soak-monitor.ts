import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeRecording } from '../bench/recording.ts';
import { shownBlock } from '../bench/resident-memory.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';
import { type DatabaseSize, databaseSize } from './database-size.ts';
import { type Holding, openWatch } from './watched-program.ts';

/** Blocks are 12 s apart. */
export const HOUR_BLOCKS = 300;
const PATIENCE_MS = 3_600_000;
/**
 * The engine's columns grow fourfold as blocks come, by 14 MB after 4,096 of them and by 18 MB after 16,384. All looks lie
 * between these, for the recording goes on while the monitor comes to rest, and ends before the second.
 */
const ALL_BLOCKS = 16_000;

/**
 * Tabs and what is done in each. A key that opens something is pressed until that is there, and `Esc` until it is gone:
 * several keys in one read would be a paste, or another key.
 */
const ROUND = [
  { tab: '2', shows: '[2 Chart]', keys: ['t', 'p', 'v', 'h', 'h'] },
  { tab: '3', shows: '[3 Alerts', keys: [], opens: 'n', leaves: 'Ctrl-S' },
  { tab: '4', shows: '[4 Auto-tx', keys: ['n'] },
  { tab: '5', shows: '[5 Explorer]', keys: ['j'], opens: 'enter', leaves: 'confirmation' },
  { tab: '6', shows: '[6 Service]', keys: ['j', 'g'] },
  { tab: '1', shows: '[1 Live]', keys: ['?', '?', 'i', 'i'] },
] as const;
const BETWEEN_MS = 100;
const ASK_AGAIN_MS = 5_000;
/** A monitor at rest has some twenty. */
const FEW_TIMERS = 40;
/** Two minutes and more. */
const MOST_ASKED = 30;

export interface Checkpoint {
  readonly block: number;
  readonly holding: Holding;
  readonly size: DatabaseSize;
}

/**
 * Plays a recording to the built monitor, with a database of its own, while its tabs, lists and forms are opened and
 * closed, and looks at what it holds after so many blocks, from 4,100 on.
 */
export async function soakMonitor(
  folder: string,
  { speed, blocks }: { readonly speed: number; readonly blocks: readonly number[] },
  tell: (checkpoint: Checkpoint) => void = () => {},
): Promise<Checkpoint[]> {
  const recording = await writeRecording(folder, ALL_BLOCKS);
  const path = join(folder, 'monitor.db');
  const watch = await openWatch(folder, 'monitor');
  await using terminal = await openTerminal({
    args: [...watch.nodeArgs, GASTOP, '--replay', recording, '--speed', String(speed), '--db', path],
    cols: 120,
    rows: 40,
  });
  /** What was opened is kept for two minutes, with a timer each: how many that are depends on the machine. */
  const atRest = async (pid: number): Promise<Holding> => {
    for (let asked = 1; ; asked += 1) {
      await sleep(ASK_AGAIN_MS);
      const holding = await watch.ask(pid);
      if ((holding.resources.Timeout ?? 0) <= FEW_TIMERS || asked === MOST_ASKED) return holding;
    }
  };
  const checkpoints: Checkpoint[] = [];
  for (const block of blocks) {
    do await lookAtEverything(terminal);
    while (shownBlock(terminal.screen()) < block);
    await terminal.waitFor((rows) => shownBlock(rows) >= block, { timeoutMs: PATIENCE_MS });
    const checkpoint = { block, holding: await atRest(terminal.pid), size: databaseSize(path) };
    checkpoints.push(checkpoint);
    tell(checkpoint);
  }
  await terminal.press('q');
  const { exitCode } = await terminal.waitForExit();
  if (exitCode !== 0) throw new Error(`the monitor ended with ${exitCode}`);
  return checkpoints;
}

/** What somebody does who looks at everything: tabs, lists, forms and overlays opened and closed again. */
async function lookAtEverything(terminal: Terminal): Promise<void> {
  for (const { tab, shows, keys, ...step } of ROUND) {
    await terminal.press(tab);
    await terminal.waitFor(shows);
    for (const key of keys) {
      await terminal.press(key);
      await sleep(BETWEEN_MS);
    }
    if (!('opens' in step)) continue;
    await terminal.pressUntil(step.opens, step.leaves);
    await terminal.pressUntil('esc', (rows) => !rows.join('\n').includes(step.leaves));
  }
}
