import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemdUnit } from '../../src/cli/commands/serve.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { runMain } from './captured-io.ts';
import { startProgram } from './served-program.ts';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

const line = (unit: string, name: string) =>
  unit
    .split('\n')
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1);

test('gastop serve --systemd prints a unit that runs this very program with what was asked for', async () => {
  const home = await temporaryFolder();
  const argv = ['serve', '--port', '9000', '--db', 'gas prices.db', '--allow-private-targets', '--systemd'];
  const { code, stdout, stderr } = await startProgram(argv, { home }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(line(stdout, 'ExecStart')).toMatch(
    /^\S+\/node \S+\/dist\/bin\.js serve --port 9000 --db "gas prices\.db" --allow-private-targets$/,
  );
  expect(line(stdout, 'WorkingDirectory')).toBe(process.cwd());
  expect(line(stdout, 'EnvironmentFile')).toBe(`-${home}/.config/gastop/serve.env`);
});

test.skipIf(!hasSystemd)('systemd finds nothing wrong with it, whatever stands in its paths', async () => {
  const folder = await temporaryFolder();
  for (const odd of ['plain', 'a b', 'quote"d', 'per%cent', 'dol$lar', 'back\\slash']) {
    const file = join(folder, 'gastop.service');
    const command = [process.execPath, join(folder, odd, 'bin.js'), 'serve'];
    writeFileSync(file, systemdUnit(command, join(folder, odd), join(folder, odd, 'serve.env')));
    const run = spawnSync('systemd-analyze', ['verify', '--user', file], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    });
    expect([run.status, run.stderr.split('\n').filter((each) => each.includes('gastop.service'))]).toEqual([
      0,
      [],
    ]);
  }
});

test('a node is not written into a unit, which everybody may read', async () => {
  const { exitCode, stdout, stderr } = await runMain(
    ['serve', '--systemd', '--rpc', 'https://node.example/v3/hidden-path'],
    { home: '/home/me' },
  );
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    'gastop: a unit takes its nodes from the config file, or from GASTOP_RPC in /home/me/.config/gastop/serve.env\n',
  );
});

test('where there is no systemd it says so', async () => {
  const { exitCode, stderr } = await runMain(['serve', '--systemd'], { platform: 'darwin' });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^gastop: --systemd is for Linux; [^\n]+\n$/);
});

test.each([
  ['--port', '99999', '"99999" is not a port'],
  ['--host', 'a b', '"a b" is not an address to listen on'],
  ['--base-url', 'nonsense', '--base-url: '],
  ['--keys', ':memory:', 'keys need a file that stays'],
  ['--cors', 'app.example.org', '--cors: not the origin of a page'],
  ['--cors', 'https://app.example.org/prices', '--cors: not the origin of a page'],
  ['--history', '1y', '--history: "1y" is not a duration'],
])('what serve refuses is written into no unit: %s %s', async (flag, value, says) => {
  const { exitCode, stdout, stderr } = await runMain(['serve', '--systemd', flag, value]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(says);
});
