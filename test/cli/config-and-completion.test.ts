import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_ROWS } from '../../src/cli/settings-table.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { runMain } from './captured-io.ts';

const folder = sharedFolder('config');

function home(name: string, config: string, mode: number): string {
  const path = join(folder, name, '.config', 'gastop');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'config.json'), config);
  chmodSync(join(path, 'config.json'), mode);
  return join(folder, name);
}

const TOKEN = '123456789:AAtokentokentokentoken';
let configs = 0;

function configured(content: object, mode = 0o600): string {
  const path = join(folder, `config-${++configs}.json`);
  writeFileSync(path, JSON.stringify(content));
  chmodSync(path, mode);
  return path;
}

const row = (stdout: string, name: string): string =>
  stdout
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.replace(/ {2,}/g, ' | ') ?? '';

describe('gastop config', () => {
  it('shows every setting and where it came from, without keys and paths of URLs', async () => {
    const config = '{ "rpc": ["https://node.example/v3/hidden-path", "ws://b.example"], "history": "7d" }';
    const env = { GASTOP_API_KEY: 'key-0123456789abcdef', GASTOP_ASCII: '1' };
    const { exitCode, stdout, stderr } = await runMain(['config', '--db', '/tmp/my.db'], {
      env,
      home: home('all', config, 0o600),
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(row(stdout, 'source')).toBe('source | node https://node.example/… | config file, rpc');
    expect(stdout).toContain('node ws://b.example');
    expect(row(stdout, 'api key')).toBe('api key | set | GASTOP_API_KEY');
    expect(row(stdout, 'history')).toBe('history | 7d | config file');
    expect(row(stdout, 'database')).toBe('database | /tmp/my.db | --db');
    expect(row(stdout, 'ascii')).toBe('ascii | on | GASTOP_ASCII');
    expect(row(stdout, 'confirmations')).toBe("confirmations | the chain's own | default");
    expect(row(stdout, 'notifications')).toBe('notifications | on | default');
    expect(row(stdout, 'config file')).toBe('config file | ~/.config/gastop/config.json | default');
    expect(stdout).not.toMatch(/hidden-path|0123456789|cdef/);
  });

  it('shows where keys are kept and every plan with its limits', async () => {
    const plans = { team: { dailyLimit: null, perSecond: 0.5, groups: ['gas'] } };
    const { stdout } = await runMain(['config'], {
      env: { GASTOP_KEYS: '/srv/keys.db' },
      home: home('plans', JSON.stringify({ keys: '/other.db', plans }), 0o600),
    });
    expect(row(stdout, 'keys')).toBe('keys | /srv/keys.db | GASTOP_KEYS');
    expect(row(stdout, 'plans')).toBe('plans | free: 50,000 requests a day, 20 a second | default');
    expect(stdout).toMatch(/ team: any number of requests a day, 0\.5 a second, only gas +config file\n/);
  });

  it.each([
    ['nothing set', '{}', []],
    ['a service', '{ "url": "https://a.example", "patience": "2h", "notifications": "off" }', []],
    ['flags', '{ "confirmations": "3" }', ['--demo', '--zone', 'utc', '--mouse', '--screen-reader']],
  ])('has a line for each setting: %s', async (name, config, flags) => {
    const io = { home: home(name, config, 0o600) };
    const { stdout } = await runMain(['config', ...flags], io);
    const json = JSON.parse((await runMain(['config', '--json', ...flags], io)).stdout);
    const keys = SETTING_ROWS.flatMap(([setting, { as = setting, docs }]) =>
      docs === undefined ? [] : [as],
    );
    expect(Object.keys(json)).toEqual([...new Set(keys)]);
    const titles = stdout.split('\n').filter((line) => /^[a-z]/.test(line));
    // One is the heading.
    expect(titles).toHaveLength(new Set(keys).size + 1);
  });

  it('gives values that a program can use as JSON, without keys and paths of URLs', async () => {
    const config = {
      rpc: ['https://node.example/v3/hidden-path', 'localhost:8545'],
      keys: '/srv/keys.db',
      smtp: { host: 'mail.example', from: 'gas@mail.example', user: 'gas', password: 'hidden-password' },
    };
    const { stdout } = await runMain(['config', '--json', '--screen-reader'], {
      env: { GASTOP_HISTORY: '2h' },
      home: home('json', JSON.stringify(config), 0o600),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      source: {
        value: { kind: 'rpc', urls: ['https://node.example/…', 'http://localhost:8545'] },
        from: 'config file, rpc',
      },
      apiKey: { value: false, from: 'default' },
      historySec: { value: 7_200, from: 'GASTOP_HISTORY' },
      keys: { value: '/srv/keys.db', from: 'config file' },
      plans: { value: expect.arrayContaining([expect.objectContaining({ name: 'free', perSecond: 20 })]) },
      smtp: { value: { host: 'mail.example', user: 'gas', hasPassword: true } },
      telegram: { value: null, from: 'default' },
      allowPrivateTargets: { value: false, from: 'default' },
      screenReader: { value: true, from: '--screen-reader' },
    });
    expect(stdout).not.toContain('hidden');
  });

  it.skipIf(process.platform === 'win32')('warns of a key that others on the machine can read', async () => {
    const config = '{ "url": "https://a.example", "apiKey": "secret-secret-secret" }';
    const open = await runMain(['config'], { home: home('open', config, 0o644) });
    expect(open.exitCode).toBe(0);
    expect(open.stderr).toBe(
      'gastop: config file ~/.config/gastop/config.json holds a key and others on this machine can read it; run chmod 600 on it\n',
    );
    expect((await runMain(['config'], { home: home('own', config, 0o600) })).stderr).toBe('');
    expect((await runMain(['config'], { home: home('keyless', '{}', 0o644) })).stderr).toBe('');
  });

  it
    .skipIf(process.platform === 'win32')
    .each([
      'alerts create --below 5 --terminal',
      'alerts update alr_1 --below 4',
      'auto-txs list',
      'auto-txs update atx_1 --disable',
    ])('warns of it once, though %s needs the settings twice', async (line) => {
    const config = '{ "url": "http://127.0.0.1:9", "apiKey": "secret-secret-secret" }';
    const { exitCode, stderr } = await runMain(line.split(' '), { home: home('twice', config, 0o644) });
    expect([exitCode, stderr.match(/run chmod 600 on it/g)?.length]).toEqual([3, 1]);
  });

  it('shows what is set up for alerts and where it came from, never a password or token', async () => {
    const config = configured({
      smtp: { host: 'mail.example.org', user: 'me', password: 'hunter22', from: 'gas@example.org' },
      telegram: { token: TOKEN, apiUrl: 'https://bots.example:8443/x' },
    });
    const { stdout, stderr } = await runMain(['config', '--config', config, '--allow-private-targets']);
    expect(stderr).toBe('');
    expect(row(stdout, 'mail')).toBe(
      'mail | smtp://mail.example.org:587, as me, password set, from gas@example.org | config file',
    );
    expect(row(stdout, 'telegram')).toBe('telegram | token set, asks bots.example:8443 | config file');
    expect(row(stdout, 'private targets')).toBe('private targets | allowed | --allow-private-targets');
    expect(stdout).not.toMatch(/hunter22|AAtoken/);
  });

  it.each([
    [{ smtp: { host: 'mail.example.org', prot: 25 } }, '"smtp.prot" is not a setting'],
    [{ smtp: { host: 'mail.example.org', port: 0 } }, '"smtp.port" must be at least 1'],
    [{ smtp: 'hunter22' }, '"smtp" must be a JSON object'],
    [{ telegram: {} }, '"telegram.token" is missing'],
    [{ allowPrivateTargets: 'hunter22' }, '"allowPrivateTargets" must be true or false'],
  ])('%j is refused in one line that says what would do', async (content, message) => {
    const { exitCode, stderr } = await runMain(['config', '--config', configured(content)]);
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hunter22');
  });

  it.skipIf(process.platform === 'win32').each([
    [{ smtp: { host: 'a.example', from: 'a@a.example', password: 'hunter22' } }, 'a password'],
    [{ telegram: { token: TOKEN } }, 'a token'],
    [{ rpc: ['http://127.0.0.1:8545', 'https://node.example/v3/0123456789abcdef0123'] }, 'the key of a node'],
    [{ rpc: 'wss://me:hunter22@node.example' }, 'the key of a node'],
  ])('warns where others on the machine can read %j', async (content, what) => {
    const open = await runMain(['config', '--config', configured(content, 0o644)]);
    expect(open.stderr).toContain(
      `holds ${what} and others on this machine can read it; run chmod 600 on it`,
    );
    expect((await runMain(['config', '--config', configured(content)])).stderr).toBe('');
  });

  it.skipIf(process.platform === 'win32').each([0o602, 0o646, 0o666])(
    'warns where others on the machine can change it, with a secret or without one: mode %o',
    async (mode) => {
      for (const content of [{}, { history: '7d' }, { telegram: { token: TOKEN } }]) {
        const { exitCode, stderr } = await runMain(['config', '--config', configured(content, mode)]);
        expect([exitCode, stderr]).toEqual([0, expect.stringContaining('can be changed by others')]);
      }
    },
  );

  it.runIf(process.geteuid?.() === 0)('warns of one that belongs to another user', async () => {
    const config = configured({ history: '7d' });
    chownSync(config, 65_534, 65_534);
    expect((await runMain(['config', '--config', config])).stderr).toContain('belongs to another user');
  });

  it('never repeats what stands around a mistake in the file: it may be a key', async () => {
    const config = '{ "apiKey": "secret-secret-secret }';
    const { exitCode, stderr } = await runMain(['config'], { home: home('broken', config, 0o600) });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is not JSON');
    expect(stderr).not.toContain('secret-secret');
  });
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

describe('gastop completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s: is a script for it, with every command and flag', async (shell) => {
    const { exitCode, stdout } = await runMain(['completion', shell]);
    expect(exitCode).toBe(0);
    const words = 'live now history record config completion window format rpc'.split(' ');
    for (const word of words) expect(stdout).toContain(word);
    if (has(shell)) execFileSync(shell, ['-n'], { input: stdout });
  });

  const complete = async (...words: string[]): Promise<string[]> => {
    const { stdout: script } = await runMain(['completion', 'bash']);
    const list = words.map((word) => `'${word}'`).join(' ');
    const test = `${script}\nCOMP_WORDS=(gastop ${list})\nCOMP_CWORD=${words.length}\n_gastop\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', test], { encoding: 'utf8', cwd: folder }).trim().split('\n');
  };

  it.runIf(has('bash'))('bash completes commands, flags, values and files', async () => {
    expect(await complete('hi')).toEqual(['history']);
    expect(await complete('--de')).toEqual(['--demo']);
    expect(await complete('history', '--ch')).toEqual(['--chart']);
    expect(await complete('history', '--bucket', '1')).toEqual(
      ['1m', '5m', '1h', '1d'].filter((word) => word.startsWith('1')),
    );
    expect(await complete('completion', 'f')).toEqual(['fish']);
    expect(await complete('--demo', 'no')).toEqual(['now']);
    expect(await complete('keys', 'r')).toEqual(['rotate', 'revoke']);
    expect(await complete('keys', 'create', '--pl')).toEqual(['--plan']);
    writeFileSync(join(folder, 'blocks.jsonl'), '');
    expect(await complete('now', '--replay', 'blo')).toEqual(['blocks.jsonl']);
    expect(await complete('backtest', 'blo')).toEqual(['blocks.jsonl']);
    expect(await complete('backtest', '--pre')).toEqual(['--predictions']);
    expect(await complete('backtest', '--predictions', 'blo')).toEqual(['blocks.jsonl']);
  });
});

describe('help', () => {
  it.each([
    ...['', 'live', 'now', 'history', 'record', 'backtest', 'keys', 'keys create', 'config', 'completion'],
  ])('of "%s" goes to stdout, is at most 80 columns wide and ends with exit 0', async (command) => {
    const argv = `${command} --help`.trim().split(' ');
    const { exitCode, stdout, stderr } = await runMain(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toContain('Usage');
  });

  it.each([
    [['help'], ['--help']],
    [
      ['help', 'keys', 'create'],
      ['keys', 'create', '--help'],
    ],
    [['version'], ['--version']],
    [['-v'], ['--version']],
  ])('is given to %j as to %j', async (typed, meant) => {
    const answer = await runMain(typed);
    expect(answer).toMatchObject({ exitCode: 0, stderr: '' });
    expect(answer.stdout).toBe((await runMain(meant)).stdout);
  });

  it('of the program names the exit codes and shows examples', async () => {
    const { stdout } = await runMain(['-h']);
    expect(stdout).toContain('3 source unreachable');
    expect(stdout).toContain('gastop --demo');
  });
});

it('the monitor without a terminal that can show it points to "gastop now": exit 2', async () => {
  for (const argv of [[], ['live'], ['--demo'], ['live', '--demo']]) {
    const { exitCode, stderr } = await runMain(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"gastop now"');
  }
  const dumb = await runMain([], { terminal: true, env: { TERM: 'dumb' } });
  expect(dumb.exitCode).toBe(2);
  expect(dumb.stderr).toContain('TERM=dumb');
});
