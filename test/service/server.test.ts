import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Hono } from 'hono';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { withMcp } from '../../src/cli/commands/serve-mcp.ts';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { RateLimits } from '../../src/contract/dashboard.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { createBodyReader } from '../../src/service/http/body.ts';
import { errorResponse } from '../../src/service/http/errors.ts';
import type { Served, ServerOptions } from '../../src/service/http/server.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { parsePrometheusText } from '../helpers/prometheus-text.ts';
import { slowIt } from '../helpers/rounds.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type ServedService, serveService } from '../helpers/served-service.ts';
import { temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { insertAlerts, storedAlert } from '../store/alerts/stored-alerts.ts';
import { RawConnection } from './fuzz/raw-connection.ts';

const source = (first = 391) => new ScriptedSource(makeBlocks(first, 400), { kind: 'simulated' });

async function ready(served: ServedService): Promise<void> {
  await waitFor(async () => (await fetch(`${served.origin}/readyz`)).ok);
}

async function readyServer(options: Parameters<typeof serveService>[0]): Promise<ServedService> {
  const served = await serveService(options);
  await ready(served);
  return served;
}

const postAlert = (served: ServedService) =>
  fetch(`${served.origin}${BASE_PATH}${PATHS.alerts}`, {
    method: 'POST',
    headers: { 'x-api-key': served.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      thresholdGwei: 5,
      gasSpeed: 'SLOW',
      condition: 'LESS_THAN',
      channels: ['WEBHOOK'],
      to: `https://receiver.example/${'a'.repeat(1_500)}`,
    }),
  });

async function expectLater(response: Response, words: string): Promise<void> {
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  const { errorCode, message } = ErrorBody.parse(await response.json());
  expect([errorCode, message]).toEqual(['upstream_unavailable', expect.stringContaining(words)]);
}

async function connected(port: number): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  onTestFinished(() => connection.close());
  return connection;
}

async function answerTo(port: number, text: string) {
  const connection = await connected(port);
  connection.send(text);
  return connection.answer(false, 20_000);
}

async function sendRaw(port: number, text: string) {
  const answer = await answerTo(port, text);
  if (answer === null) throw new Error('no answer');
  return { ...answer, error: ErrorBody.parse(JSON.parse(answer.body.toString())) };
}

const serving = (fetch: Served['fetch'], limits: ServerOptions['limits'] = {}) => {
  const condition = () => ({ chain: null, head: null, headAgeSec: null, failure: null });
  return serveService({ source: source(), limits, served: { fetch, condition } });
};

const figures = async ({ origin }: { readonly origin: string }) => (await fetch(`${origin}/metrics`)).text();

const { promise: never } = Promise.withResolvers<Response>();

test('only what a route answers is counted: not unknown paths, other methods, nor how much is left', async () => {
  const served = await readyServer({ source: source() });
  const used = async () => RateLimits.parse(await (await served.get(PATHS.rateLimits)).json()).usedToday;
  expect(await used()).toBe(0);
  await served.get(PATHS.gasCurrent);
  await served.get(`${PATHS.baseFee}?from=nonsense`);
  expect(await used()).toBe(2);
  expect((await served.get('/gas/nothing')).status).toBe(404);
  const url = `${served.origin}${BASE_PATH}${PATHS.gasCurrent}`;
  const headers = { 'x-api-key': served.key };
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(405);
  const options = await fetch(url, { method: 'OPTIONS', headers });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  expect(options.headers.get('access-control-allow-origin')).toBeNull();
  expect(await used()).toBe(2);
});

test('who is refused for the key is told which header carries it, at hand or by the router', async () => {
  const served = await readyServer({ source: source() });
  await served.get(PATHS.gasCurrent);
  for (const path of [PATHS.gasCurrent, PATHS.statsChart]) {
    const refused = await served.get(path, { 'x-api-key': '' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'ApiKey realm="gastop", header="x-api-key"',
    ]);
  }
});

test('a request that no route can take is refused: 400, 408, 413, 414, 417, 431', async () => {
  const served = await serveService({ source: source() });
  const impatient = await serveService({
    source: source(),
    limits: { headersMs: 300, requestMs: 600, checkEveryMs: 50 },
  });
  const status = async (text: string, { port } = served) => (await answerTo(port, text))?.status;
  const head = `GET ${BASE_PATH}/gas/current HTTP/1.1\r\n`;
  expect(await status('this is not HTTP\r\n\r\n')).toBe(400);
  expect(await status(`${head}\r\n`)).toBe(400);
  expect(await status(`${head}Host: localhost\r\n`, impatient)).toBe(408);
  expect(await status(`${head}Host: localhost\r\nExpect: miracles\r\n\r\n`)).toBe(417);
  expect(await status(`${head}Host: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)).toBe(431);
  // What can be read is answered in JSON.
  const send = (text: string) => sendRaw(served.port, text);
  expect(await send(`${head}Host: a b\r\n\r\n`)).toMatchObject({ status: 400 });
  expect(await send(`GET /${'a'.repeat(5_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toMatchObject({
    status: 414,
  });
  for (const expectation of ['', 'Expect: 100-continue\r\n']) {
    const text = `POST ${BASE_PATH}/alerts HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${served.key}\r\n${expectation}Content-Length: 32769\r\n\r\n`;
    expect(await send(text)).toMatchObject({ status: 413, error: { errorCode: 'payload_too_large' } });
  }
});

test.each([
  ['Host: localhost', 'Host: localhost'],
  ['Host: localhost', 'host: gas.example.org'],
  ['HOST: gas.example.org', 'X-Other: Host', 'Host: localhost'],
])('two Host headers are refused: %s, %s', async (...lines) => {
  const served = await serveService({ source: source() });
  for (const path of ['/healthz', `${BASE_PATH}/gas/current`, '/mcp']) {
    const answer = await sendRaw(served.port, `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    expect([path, answer.status, answer.error.errorCode]).toEqual([path, 400, 'validation_failed']);
  }
});

test.each([
  ['a short body', 'Content-Length: 5', 'hello'],
  ['a long body', 'Content-Length: 100000', 'x'.repeat(100_000)],
  ['a body in chunks', 'Transfer-Encoding: chunked', `186a0\r\n${'x'.repeat(100_000)}\r\n0\r\n\r\n`],
  ['no body', 'X-None: 0', ''],
])('after a request for another protocol its connection is closed: %s', async (_, header, body) => {
  const served = await serveService({ source: source() });
  const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__';
  const connection = await connected(served.port);
  connection.send(`POST /nowhere HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n${header}\r\n\r\n`);
  const answer = await connection.answer(false, 20_000);
  expect([answer?.status, answer?.headers.get('connection')]).toEqual([404, 'close']);
  connection.send(body);
  await waitFor(() => connection.isOver);
});

test.each([21, 300, 2_000])('a connection with %i requests under way is cut, others go on', async (count) => {
  const served = await serving(async () => never);
  const connection = await connected(served.port);
  connection.send('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count));
  await waitFor(() => connection.isOver);
  await waitFor(async () => (await figures(served)).includes('requests_in_progress 1\n'));
});

test('a connection may have twenty requests under way', async () => {
  const served = await serving(async () => new Response('done'));
  const connection = await connected(served.port);
  connection.send('GET /done HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
  for (let answers = 0; answers < 20; answers += 1) {
    expect((await connection.answer(false, 20_000))?.body.toString()).toBe('done');
  }
});

test.each([
  ['brackets', '['],
  ['objects', '{"a":'],
  ['elements', '[null,'],
])(
  'a body of nothing but %s is refused before it is parsed, at each route that takes one',
  async (_, part) => {
    const served = await serveService({ source: source(), mount: withMcp });
    const headers = {
      'x-api-key': served.key,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    for (const [path, bytes] of [
      [BASE_PATH + PATHS.alerts, 30_000],
      [BASE_PATH + PATHS.autoTxs, 4_000_000],
      ['/mcp', 4_000_000],
    ] as const) {
      const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${part.repeat(bytes / part.length - 20)}`;
      const response = await fetch(served.origin + path, { method: 'POST', headers, body: list });
      expect([path, response.status]).toEqual([path, 400]);
      expect(ErrorBody.parse(await response.json()).message).toContain('fields and brackets');
    }
  },
);

test('readers of a stream that take nothing lose it, and those that read keep theirs', async () => {
  const chunk = new Uint8Array(65_536);
  let open = 0;
  const stream = () =>
    new ReadableStream({
      start() {
        open += 1;
      },
      pull: (controller) => controller.enqueue(chunk),
      cancel() {
        open -= 1;
      },
    });
  const served = await serving(
    async () => new Response(stream(), { headers: { 'Content-Type': 'text/event-stream' } }),
    // A busy machine may hold up the one that reads for a moment.
    { stalledMs: 2_000, checkEveryMs: 20 },
  );
  const ask = () => {
    const socket = connect(served.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).write('GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket;
  };
  let read = 0;
  ask().on('data', (bytes) => {
    read += bytes.length;
  });
  for (let reader = 0; reader < 5; reader += 1) ask();
  await waitFor(() => open === 6, { what: 'six streams' });
  await waitFor(() => open === 1, { what: 'one that is read' });
  const before = read;
  await waitFor(() => read > before + 1_000_000);
});

describe('one address that takes all connections', () => {
  const IDLE = 'GET /idle HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const served = () =>
    serving(async ({ url }) => (url.endsWith('/held') ? never : new Response('here')), { connections: 20 });

  function openFrom(port: number, localAddress: string, text = ''): { got: string; isClosed: boolean } {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    const state = { got: '', isClosed: false };
    onTestFinished(() => void socket.destroy());
    socket.on('data', (bytes) => {
      state.got += bytes;
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        state.isClosed = true;
      });
    if (text !== '') socket.write(text);
    return state;
  }

  test.each([
    ['that say nothing', ''],
    ['with half a request', 'GET /idle HTTP/1.1\r\nHost:'],
    ['that were answered', IDLE],
    ['with a request under way', 'GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('leaves others theirs: %s', async (_, text) => {
    const { port } = await served();
    const other = openFrom(port, '127.0.0.2', IDLE);
    await waitFor(() => other.got.endsWith('here'), { what: 'the first answer to another' });
    const all = Array.from({ length: 50 }, () => openFrom(port, '127.0.0.1', text));
    await waitFor(() => all.filter(({ isClosed }) => isClosed).length === 31, { what: 'the rest closed' });
    const others = Array.from({ length: 9 }, () => openFrom(port, '127.0.0.3', IDLE));
    await waitFor(() => others.every(({ got }) => got.endsWith('here')), { what: 'answers to others' });
    expect(other.isClosed).toBe(false);
    expect(others.some(({ isClosed }) => isClosed)).toBe(false);
    await waitFor(() => all.filter(({ isClosed }) => isClosed).length === 40, { what: 'room for others' });
  });

  test('has its own new requests answered as long as connections of it wait for nothing', async () => {
    const { port } = await served();
    for (let each = 0; each < 30; each += 1) openFrom(port, '127.0.0.1');
    const one = openFrom(port, '127.0.0.1', IDLE);
    await waitFor(() => one.got.endsWith('here'), { what: 'an answer' });
  });
});

test('what takes too long is 503, and what is under way at a stop is still answered', async () => {
  const slow = Promise.withResolvers<Response>();
  const served = await serving(({ url }) => (url.endsWith('/never') ? never : slow.promise), {
    answerMs: 200,
  });
  const late = await served.get('/never');
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
  expect(ErrorBody.parse(await late.json()).errorCode).toBe('upstream_unavailable');
  const underWay = served.get('/slow');
  await waitFor(async () => (await figures(served)).includes('requests_in_progress 2'));
  const stopped = served.stop();
  slow.resolve(new Response('done'));
  expect(await (await underWay).text()).toBe('done');
  await stopped;
  await expect(served.get('/late')).rejects.toThrow();
});

test('a stop cuts what does not end in time', async () => {
  const served = await serving(() => never, { graceMs: 100 });
  const cut = expect(served.get('/never')).rejects.toThrow();
  await waitFor(async () => (await figures(served)).includes('requests_in_progress 2'));
  await served.stop();
  await cut;
});

test('health, readiness and metrics need no key; labels come from us alone', async () => {
  const served = await readyServer({ source: source() });
  expect(await (await fetch(`${served.origin}/healthz`)).json()).toEqual({ status: 'ok' });
  expect(await (await fetch(`${served.origin}/readyz`)).json()).toEqual({
    status: 'ready',
    alerts: 'here',
    leader: `process ${process.pid}`,
    head: 400,
    lagBlocks: 0,
  });
  await served.get(PATHS.gasCurrent);
  await served.get('/gas/one-of-many');
  await served.get('/metrics/block/12');
  await fetch(`${served.origin}/metrics`, { method: 'PROPFIND' });
  const page = await fetch(`${served.origin}/metrics`);
  expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await page.text();
  expect(text).toContain(
    'gastop_http_requests_total{method="GET",route="/be/api/v1/gas/current",status="200"} 1',
  );
  expect(text).toContain('gastop_http_requests_total{method="GET",route="none",status="404"} 1');
  expect(text).toContain('route="/be/api/v1/metrics/block/{number}"');
  expect(text).toContain('method="other",route="/metrics",status="405"');
  expect(text).toMatch(/^gastop_head_block 400$/m);
  expect(text).toMatch(/^gastop_lease_held 1$/m);
  expect(text).toMatch(/^gastop_alerts\{state="armed"\} 0$/m);
  expect(text).toMatch(/^gastop_outbox_pending 0$/m);
  expect(text).not.toMatch(/one-of-many|PROPFIND|gastop_[a-z0-9]{10}_/);
  parsePrometheusText(text);
});

test.each([
  ['locked by another program', /is in use by another program/],
  ['full', /the disk is full/],
])('with its database %s it is not ready, says why, and recovers by itself', async (what, why) => {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const node = source();
  const served = await readyServer({ source: node, database });
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  if (what === 'full') await sql`pragma max_page_count = 1`.execute(database.queries);
  else other.exec('begin immediate');
  let number = 401;
  await waitFor(async () => {
    // A page that has room takes a few.
    node.mine(makeBlock(number++));
    const response = await fetch(`${served.origin}/readyz`);
    if (response.ok) return false;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    return why.test(ErrorBody.parse(await response.json()).message);
  });
  if (what === 'full') await sql`pragma max_page_count = 1000000`.execute(database.queries);
  else other.exec('rollback');
  node.mine(makeBlock(number));
  await ready(served);
});

// The lease has to lapse, and what changes something waits five seconds.
slowIt('without leader and successor it is not ready within a lease, and changes are 503', async () => {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const blocks = new BlockStore(database);
  await blocks.claimChain({ id: 1 });
  await blocks.saveBlocks(makeBlocks(391, 400));
  const now = Date.now();
  const gone = { holder: 'x', process: 'another', since: now, heartbeatAt: now };
  await new LeaseStore(database).take(gone, null);
  const served = await readyServer({ source: new ScriptedSource(makeBlocks(391, 400)), database });
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  await waitFor(async () => !(await fetch(`${served.origin}/readyz`)).ok);
  await expectLater(await postAlert(served), 'in use by another program');
  expect((await served.get(PATHS.gasCurrent)).status).toBe(200);
  other.exec('rollback');
  await waitFor(async () => (await new LeaseStore(database).read())?.holder !== 'x');
  expect((await postAlert(served)).status).toBe(201);
});

test('with a page of its database that cannot be read it is not ready, and says how to go on', async () => {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const served = await readyServer({ source: source(), database });
  const owner = served.key.split('_')[1] ?? '';
  const kept = Array.from({ length: 200 }, (_, place) =>
    storedAlert(String(place), {}, { owner, note: 'a'.repeat(2_000) }),
  );
  await insertAlerts(database, ...kept);
  await sql`pragma wal_checkpoint(truncate)`.execute(database.queries);
  const bytes = readFileSync(path);
  bytes.fill(0x5a, Math.floor(bytes.length / 2));
  writeFileSync(path, bytes);
  await sql`pragma shrink_memory`.execute(database.queries);
  await expectLater(await served.get(PATHS.alerts), 'chain-1.db is damaged; put a backup in its place');
  await expectLater(await fetch(`${served.origin}/readyz`), 'chain-1.db is damaged');
  expect((await served.get(PATHS.gasCurrent)).status).toBe(200);
});

test('with the node dead it is up but not ready, and says why', async () => {
  const served = await serveService({ source: createRpcSource({ urls: ['http://127.0.0.1:9'] }) });
  expect((await fetch(`${served.origin}/healthz`)).status).toBe(200);
  const response = await fetch(`${served.origin}/readyz`);
  expect(response.status).toBe(503);
  expect(ErrorBody.parse(await response.json()).errorCode).toBe('upstream_unavailable');
  expect((await served.get(PATHS.gasCurrent)).status).toBe(503);
  expect(await (await fetch(`${served.origin}/metrics`)).text()).toMatch(/^gastop_ready 0$/m);
});

test('a log line names the route and the key id, never what was typed', async () => {
  const served = await readyServer({ source: source() });
  await served.get(`${PATHS.baseFee}?from=${served.key}`);
  await fetch(`${served.origin}/${served.key}`);
  const id = served.key.split('_')[1];
  await served.get(PATHS.rateLimits);
  await waitFor(() => served.log.length === 3);
  expect(served.log).toMatchObject([
    { level: 'info', method: 'GET', route: '/be/api/v1/metrics/base-fee', status: 400, keyId: id },
    { level: 'info', method: 'GET', route: null, status: 404 },
    { level: 'info', method: 'GET', route: '/be/api/v1/dashboard/rate-limits', status: 200, keyId: id },
  ]);
  expect(JSON.stringify(served.log)).not.toContain(served.key.split('_')[2]);
});

test('behind a proxy that keeps the base URL’s path, the same is served below it', async () => {
  const served = await readyServer({ source: source(), prefix: '/eth' });
  const headers = { 'x-api-key': served.key };
  for (const prefix of ['', '/eth']) {
    expect((await fetch(`${served.origin}${prefix}${BASE_PATH}/gas/current`, { headers })).status).toBe(200);
  }
  expect((await fetch(`${served.origin}/ethereum${BASE_PATH}/gas/current`, { headers })).status).toBe(404);
});

async function logged(log: readonly Record<string, unknown>[], count = 1) {
  await waitFor(() => log.length === count, { what: `${count} lines of the log` });
  return log.at(-1);
}

test('log and metrics say 499 of what nobody waited for, also behind another answer', async () => {
  const asked: string[] = [];
  const served = await serving(({ url }) => {
    asked.push(url);
    return never;
  });
  const connection = await connected(served.port);
  connection.send('GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await waitFor(() => asked.length === 2);
  connection.close();
  await logged(served.log, 2);
  for (const line of served.log) expect(line).toMatchObject({ status: 499, bytes: 0, cut: true });
  const page = await figures(served);
  expect(page).toContain('gastop_http_requests_total{method="GET",route="none",status="499"} 2');
  expect(page).toContain('gastop_http_requests_in_progress 1');
});

test('a refusal is logged as it was sent: status, code and length', async () => {
  const served = await readyServer({ source: source() });
  const head = `POST ${BASE_PATH}/alerts HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${served.key}\r\n`;
  const cases = [
    [`${head}Content-Length: 300000\r\n\r\n`, 413, 'payload_too_large'],
    [`${head}Content-Length: 0\r\n\r\n`, 400, 'validation_failed'],
    [`${head.replace('alerts', 'auto-txs')}Content-Length: 5000000\r\n\r\n`, 413, 'payload_too_large'],
    [head.replace('POST', 'PATCH').concat('\r\n'), 405, 'method_not_allowed'],
  ] as const;
  for (const [index, [text, status, errorCode]] of cases.entries()) {
    const answer = await sendRaw(served.port, text);
    expect([text, answer.status, answer.error.errorCode]).toEqual([text, status, errorCode]);
    expect(await logged(served.log, index + 1)).toMatchObject({
      status,
      errorCode,
      bytes: answer.body.length,
    });
  }
});

test.each([
  ['without headers', undefined, 'no-store'],
  ['with its own', { 'Cache-Control': 'private' }, 'private'],
  ['with its own in lower case', new Headers({ 'Cache-Control': 'max-age=60' }), 'max-age=60'],
])('a response brings the security headers, unless it has its own: %s', async (_, headers, cached) => {
  const served = await serving(async () => new Response('prices', headers && { headers }));
  const { headers: sent } = await fetch(`${served.origin}${BASE_PATH}${PATHS.gasCurrent}`);
  expect(sent.get('cache-control')).toBe(cached);
  expect(sent.get('x-content-type-options')).toBe('nosniff');
  expect(sent.get('referrer-policy')).toBe('no-referrer');
  expect(sent.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
});

test('a body in chunks is held to the limit as well, whoever reads it', async () => {
  const served = await serveService({ source: source() });
  const head = `POST ${BASE_PATH}/alerts HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${served.key}\r\n`;
  const chunked = async (bytes: number) => {
    const body = `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n0\r\n\r\n`;
    return (await answerTo(served.port, `${head}Transfer-Encoding: chunked\r\n\r\n${body}`))?.status;
  };
  expect(await chunked(32_768)).toBe(400);
  expect(await chunked(32_769)).toBe(413);
});

test('of bodies of megabytes each key has two under way at a time, all keys together eight', async () => {
  const served = await serveService({ source: source() });
  const head = (key: string, bytes: number) =>
    `POST ${BASE_PATH}${PATHS.autoTxs} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
  const beginTwo = async (key: string) => {
    const both = [await connected(served.port), await connected(served.port)];
    for (const connection of both) connection.send(`${head(key, 4_000_000)}{`);
    return both;
  };
  const send = (key: string, bytes: number) => sendRaw(served.port, head(key, bytes) + 'a'.repeat(bytes));
  const becomes = (key: string, bytes: number, status: number) =>
    waitFor(async () => (await send(key, bytes)).status === status);
  const first = await beginTwo(served.key);
  await becomes(served.key, 40_000, 429);
  const refused = await send(served.key, 40_000);
  expect(refused.error).toMatchObject({ errorCode: 'rate_limit_exceeded' });
  expect(refused.headers.get('retry-after')).toBe('2');
  // What is not large, and another key, are let through: read, and no JSON.
  expect((await send(served.key, 30_000)).status).toBe(400);
  const other = await served.newKey();
  expect((await send(other, 140_000)).status).toBe(400);
  for (let keys = 1; keys < 4; keys += 1) await beginTwo(await served.newKey());
  await becomes(other, 140_000, 503);
  expect((await send(other, 140_000)).headers.get('retry-after')).toBe('2');
  for (const connection of first) connection.close();
  await becomes(served.key, 40_000, 400);
});

test('a body that does not come whole in time is 408, and its connection is closed', async () => {
  const readBody = createBodyReader(100);
  const app = new Hono();
  app.onError((error, c) => errorResponse(error, c.req.raw, null));
  app.all('*', (c) =>
    readBody(c.req.raw, { owner: 'somebody', takesSigned: false, signal: c.req.raw.signal }, () =>
      c.body(null),
    ),
  );
  const served = await serving(async (request) => app.fetch(request));
  const head = `POST ${BASE_PATH}/alerts HTTP/1.1\r\nHost: localhost\r\n`;
  for (const text of ['Content-Length: 50\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n']) {
    const late = await sendRaw(served.port, head + text);
    expect([late.status, late.headers.get('connection')]).toEqual([408, 'close']);
    expect(late.error.message).toBe('the body did not arrive within 0.1 s; send it again');
  }
});

test('on loopback only local names and the public one are answered, so that no page brings its own name here', async () => {
  const served = await serveService({ source: source(), publicName: 'gas.example.org' });
  const status = async (path: string, host: string) => {
    return (await answerTo(served.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`))?.status;
  };
  for (const host of [
    'localhost:80',
    'LOCALHOST.',
    '127.0.0.1',
    '127.8.8.8:1',
    '[::1]:80',
    'gas.example.org',
  ]) {
    expect([host, await status('/healthz', host)]).toEqual([host, 200]);
  }
  for (const host of ['evil.example', '127.0.0.1.evil.example', '192.168.1.7', '0.0.0.0', '[::2]']) {
    for (const path of ['/healthz', '/metrics', '/api-playground', `${BASE_PATH}/gas/current`])
      expect([host, await status(path, host)]).toEqual([host, 421]);
  }
  const refused = await sendRaw(served.port, 'GET /readyz HTTP/1.1\r\nHost: evil.example\r\n\r\n');
  expect(refused.error.message).toMatch(/^this service is not called evil\.example: .*--base-url$/);
});

test('what nobody foresaw is a 500 without a stack, and the log says both', async () => {
  const served = await serving(() => Promise.reject(new TypeError('a bug of ours')));
  const response = await served.get(PATHS.gasCurrent);
  const text = await response.text();
  expect([response.status, ErrorBody.parse(JSON.parse(text)).errorCode]).toEqual([500, 'internal_error']);
  expect(text).not.toContain('bug');
  await logged(served.log, 2);
  expect(served.log).toMatchObject([
    { level: 'warn', msg: 'a bug of ours', err: { type: 'TypeError' } },
    { level: 'error', status: 500, errorCode: 'internal_error', bytes: text.length },
  ]);
});
