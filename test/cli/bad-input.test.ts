import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { listen } from '../helpers/listen.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { runMain } from './captured-io.ts';

const folder = sharedFolder('bad-input');
const at = (name: string): string => join(folder, name);
const written = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content, { mode: 0o600 });
  return at(name);
};
const config = (name: string, content: string | Uint8Array): string[] => ['--config', written(name, content)];

const LIMITS: Readonly<Record<string, readonly [message: string, says: string]>> = {
  clock: [
    'the 8 requests per day are used up; ask again from 2026-11-22T00:00:00Z on',
    'the 8 requests per day are used up; ask again from 2026-11-22T00:00:00Z on',
  ],
  soon: ['more than 2 per second; ask again in 1 s', 'more than 2 per second; ask again in 1 s'],
  terse: ['daily quota', 'the daily quota of this key is used up: daily quota; it may be asked again in 2h'],
};

const JSON_TYPE = { 'content-type': 'application/json' };
const refused = (errorCode: string, message: string) => JSON.stringify({ errorCode, message });
const ANSWERS: Readonly<Record<string, readonly [status: number, body: string, headers?: object]>> = {
  html: [200, '<html><body>\u001b[2Jhello</body></html>', { 'content-type': 'text/html' }],
  cut: [200, '{"lowPrice": 12', JSON_TYPE],
  empty: [200, ''],
  other: [200, '{"ok":true}', JSON_TYPE],
  broken: [500, refused('internal_error', 'down \u001b[31m')],
  key: [401, refused('api_key_invalid', 'the key is not known')],
  plan: [403, refused('plan_forbidden', 'no API access')],
  quota: [429, refused('rate_limit_exceeded', 'used up'), { 'retry-after': '60' }],
};
const server = createServer((request, response) => {
  const kind = new URL(request.url ?? '/', 'http://x').pathname.split('/')[1] ?? '';
  const limit = LIMITS[kind]?.[0];
  const [status, body, headers] =
    limit === undefined
      ? (ANSWERS[kind] ?? [404, 'no'])
      : [429, refused('rate_limit_exceeded', limit), { 'retry-after': '7200' }];
  response.writeHead(status, { ...headers }).end(body);
});
const { origin, stop } = await listen(server);
afterAll(stop);

function expectOneLine(
  result: { exitCode: number; stdout: string; stderr: string },
  exitCode: number,
  says: string,
): void {
  expect(result.stderr).toContain(says);
  expect(result.exitCode).toBe(exitCode);
  expect(result.stdout).toBe('');
  expect(result.stderr).toMatch(/^gastop: [^\n]+\n$/);
  expect(result.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(result.stderr).not.toMatch(/\bat .*:\d+:\d+/);
}

describe('wrong flags end with one line and exit 2', () => {
  mkdirSync(at('folder'));
  const cases: [string[], string][] = [
    [['--rcp', 'x'], '--rpc'],
    [['histroy'], 'did you mean history?'],
    [['nwo'], 'did you mean now?'],
    [['lve', '--demo'], 'did you mean live?'],
    [['lerts'], 'did you mean alerts?'],
    [['auto'], 'did you mean auto-txs?'],
    [['quit'], 'known are live, now'],
    [['bogus'], 'known are live, now'],
    [['status'], 'known are live, now'],
    [['top'], 'known are live, now'],
    [['alerts', 'creat', '--below', '5'], 'did you mean create?'],
    [['alerts', '--below', '5'], "unknown option '--below'"],
    [['now', 'then'], 'too many arguments'],
    [['block', '15', '16'], 'but got 2: 15, 16; see gastop block --help\n'],
    [['keys', 'create', '--nmae', 'x'], 'see gastop keys create --help\n'],
    [['serve', '--base-url', 'https://x/y?z'], 'has no ? or # part; leave it out\n'],
    [['now', '--url'], 'argument missing'],
    [['alerts', 'lsit'], 'did you mean list?'],
    [['alerts', 'lists'], 'did you mean list?'],
    [['now', '--url', 'gas.example.org'], 'begin it with https:// or http://'],
    [['now', '--url', 'ftp://gas.example.org'], 'use http:// or https://'],
    [['now', '--url', 'https://me:pw@gas.example.org'], 'GASTOP_API_KEY'],
    [['now', '--url', 'https://gas.example.org/?key=abc'], 'GASTOP_API_KEY'],
    [['now', '--rpc', 'nowhere'], '--rpc: the node address cannot be read: write http://'],
    [['now', '--rpc', 'file:///etc/passwd'], '--rpc: the node address cannot be read'],
    [['now', '--demo', '--url', 'http://a'], '--url and --demo cannot be combined'],
    [['now', '--replay', at('none.jsonl')], 'none.jsonl'],
    [['now', '--replay', folder], 'gastop-bad-input'],
    [['now', '--replay', written('empty.csv', '')], 'empty.csv'],
    [['now', '--replay', written('text.csv', 'hello\nworld\n')], 'text.csv'],
    [['now', '--demo', '--below', 'cheap'], 'write 5 (gwei), $0.40/swap'],
    [['now', '--demo', '--below', '0'], 'more than 0'],
    [['now', '--demo', '--below', '0.0000000001'], 'at most 9 decimals'],
    [['now', '--demo', '--below', '5', '--within', 'soon'], '90m, 24h or 7d'],
    [['now', '--demo', '--below', '5', '--within', '8d'], 'from 1s to 7d'],
    [['now', '--demo', '--below', '5', '--format', '{average}'], 'cannot be used with'],
    [['now', '--demo', '--speed', '2'], '--speed goes with --replay'],
    [['now', '--replay', 'x', '--speed', '0'], '--speed: "0"'],
    [['now', '--seed', '2'], '--seed goes with --demo'],
    [['now', '--demo', '--seed', 'x'], 'whole number'],
    [['now', '--demo', '--history', 'week'], '90m, 24h or 7d'],
    [['now', '--url', 'http://a', '--history', '2h'], 'goes with --rpc, --replay or --demo'],
    [['now', '--demo', '--db', folder], 'gastop-bad-input'],
    [['now', '--demo', '--db', written('no.db', 'hello, '.repeat(200))], 'no.db'],
    [['now', '--demo', '--format', '{avg}'], '{average}'],
    [['now', '--demo', '--format', 'a { b'], 'write {{'],
    [['now', '--demo', '--json', '--format', 'x'], 'cannot be used with'],
    [['history', '--demo', '--window', '31d'], 'from 1m to 30d'],
    [['history', '--demo', '--bucket', '2h'], '1m, 5m, 1h, 1d'],
    [['history', '--demo', '--chart', '--csv'], 'cannot be used with'],
    [['record', '--demo'], '--out'],
    [['record', '--demo', '--out', written('there', 'x')], '--force'],
    [['record', '--demo', '--out', '-'], 'needs a file'],
    [['record', '--demo', '--out', at('no/such/file')], 'folder does not exist'],
    [['record', '--url', 'http://a', '--out', at('x')], 'needs a chain'],
    [['record', '--replay', at('there'), '--out', at('there'), '--force'], 'is the file that --replay reads'],
    [['record', '--demo', '--out', at('x'), '--blocks', '0'], 'whole number from 1'],
    [['completion', 'tcsh'], 'bash, zsh, fish'],
    [['--demo'], 'gastop now'],
    [['now', '--\u001b[2J'], 'unknown option'],
    [['config', '--config', at('none.json')], 'does not exist'],
    [['config', '--config', folder], 'is a folder'],
    [['config', ...config('a.json', '{"url": ')], 'not JSON'],
    [['config', ...config('c.json', '{"ulr":"http://a"}')], 'unknown setting "ulr"; known are url'],
    [['config', ...config('d.json', '{"ascii":"yes"}')], 'true or false'],
    [['config', ...config('e.json', '{"history":"long"}')], 'config file: history: "long"'],
    [['config', ...config('f.json', '{"url":"http://a","rpc":"http://b"}')], 'one source'],
    [['config', ...config('g.json', new Uint8Array([123, 255, 254, 125]))], 'UTF-8'],
    [['config', ...config('h.json', ' '.repeat(70_000))], '64 kB'],
    [['config', ...config('l.json', '{"rpc":"nowhere"}')], 'config file, rpc: the node'],
    [['config', ...config('o.json', '{"db":" "}')], 'file name is missing'],
    [['now', '--demo', ...config('q.json', JSON.stringify({ db: folder }))], 'gastop-bad-input'],
    [['config', ...config('r.json', '{\n // mine\n}')], 'line 2, column 2'],
    [['config', ...config('u.json', String.raw`{"db": "C:\Users\me\gas.db"}`)], 'is not JSON (line 1'],
    [['config', ...config('v.json', '{"db": "~/gas.db"}')], 'write the whole path of your home folder'],
    [['config', ...config('w.json', Buffer.from('\ufeff{}', 'utf16le'))], 'saved as UTF-8'],
    [['config', ...config('i.json', '{"apiKey":"ab\\ncd"}')], 'copy it again'],
  ];
  it.each(cases)('%j', async (argv, says) => {
    expectOneLine(await runMain(argv, { home: folder }), 2, says);
  });

  const environments: [Record<string, string>, string][] = [
    [{ GASTOP_URL: 'gas' }, 'GASTOP_URL: not a URL'],
    [{ GASTOP_RPC: 'http://a, b' }, 'GASTOP_RPC: the node address'],
    [{ GASTOP_URL: 'http://a', GASTOP_RPC: 'http://b' }, 'GASTOP_URL and GASTOP_RPC cannot be combined'],
    [{ GASTOP_URL: 'http://a', GASTOP_API_KEY: 'se cret' }, 'GASTOP_API_KEY: a key has no spaces'],
    [{ GASTOP_DB: 'a\u0000b' }, 'GASTOP_DB: a file name is missing'],
    [{ GASTOP_HISTORY: '5' }, 'GASTOP_HISTORY: "5" is not a duration'],
    [{ GASTOP_ASCII: 'maybe' }, 'GASTOP_ASCII: "maybe" is neither on nor off'],
    [{ GASTOP_CONFIG: join(folder, 'none.json') }, 'does not exist'],
  ];
  it.each(environments)('%j in the environment', async (env, says) => {
    expectOneLine(await runMain(['config'], { env, home: folder }), 2, says);
  });
});

it('variables of nothing but blanks count as unset, and a line end of Windows is none of a value', async () => {
  const blank = await runMain(['config'], {
    env: { GASTOP_CONFIG: ' ', GASTOP_URL: ' ', GASTOP_DB: '\r', GASTOP_HISTORY: '\r\n', GASTOP_ASCII: ' ' },
    home: folder,
  });
  expect(blank).toMatchObject({ exitCode: 0, stderr: '' });
  expect(blank.stdout).toBe((await runMain(['config'], { home: folder })).stdout);
  const windows = await runMain(['config'], {
    env: { GASTOP_HISTORY: '24h\r', GASTOP_ASCII: 'on\r\n' },
    home: folder,
  });
  expect(windows.stdout).toMatch(/^history +24h +GASTOP_HISTORY/m);
  expect(windows.stdout).toMatch(/^ascii +on +GASTOP_ASCII/m);
});

it.skipIf(process.platform === 'win32')('a config file that leads round to itself', async () => {
  symlinkSync(at('round.json'), at('round.json'));
  expectOneLine(
    await runMain(['config', '--config', at('round.json')], { home: folder }),
    2,
    'cannot be read (ELOOP)',
  );
});

it('a database that cannot be used held by another program for good ends with one line and exit 1', async () => {
  const holder = new DatabaseSync(at('held.db'));
  holder.exec('begin exclusive');
  const result = await runMain(['now', '--demo', '--db', at('held.db')], { home: folder });
  holder.close();
  expectOneLine(result, 1, 'held.db is in use by another program; close it');
});

describe('a source that cannot be used ends with exit 3, 4 or 5', () => {
  it.each([
    ['html', 3],
    ['cut', 3],
    ['empty', 3],
    ['other', 3],
    ['gone', 3],
    ['broken', 3],
    ['key', 4],
    ['plan', 4],
    ['quota', 5],
  ])('%s', async (kind, exitCode) => {
    const env = { GASTOP_API_KEY: 'a-very-secret-key' };
    for (const form of [[], ['--json']]) {
      const result = await runMain(['now', '--url', `${origin}/${kind}`, ...form], { env, home: folder });
      expectOneLine(result, exitCode, 'gastop: ');
      expect(result.stderr).not.toContain('a-very-secret-key');
    }
  });

  it('no node answers: one line says so, and one for each node why, without what its URL hides', async () => {
    const argv = ['now', '--rpc', 'http://127.0.0.1:9/v3/hidden-key', 'http://127.0.0.1:19/hidden-key'];
    const result = await runMain(argv, { home: folder });
    expect(result.exitCode).toBe(3);
    expect(result.stdout).toBe('');
    const lines = result.stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('no node answers');
    expect(lines[0]).toContain('--demo');
    expect(lines[1]).toContain('127.0.0.1:9:');
    expect(lines[2]).toContain('127.0.0.1:19:');
    expect(result.stderr).not.toContain('hidden-key');
  });
});

it.each(Object.entries(LIMITS))('when to ask again is said once (%s)', async (name, [, says]) => {
  const { exitCode, stderr } = await runMain(['now', '--url', `${origin}/${name}`]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: `gastop: ${says}\n` });
});

it.each([
  ['in a folder that is not there', () => at('none/monitor.log')],
  ['that is a folder', () => folder],
  ['below a file', () => join(written('a-file', ''), 'monitor.log')],
])('a log of the monitor %s is exit 2 with one line, before the screen changes', async (_, path) => {
  const env = { GASTOP_LOG: path() };
  const { exitCode, stdout, stderr } = await runMain(['--demo'], { terminal: true, env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^gastop: GASTOP_LOG: [^\n]+\n$/);
});
