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
 * Tabs and what is done in each. What `Esc` leaves is waited for before and after: with the key behind it in one read it
 * would be another key.
 */
const ROUND = [
  { keys: ['2', 't', 'p', 'v', 'h', 'h'] },
  { keys: ['3', 'n'], leaves: 'Ctrl-S' },
  { keys: ['4', 'n'], leaves: 'Ctrl-S' },
  { keys: ['5', 'j', 'enter'], leaves: 'confirmation' },
  { keys: ['6', 'j', 'g'] },
  { keys: ['1', '?', '?', 'i', 'i'] },
] as const;
const BETWEEN_MS = 60;

export interface Checkpoint {
  readonly block: number;
  readonly holding: Holding;
  readonly size: DatabaseSize;
}

/**
 * Plays a recording to the built monitor, with a database of its own, while its tabs, lists and forms are opened and
 * closed, and looks at what it holds after so many blocks.
 */
export async function soakMonitor(
  folder: string,
  { speed, blocks }: { readonly speed: number; readonly blocks: readonly number[] },
  tell: (checkpoint: Checkpoint) => void = () => {},
): Promise<Checkpoint[]> {
  const recording = await writeRecording(folder, Math.max(...blocks) + 40 * Math.ceil(speed / 12));
  const path = join(folder, 'monitor.db');
  const watch = await openWatch(folder, 'monitor');
  await using terminal = await openTerminal({
    args: [...watch.nodeArgs, GASTOP, '--replay', recording, '--speed', String(speed), '--db', path],
    cols: 120,
    rows: 40,
  });
  const checkpoints: Checkpoint[] = [];
  for (const block of blocks) {
    do await lookAtEverything(terminal);
    while (shownBlock(terminal.screen()) < block);
    await terminal.waitFor((rows) => shownBlock(rows) >= block, { timeoutMs: PATIENCE_MS });
    // What was opened last is let go of.
    await sleep(1_000);
    const checkpoint = { block, holding: await watch.ask(terminal.pid), size: databaseSize(path) };
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
  for (const step of ROUND) {
    await terminal.press(...step.keys);
    if ('leaves' in step) {
      await terminal.waitFor(step.leaves);
      await terminal.press('esc');
      await terminal.waitFor((rows) => !rows.join('\n').includes(step.leaves));
    }
    await sleep(BETWEEN_MS);
  }
}
