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

/** Filters of system calls alone: whatever needs a mount namespace needs user namespaces in a user's unit. */
const CONFINES = [
  'NoNewPrivileges',
  'SystemCallArchitectures',
  'SystemCallFilter',
  'SystemCallErrorNumber',
  'RestrictAddressFamilies',
  'RestrictNamespaces',
  'RestrictRealtime',
  'RestrictSUIDSGID',
  'LockPersonality',
];
const UNIT = systemdUnit(['/usr/bin/node', '/opt/gastop/bin.js', 'serve'], '/', '/etc/gastop.env');

test('it confines the service by what a user has without user namespaces, and leaves the network and sockets', () => {
  const service = /\[Service\]\n(.*?)\n\[/s.exec(UNIT)?.[1] ?? '';
  const names = service.split('\n').flatMap((each) => /^([A-Z]\w+)=/.exec(each)?.[1] ?? []);
  const others = ['ExecStart', 'WorkingDirectory', 'EnvironmentFile', 'Restart', 'RestartSec'];
  const ends = ['RestartPreventExitStatus', 'TimeoutStopSec', 'UMask', 'LimitCORE'];
  expect(new Set(names)).toEqual(new Set([...others, ...ends, ...CONFINES]));
  const families = line(UNIT, 'RestrictAddressFamilies')?.split(' ');
  expect(families).toEqual(expect.arrayContaining(['AF_INET', 'AF_INET6', 'AF_UNIX']));
});

test.skipIf(!hasSystemd)(
  "systemd's own judgement of its exposure is below 7 of 10, and above 9 without that",
  async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'gastop.service');
    const env = { ...process.env, XDG_RUNTIME_DIR: folder };
    const judge = (unit: string, threshold: number) => {
      writeFileSync(file, unit);
      const asked = ['security', '--user', '--offline=true', `--threshold=${threshold}`, file];
      return spawnSync('systemd-analyze', asked, { env }).status;
    };
    const without = UNIT.replace(new RegExp(`^(?:${CONFINES.join('|')})=.*\n`, 'gm'), '');
    // Each version of systemd counts a little differently.
    expect([judge(UNIT, 70), judge(without, 90)]).toEqual([0, 1]);
  },
);

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
  ['--cors', 'https://*.example.org', '--cors: a pattern matches no page'],
  ['--cors', 'http://localhost,http://*:3000', '--cors: a pattern matches no page'],
  ['--cors', 'https://app.(com,org)', '--cors: a pattern matches no page'],
  ['--cors', 'https://[a-z].example.org', '--cors: not the origin of a page'],
  ['--history', '1y', '--history: "1y" is not a duration'],
])('what serve refuses is written into no unit: %s %s', async (flag, value, says) => {
  const { exitCode, stdout, stderr } = await runMain(['serve', '--systemd', flag, value]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(says);
});

test.each([
  '*',
  'https://bücher.example',
  'http://[::1]:3000',
  'http://my_host:8080',
  'HTTPS://App.Example.org',
])('an origin that a browser can have is taken: %s', async (origin) => {
  expect((await runMain(['serve', '--systemd', '--cors', origin])).exitCode).toBe(0);
});
