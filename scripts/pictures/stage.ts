import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GASTOP } from '../../test/helpers/gastop.ts';
import { openTerminal, type Terminal } from '../../test/helpers/terminal.ts';
import { openHome, programEnvironment } from '../../test/helpers/terminal-environment.ts';
import type { Screen } from './screen-svg.ts';

const COLUMNS = 100;
const SET_CLOCK = fileURLToPath(new URL('set-clock.ts', import.meta.url));
const RECORDING = fileURLToPath(
  new URL('../../test/fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv', import.meta.url),
);

export interface StageOptions {
  /** What the programs' wall clock says now, ISO 8601. */
  readonly now: string;
}

/** The built program with a home and a clock of its own, gone with all that it kept when the pictures are taken. */
export interface Stage extends AsyncDisposable {
  readonly folder: string;
  /** The file of recorded mainnet blocks. */
  readonly recording: string;
  /** Puts the clock of what is started from now on. */
  setClock(now: string): void;
  /** The monitor, once it shows prices. */
  monitor(rows: number, args: readonly string[]): Promise<Terminal>;
  /** Runs a command to its end and answers what it printed. @throws where it failed. */
  run(args: readonly string[], input?: string): Promise<string>;
}

export async function openStage({ now }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'gastop-pictures-'));
  const home = await openHome(folder);
  let clock = aheadOf(now);
  const terminals: Terminal[] = [];
  return {
    folder,
    recording: RECORDING,
    setClock: (later) => {
      clock = aheadOf(later);
    },
    monitor: async (rows, args) => {
      const terminal = await openTerminal({
        args: ['--import', SET_CLOCK, GASTOP, ...args],
        cols: COLUMNS,
        rows,
        home: folder,
        env: clock,
        cwd: folder,
      });
      terminals.push(terminal);
      await terminal.waitFor(/Average .*\d/, { timeoutMs: 60_000 });
      return terminal;
    },
    run: async (args, input = '') => {
      const child = spawn(process.execPath, ['--import', SET_CLOCK, GASTOP, ...args], {
        env: programEnvironment(home, clock),
        cwd: folder,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const text = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text.out += chunk;
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        text.err += chunk;
      });
      child.stdin.end(input);
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`gastop ${args.join(' ')} ended with ${code}: ${text.err}`);
      return text.out.trim();
    },
    [Symbol.asyncDispose]: async () => {
      for (const terminal of terminals) await terminal.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** What puts a program's clock there. */
function aheadOf(now: string): Readonly<Record<string, string>> {
  return { GASTOP_PICTURE_AHEAD_MS: String(Date.parse(now) - Date.now()) };
}

const STILL_MS = 700;
const PATIENCE_MS = 15_000;

/** What stands on the screen once it has stood still for a moment, so that all that was asked for is on it. */
export async function stillScreen(terminal: Terminal): Promise<Screen> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let before = '';
  let since = performance.now();
  for (;;) {
    const now = terminal.screen().join('\n');
    if (now !== before) [before, since] = [now, performance.now()];
    if (performance.now() - since > STILL_MS) break;
    if (performance.now() > giveUpAt) throw new Error(`the screen never stood still:\n${now}`);
    await setTimeout(20);
  }
  return terminal.screen().map((_, y) => Array.from({ length: COLUMNS }, (_, x) => terminal.cell(x, y)));
}
