/** The built program where it can keep nothing: a home that takes no files, none at all, a disk that is full. */
import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { runMain } from '../cli/captured-io.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { openTerminal } from '../helpers/terminal.ts';

const PRICES = /Average .*\d/;
const NO_ROOM = /history is not being saved: the disk is full, chain-31337\.db cannot grow/;

/** A file where the home should be: nobody can keep anything in it, not even root. */

const node = await startAnvil({ blockTime: 1 });
const folder = sharedFolder('odd-homes');
const noHome = join(folder, 'file');
await writeFile(noHome, '');

afterAll(() => node?.stop());

describe('a home that takes no files', () => {
  it.each(
    [
      ['now', '--format', '{block}'],
      ['history', '--window', '1h', '--csv'],
      ['wait', '--below', '1000000', '--timeout', '30s'],
      ['block', 'latest', '--json'],
    ].slice(isSlowRun ? 0 : 2),
  )('gastop %s answers all the same, and says in one line that nothing is kept', async (...argv) => {
    const { exitCode, stderr } = await runMain([...argv, '--rpc', node.url], { home: noHome });
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toBe(
      'gastop: no history is kept in ~/.local/share/gastop: chain-31337.db cannot be made there; its folder is not a folder',
    );
    expect(lines.filter((line) => line.includes('is kept'))).toHaveLength(1);
    expect(exitCode).toBe(0);
  });

  it('is a failure for what has to be kept, and for a database that was named', async () => {
    const alert = ['alerts', 'create', '--below', '5', '--terminal', '--rpc', node.url];
    for (const argv of [
      alert,
      ['keys', 'create'],
      ['now', '--rpc', node.url, '--db', join(noHome, 'x.db')],
    ]) {
      const { exitCode, stdout, stderr } = await runMain(argv, { home: noHome });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/^gastop: \S+\.db cannot be made there[^\n]*\n$/);
    }
  });
});

it('an empty HOME is none: nothing comes to lie where gastop is started', async () => {
  const cwd = await mkdtemp(join(folder, 'cwd-'));
  const env = { PATH: process.env.PATH ?? '', HOME: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [GASTOP, 'config'], { env, cwd });
  expect(stdout).toMatch(/^database +[~/].*chain-<id>\.db/m);
  expect(await readdir(cwd)).toEqual([]);
});

const onDisk = (size: string, at: string, command: readonly string[]): string[] => [
  '--mount',
  '--map-root-user',
  'sh',
  '-c',
  'mount -t tmpfs -o size="$0" none "$1" && cd "$1" && shift && exec "$@"',
  size,
  at,
  ...command,
];

const mayMount = await new Promise<boolean>((resolve) => {
  const child = spawn('unshare', onDisk('64k', tmpdir(), ['true']), { stdio: 'ignore' });
  child.once('error', () => resolve(false));
  child.once('close', (code) => resolve(code === 0));
});

it.runIf(mayMount && isSlowRun)(
  'a disk that is full is told while prices go on, and is written again once there is room',
  async () => {
    const data = await mkdtemp(join(folder, 'disk-'));
    await using terminal = await openTerminal({
      command: 'unshare',
      args: onDisk('3m', data, [process.execPath, GASTOP, '--rpc', node.url]),
      env: { XDG_DATA_HOME: data },
      cols: 110,
    });
    // Advice comes once the history is followed and written; the first prices come before that.
    await terminal.waitFor(/^ (?:SEND NOW|WAIT|NO ADVICE) /m);
    const root = `/proc/${terminal.pid}/root${data}`;
    fill(join(root, 'rest'));
    const rows = await terminal.waitFor(NO_ROOM);
    expect(rows[0]).toContain('● live, unsaved');
    expect(rows.join('\n')).toMatch(PRICES);
    await terminal.press('2');
    await terminal.waitFor(/^ now [\d:]+ +base/m);
    await terminal.press('w');
    await terminal.waitFor('Write a CSV file?');
    await terminal.press('y');
    await terminal.waitFor(/Not saved: .*cannot grow: the disk is full/);
    // Nothing is left of what did not fit.
    expect(await readdir(root)).not.toContainEqual(expect.stringMatching(/csv$/));
    await terminal.press('1');
    rmSync(join(root, 'rest'));
    await terminal.waitFor((now) => !NO_ROOM.test(now.join('\n')) && /● live +\S/.test(now[0] ?? ''));
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
  },
);

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch {
  } finally {
    closeSync(file);
  }
}
