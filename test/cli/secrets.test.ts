import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKey as createOwnKey } from '../../src/service/keys/api-keys.ts';
import { temporaryFile, temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RawConnection } from '../service/fuzz/raw-connection.ts';
import { runMain } from './captured-io.ts';
import { createKey, startProgram, startServe } from './served-program.ts';

const V1 = '/be/api/v1';

/** Throws, at SIGUSR2, what nobody catches, with the key that lies in FILE in its message and beside it. */
const crashOn = (file: string) => `
  import { readFileSync } from 'node:fs';
  process.on('SIGUSR2', () => {
    const key = readFileSync(${JSON.stringify(file)}, 'utf8');
    throw Object.assign(new Error('cannot use ' + key), { apiKey: key, cause: new Error(key) });
  });
`;

function everyFile(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

const seenOf = (pid: number | undefined) =>
  ['cmdline', 'environ', 'comm'].map((name) => readFileSync(`/proc/${pid}/${name}`));

test.skipIf(process.platform !== 'linux')(
  'a key is nowhere but in its request: not in logs, answers, files, the process list or a crash',
  async () => {
    const home = await temporaryFolder();
    const elsewhere = await temporaryFile('key');
    const key = await createKey({ home });
    writeFileSync(elsewhere, key);
    const secret = key.split('_')[2] ?? '';
    expect(secret).toHaveLength(27);
    const db = join(home, 'history.db');
    const program = await startServe(['--demo', '--history', '1h', '--db', db, '--log-level', 'debug'], {
      home,
      before: crashOn(elsewhere),
    });
    const said: (string | Buffer)[] = [];
    async function ask(path: string, headers: Record<string, string> = { 'x-api-key': key }) {
      const response = await fetch(program.origin + path, { headers });
      said.push(JSON.stringify([...response.headers]), await response.text());
      return response.status;
    }
    await waitFor(async () => (await ask(`${V1}/gas/current`)) === 200, { what: 'the first prices' });
    expect(await ask(`${V1}/dashboard/rate-limits`)).toBe(200);
    expect(await ask(`${V1}/gas/current`, { 'x-api-key': `${key}x` })).toBe(401);
    expect(await ask(`${V1}/gas/current`, { 'x-api-key': `Bearer ${key}` })).toBe(401);
    expect(await ask(`${V1}/gas/current`, { authorization: key })).toBe(401);
    expect(await ask(`${V1}/gas/current?x-api-key=${key}`)).toBe(400);
    expect(await ask(`${V1}/gas/current?${key}=1`)).toBe(400);
    const oracle = `${V1}/compat/etherscan/v2/api?module=gastracker&action=gasoracle`;
    expect(await ask(`${oracle}&apikey=${key}`, {})).toBe(200);
    for (const authorization of [key, `Bearer ${key}`, `Basic ${btoa(`${key}:x`)}`])
      expect(await ask(oracle, { authorization })).toBe(200);
    expect(await ask(`${oracle}&apikey=${key}x`, {})).toBe(401);
    expect(await ask(`${oracle}&chainid=${key}&apikey=${key}`, {})).toBe(400);
    expect(await ask(`${V1}/compat/metamask/networks/${key}/suggestedGasFees?apikey=${key}`, {})).toBe(400);
    expect(
      await ask(`${V1}/compat/blocknative/gasprices/blockprices?confidenceLevels=${key}&apikey=${key}`, {}),
    ).toBe(400);
    expect(await ask(`${V1}/metrics/base-fee?from=${key}&to=${key}`)).toBe(400);
    expect(await ask(`${V1}/metrics/block/${key}`)).toBe(400);
    expect(await ask(`/${key}`)).toBe(404);
    expect(await ask('/metrics')).toBe(200);
    for (const text of [
      `GET / HTTP/1.1\r\nHost: x\r\nx-api-key ${key}\r\n\r\n`,
      `GET /${key} HTTP/1.1\r\nHost: ${key} ${key}\r\n\r\n`,
      `${key} / HTTP/1.1\r\n\r\n`,
    ]) {
      const connection = await RawConnection.open(program.port);
      connection.send(text);
      const answer = await connection.answer(false, 120_000);
      expect(answer?.status).toBe(400);
      said.push(answer?.body ?? '');
      connection.close();
    }
    said.push(...seenOf(program.child.pid));

    writeFileSync(join(home, 'gastop', 'keys.db'), 'not a database at all'.repeat(500));
    expect([200, 503]).toContain(await ask(`${V1}/gas/current`));
    program.child.kill('SIGUSR2');
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/"level":"fatal".*cannot use gastop_[a-z0-9]{10}_…/);
    said.push(stdout, stderr, ...everyFile(home));
    for (const text of said) expect(text.includes(secret)).toBe(false);
  },
);

test
  .skipIf(process.platform !== 'linux')
  .each([
    ['--rpc', 'http://127.0.0.1:9/v3/SECRET'],
    ['--rpc=http://127.0.0.1:9/?apikey=SECRET'],
    ['--rpc', 'http://127.0.0.1:9', 'ws://user:SECRET@127.0.0.1:9'],
  ])('what stands behind %s is taken off the process list', async (...argv) => {
  const secret = '0123456789abcdef0123456789';
  const words = argv.map((word) => word.replace('SECRET', secret));
  const program = startProgram(['serve', '--port', '0', ...words], { home: await temporaryFolder() });
  const cmdline = () => readFileSync(`/proc/${program.child.pid}/cmdline`, 'utf8');
  await waitFor(() => cmdline().startsWith('gastop'), { what: 'its title' });
  expect(cmdline()).not.toContain(secret);
  program.child.kill('SIGKILL');
  const { stdout, stderr } = await program.ended;
  expect(stdout + stderr).not.toContain(secret);
});

const PASTED: readonly (readonly string[])[] = [
  ['KEY'],
  ['block', 'KEY'],
  ['tx', 'KEY'],
  ['tx', '0xKEY'],
  ['now', 'KEY'],
  ['block', '15', 'KEY'],
  ['now', '--KEY'],
  ['now', '--format', '{KEY}'],
  ['now', '--below', 'KEY'],
  ['now', '--config', '/tmp/KEY/config.json'],
  ['now', '--url', 'KEY'],
  ['now', '--rpc', 'KEY'],
  ['now', '--replay', 'KEY'],
  ['history', '--bucket', 'KEY'],
  ['history', '--window', 'KEY'],
  ['backtest', 'KEY'],
  ['keys', 'KEY'],
  ['keys', 'revoke', 'KEY'],
  ['keys', 'create', '--plan', 'KEY'],
  ['serve', '--port', 'KEY'],
  ['serve', '--host', 'KEY'],
  ['serve', '--log-level', 'KEY'],
  ['completion', 'KEY'],
];

test.each(PASTED)('a key in the wrong place is not repeated: gastop %s %s %s', async (...argv) => {
  const own = createOwnKey('0123456789').text;
  const secret = own.split('_')[2] ?? '';
  const foreign = 'sk-live-4f9a+8c7d6e5b';
  const home = await temporaryFolder();
  const config = join(home, 'gastop.json');
  writeFileSync(config, JSON.stringify({ url: 'http://127.0.0.1:9', apiKey: foreign }), { mode: 0o600 });
  for (const [key, env] of [
    [own, {}],
    [foreign, { GASTOP_API_KEY: foreign }],
    [foreign, { GASTOP_CONFIG: config }],
  ] as const) {
    const typed = argv.map((word) => word.replace('KEY', key));
    const said = await runMain(typed, { home, env: { ...env, GASTOP_DEBUG: '1' } });
    expect(said.exitCode).not.toBe(0);
    expect(said.stderr).toMatch(/^gastop: /);
    for (const text of [key, secret]) expect(said.stdout + said.stderr).not.toContain(text);
  }
});

test('the id of a key that is not repeated stays, so that it can be told which it was', async () => {
  const { stderr } = await runMain(['now', createOwnKey('0123456789').text]);
  expect(stderr).toContain('got 1: gastop_0123456789_…;');
});
