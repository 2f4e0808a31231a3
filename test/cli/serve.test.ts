import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { AlertStore } from '../../src/store/alerts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { serve } from '../client/http-server.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { emptyDatabase, testOn } from '../helpers/databases.ts';
import { lossyProxy } from '../helpers/lossy-proxy.ts';
import { closedPort } from '../helpers/receiver.ts';
import { slowIt } from '../helpers/rounds.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { inTime, waitFor } from '../helpers/wait-for.ts';
import { callTool, overHttp } from '../mcp/mcp-client.ts';
import { RawConnection } from '../service/fuzz/raw-connection.ts';
import { runMain } from './captured-io.ts';
import { createKey, startProgram, startServe } from './served-program.ts';

const GAS = '/be/api/v1/gas/current';
const DEMO = ['--demo', '--history', '1h'];

test('says where it listens and how to make a key; a key made meanwhile works; SIGTERM ends it with 0', async () => {
  const home = await temporaryFolder();
  const { origin, child, ended, stderr: said } = await startServe(DEMO, { home });
  await waitFor(() => said().includes('there is no key yet'));
  expect((await fetch(origin + GAS)).status).toBe(401);
  const key = await createKey({ home });
  let requests = 1;
  const answer = await waitFor(async () => {
    requests += 1;
    const response = await fetch(origin + GAS, { headers: { 'x-api-key': key } });
    return response.ok ? response : Promise.reject(new Error(await response.text()));
  });
  expect(GasCurrent.parse(await answer.json()).source.kind).toBe('simulated');
  const agent = await overHttp(origin, key);
  expect(await callTool(agent, 'gas_now')).toMatchObject({ source: 'simulated' });
  await agent.close();
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^gastop serves [^\n]+\n$/) });
  const [routes, noKey, ...lines] = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(routes).toMatchObject({
    level: 'info',
    msg: `its routes are on ${origin}/api-playground; requests carry a key in the header x-api-key`,
  });
  expect(noKey).toMatchObject({
    level: 'warn',
    msg: 'there is no key yet, so every request is refused; make one with: gastop keys create',
  });
  const ofMcp = lines.filter(({ route }) => route === '/mcp');
  expect(ofMcp.at(-1)).toMatchObject({ method: 'POST', status: 200, keyId: key.split('_')[1] });
  expect(lines).toHaveLength(requests + ofMcp.length);
  expect(lines[0]).toMatchObject({ level: 'info', route: GAS, status: 401, errorCode: 'api_key_missing' });
  expect(lines.findLast(({ route }) => route === GAS)).toMatchObject({
    level: 'info',
    status: 200,
    keyId: key.split('_')[1],
  });
});

slowIt('open to others says so, with the base URL it has, and SIGINT and SIGHUP end it too', async () => {
  const home = await temporaryFolder();
  await createKey({ home });
  for (const signal of ['SIGHUP', 'SIGINT'] as const) {
    const program = startProgram(
      ['serve', ...DEMO, '--port', '0', '--host', '0.0.0.0', '--base-url', 'https://gas.example.org/eth/'],
      { home },
    );
    await waitFor(() => program.stderr().includes('keys travel unencrypted unless a proxy adds https'));
    expect(program.stdout()).toMatch(
      /^gastop serves the simulated chain on https:\/\/gas\.example\.org\/eth\/be\/api\/v1\n$/,
    );
    expect(program.stderr()).not.toContain('no key yet');
    program.child.kill(signal);
    expect(await program.ended).toMatchObject({ code: 0 });
  }
});

test('starts while the node is down, answers 503, and serves from the chain’s own history once it is there', async () => {
  const home = await temporaryFolder();
  const port = await closedPort();
  const { origin, child, ended } = await startServe(['--rpc', `http://127.0.0.1:${port}`], { home });
  const key = await createKey({ home });
  const headers = { 'x-api-key': key };
  const down = await fetch(origin + GAS, { headers });
  expect(down.status).toBe(503);
  expect(ErrorBody.parse(await down.json()).errorCode).toBe('upstream_unavailable');
  expect((await fetch(`${origin}/readyz`)).status).toBe(503);
  // Made now, an alert would be gone with what holds the place of the chain's history.
  const made = () =>
    fetch(`${origin}${BASE_PATH}${PATHS.alerts}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        thresholdGwei: 5,
        gasSpeed: 'AVERAGE',
        condition: 'LESS_THAN',
        channels: ['TERMINAL'],
        cooldownMs: 60_000,
        note: 'kept',
      }),
    });
  for (const refused of [await made(), await fetch(`${origin}${BASE_PATH}${PATHS.alerts}`, { headers })]) {
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(ErrorBody.parse(await refused.json())).toMatchObject({
      errorCode: 'upstream_unavailable',
      message: expect.stringContaining('no node has said which chain this is'),
    });
  }
  const anvil = await startAnvil({ port, blockTime: 1 });
  try {
    await waitFor(async () => (await fetch(origin + GAS, { headers })).status === 200);
    await waitFor(() => existsSync(join(home, 'gastop', 'chain-31337.db')));
    await waitFor(async () => (await fetch(`${origin}/readyz`)).ok);
    // The one that holds the place may be ready for a moment, too; what is 201 stays.
    let created = await made();
    await waitFor(async () => {
      if (created.status === 503) created = await made();
      return created.status !== 503;
    });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    const kept = await openDatabase(join(home, 'gastop', 'chain-31337.db'));
    expect(await new AlertStore(kept).find('', id)).toMatchObject({ note: 'kept' });
    await kept.close();
    expect(stderr).toMatch(/"level":"info",[^\n]*answers now: it is on Anvil"/);
    expect(stderr).toMatch(/"level":"info",[^\n]*EMAIL is not set up: set smtp in the config file/);
  } finally {
    await anvil.stop();
  }
});

slowIt('waits at a stop for a request that is under way; a second signal does not', async () => {
  const home = await temporaryFolder();
  const { child, ended, port } = await startServe(DEMO, { home });
  const connection = await RawConnection.open(port);
  connection.send(`GET ${GAS} HTTP/1.1\r\nHost: localhost\r\n`);
  await fetch(`http://127.0.0.1:${port}/healthz`);
  child.kill('SIGTERM');
  await waitFor(() =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => false,
      () => true,
    ),
  );
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect((await ended).code).toBe(143);
  connection.close();
});

testOn('PostgreSQL')('a stop does not wait for a PostgreSQL that no longer answers', async () => {
  const home = await temporaryFolder();
  const anvil = await startAnvil({ blockTime: 1 });
  onTestFinished(() => anvil.stop());
  const proxy = await lossyProxy(await emptyDatabase('PostgreSQL'));
  const { child, ended, origin } = await startServe([], {
    home,
    env: { GASTOP_RPC: anvil.url, GASTOP_DATABASE_URL: proxy.url },
  });
  await waitFor(async () => (await fetch(`${origin}/healthz`)).ok);
  const led = async () => /^gastop_lease_held 1$/m.test(await (await fetch(`${origin}/metrics`)).text());
  await waitFor(led, { what: 'its lease' });
  proxy.lose('silence', /./s, Number.POSITIVE_INFINITY);
  child.kill('SIGTERM');
  // A statement has 65 s, and the end takes several.
  const { code, stderr } = await inTime(ended, 'its end', 40_000);
  expect(code).toBe(0);
  expect(stderr).toContain('under way after 25 s');
});

test('what it cannot serve or where it cannot listen is one line and an exit code', async () => {
  const home = await temporaryFolder();
  const { host } = await serve(() => {});
  const cases: [string[], number, RegExp][] = [
    [['--demo', '--port', host.split(':')[1] ?? ''], 1, /^gastop: port \d+ is in use; name another/],
    [['--demo', '--host', '192.0.2.1', '--port', '0'], 2, /cannot listen on 192\.0\.2\.1/],
    [['--demo', '--host', 'a b'], 2, /--host: "a b" is not an address/],
    [['--demo', '--port', '65536'], 2, /--port: "65536" is not a port/],
    [['--demo', '--base-url', 'ftp://x'], 2, /--base-url: ftp:\/\/ cannot be asked/],
    [['--demo', '--log-level', 'loud'], 2, /--log-level/],
    [['--url', 'http://127.0.0.1:1'], 2, /serve needs a chain, not a service/],
    [['--demo', '--keys', '/proc/keys.db'], 2, /./],
    [['--demo', '--keys', ':memory:'], 2, /--keys: keys need a file that stays/],
  ];
  for (const [argv, code, message] of cases) {
    const result = await runMain(['serve', ...argv], { home, env: { XDG_DATA_HOME: home } });
    expect([argv, result.exitCode, result.stdout]).toEqual([argv, code, '']);
    expect(result.stderr).toMatch(message);
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  }
});

slowIt('goes on when who reads its log and its words has gone', async () => {
  const home = await temporaryFolder();
  const { origin, child } = await startServe(DEMO, { home });
  child.stdout?.destroy();
  child.stderr?.destroy();
  const exited = new Promise((resolve) => child.once('exit', resolve));
  for (let asked = 0; asked < 5; asked += 1) expect((await fetch(origin + GAS)).status).toBe(401);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});

slowIt('a signal before it listens ends it with 0 as well', async () => {
  const home = await temporaryFolder();
  const { url, requests } = await serve(() => {});
  const { child, ended } = startProgram(['serve', '--rpc', url, '--port', '0'], { home });
  await waitFor(() => requests.length > 0);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' });
});

slowIt('a history found unusable once the node is there ends it, as it would have at the start', async () => {
  const home = await temporaryFolder();
  const port = await closedPort();
  const { ended } = await startServe(['--rpc', `http://127.0.0.1:${port}`], { home });
  writeFileSync(join(home, 'gastop', 'chain-31337.db'), 'not a database at all'.repeat(500));
  const anvil = await startAnvil({ port });
  try {
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^gastop: chain-31337\.db is not a database; move it away/,
    );
  } finally {
    await anvil.stop();
  }
});
