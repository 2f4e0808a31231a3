import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pty from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GASTOP, gastop } from '../helpers/gastop.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { runMain } from './captured-io.ts';
import { RECORDING, SHORT_RECORDING } from './served.ts';
import { type ProgramOptions, startProgram } from './served-program.ts';

const folder = sharedFolder('process');

const start = (argv: readonly string[], options: Partial<ProgramOptions> = {}) =>
  startProgram(argv, { home: folder, ...options });
const run = (argv: readonly string[], options?: Partial<ProgramOptions>) => start(argv, options).ended;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the program as a process', () => {
  it.skipIf(process.platform !== 'linux')('a key that was not shown does not stay active', async () => {
    const keys = join(folder, 'unseen.db');
    const { code, stderr } = await run(['keys', 'create', '--keys', keys], { output: '/dev/full' });
    expect(stderr).toMatch(
      /^gastop: the output cannot grow: the disk is full; key \w{10} was not shown, so it was revoked\n$/,
    );
    expect(code).toBe(1);
    const { stdout } = await runMain(['keys', 'list', '--keys', keys, '--json']);
    expect(JSON.parse(stdout).items).toEqual([expect.objectContaining({ state: 'revoked' })]);
  });

  slowIt.each([
    ['stdout', 129],
    ['stderr', 0],
  ])('says nothing when the terminal behind %s is gone, and ends with %i', async (name, expected) => {
    const before = `
      process.${name}.isTTY = true;
      const timer = setInterval(() => {
        if (process.${name}.listenerCount('error') === 0) return;
        clearInterval(timer);
        process.${name}.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }));
      }, 1);`;
    const { code, stderr } = await run(['now', '--replay', SHORT_RECORDING, '--format', '{block}'], {
      before,
    });
    expect(code).toBe(expected);
    expect(stderr).not.toMatch(/EIO|\bat /);
  });

  it.skipIf(process.platform === 'win32').each([
    ['a price for each block, in the background', 'set -m; "$@"', ['now', '--watch']],
    ['a price for each block, in a session of its own', 'setsid "$@"', ['now', '--watch', '--json']],
    ['a price for each block, of a shell that ignores hangups', 'trap "" HUP; "$@"', ['now', '--watch']],
  ])('does not stay when its terminal is gone: %s', async (_, line, argv) => {
    const command = [process.execPath, GASTOP, ...argv, '--replay', RECORDING, '--speed', '12'];
    const shell = pty.spawn('/bin/bash', ['-c', `${line} & echo pid=$!; wait`, 'bash', ...command], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder },
    });
    let output = '';
    shell.onData((text) => {
      output += text;
    });
    await waitFor(() => output.split('\n').length > 3, { what: 'lines on the terminal' });
    const pid = Number(/^pid=(\d+)/.exec(output)?.[1]);
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    });
    // Closes the terminal; not in the types.
    Reflect.apply(Reflect.get(shell, 'destroy'), shell, []);
    await waitFor(() => !isRunning(pid), { what: 'its end' });
  });

  it.each([
    ['CI', 'true'],
    ...(isSlowRun
      ? [
          ['CI', ''],
          ['CONTINUOUS_INTEGRATION', '1'],
        ]
      : []),
  ])('draws the monitor on a terminal where %s is %j', async (name = '', value = '') => {
    const options = { env: { [name]: value }, cols: 100 };
    await using terminal = await gastop(['--replay', SHORT_RECORDING], options);
    await terminal.waitFor('[1 Live]');
    expect(terminal.isAlternate()).toBe(true);
    await terminal.press('2');
    await terminal.waitFor('[2 Chart]');
  });

  it('writes data to stdout and nothing else anywhere, but for a warning that is not of SQLite', async () => {
    const before = "setTimeout(() => process.emitWarning('look here', 'ExperimentalWarning'), 1)";
    const argv = ['now', '--replay', SHORT_RECORDING, '--format', '{block}'];
    const { code, stdout, stderr } = await run(argv, { before });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '20975164\n' });
    expect(stderr).toMatch(/^\(node:\d+\) ExperimentalWarning: look here\n\(Use [^\n]+\)\n$/);
  });

  it.runIf(isSlowRun && process.platform !== 'win32')(
    'record ends at Ctrl-C with whole lines, a count and exit 0',
    async () => {
      const out = join(folder, 'stopped.jsonl');
      const argv = ['record', '--replay', RECORDING, '--speed', '1', '--past', '1h', '--out', out];
      const { child, ended } = start(argv);
      await waitFor(() => readFileSync(out, 'utf8').split('\n').length > 150);
      child.kill('SIGINT');
      const { code, stderr } = await ended;
      expect(code).toBe(0);
      const text = readFileSync(out, 'utf8');
      expect(text.endsWith('\n')).toBe(true);
      expect(stderr).toContain(`recorded ${text.trimEnd().split('\n').length - 1} blocks`);
    },
  );

  it('an error of its own is one line, and the details are there for the asking', async () => {
    const before = "String.prototype.matchAll = () => { throw new TypeError('broken inside') }";
    const argv = ['now', '--replay', SHORT_RECORDING, '--format', '{block}'];
    const brief = await run(argv, { before });
    expect(brief.code).toBe(1);
    expect(brief.stderr).toMatch(/^gastop: [^\n]*broken inside[^\n]*GASTOP_DEBUG=1[^\n]*\n$/);
    if (!isSlowRun) return;
    const long = await run(argv, { before, env: { GASTOP_DEBUG: '1' } });
    expect(long.stderr).toMatch(/broken inside[\s\S]*\n +at /);
  });
});

describe('an old Node', () => {
  const old = (version: string): string =>
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;

  it.each(isSlowRun ? ['16.20.2', '22.12.0'] : ['22.12.0'])('%s is refused, with advice', async (version) => {
    const { code, stdout, stderr } = await run(['now'], { before: old(version) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `gastop needs Node.js 22.13 or newer (this is ${version}). Run: npx --yes -p node@24 -p gastop gastop\n`,
    );
  });

  slowIt('22.13.0 will do, and says which version gastop is', async () => {
    const { code, stdout } = await run(['--version'], { before: old('22.13.0') });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^gastop \S+\n$/);
  });
});
