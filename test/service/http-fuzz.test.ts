import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { temporaryFile } from '../helpers/service.ts';
import { buildProgram } from '../tui/build-program.ts';
import { type Described, readDocument } from './contract/described.ts';
import { type MadeRequest, madeRequests } from './fuzz/made-requests.ts';
import { type RawAnswer, RawConnection } from './fuzz/raw-connection.ts';

const SEED = 20_261_121;
const CONNECTIONS = 64;
/** The server lets nobody take longer than 0.8 s; a machine that is busy may. */
const PATIENCE_MS = 60_000;
const PROGRAM = await buildProgram('service/fuzz/fuzzed-program.ts');
const Listening = z.object({
  port: z.number(),
  key: z.string(),
  slowKey: z.string(),
  alertId: z.string(),
});

interface Fuzzed extends z.infer<typeof Listening> {
  readonly process: ChildProcess;
  readonly described: Described;
  readonly complaints: () => string;
  heapBytes(): Promise<number>;
}

const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

async function startFuzzed(kind: 'live' | 'dead'): Promise<Fuzzed> {
  const file = await temporaryFile('keys.db');
  const child = fork(PROGRAM, [file, kind], {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  running.push(child);
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`it ended with ${code}: ${complaints}`);
  });
  ended.catch(() => {});
  const next = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), ended]))[0];
  const listening = Listening.parse(await next());
  return {
    ...listening,
    process: child,
    described: await readDocument(`http://127.0.0.1:${listening.port}`),
    complaints: () => complaints,
    heapBytes: async () => {
      child.send('heap');
      return z.number().parse(await next());
    },
  };
}

async function sendAll(
  server: Fuzzed,
  requests: readonly MadeRequest[],
  mayBeDown: boolean,
): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  let next = 0;
  async function sender(): Promise<void> {
    let connection: RawConnection | null = null;
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      if (connection === null || connection.isOver) connection = await RawConnection.open(server.port);
      let answer: RawAnswer | null;
      try {
        answer = await exchange(connection, request);
        if (answer !== null) check(answer, request, server.described, mayBeDown);
      } catch (error) {
        const shown = request.bytes.toString('latin1').slice(0, 400);
        throw new Error(`${request.manner}: ${shown}`, { cause: error });
      }
      const status = String(answer?.status ?? 'none');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (request.isLast || answer?.headers.get('connection') === 'close') {
        connection.close();
        connection = null;
      }
    }
    connection?.close();
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  return statuses;
}

async function exchange(connection: RawConnection, request: MadeRequest): Promise<RawAnswer | null> {
  const { bytes, manner } = request;
  const half = Math.floor(bytes.length / 2);
  switch (manner) {
    case 'aborted':
      connection.send(bytes.subarray(0, half));
      connection.close();
      return null;
    case 'stalled':
      // Nothing more comes, but the connection stays: a slow-loris.
      connection.send(bytes.subarray(0, Math.min(half, 30)));
      break;
    case 'in pieces':
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 5)) {
        connection.send(bytes.subarray(at, at + Math.ceil(bytes.length / 5)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      break;
    case 'half-closed':
      connection.send(bytes);
      connection.halfClose();
      break;
    case 'then garbage':
      connection.send(Buffer.concat([bytes, Buffer.from('\u0016\u0003\u0001 GET / \r\n\r\n\r\n')]));
      break;
    default:
      connection.send(bytes);
  }
  return connection.answer(request.method === 'HEAD', PATIENCE_MS);
}

function check(
  { status, headers, body }: RawAnswer,
  { method, route }: MadeRequest,
  described: Described,
  mayBeDown: boolean,
): void {
  if (status >= 500 && !(status === 503 && mayBeDown)) throw new Error(`${status} ${body}`);
  if (body.length === 0 || headers.get('content-type')?.startsWith('application/json') !== true) return;
  const text = headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body;
  const answer: unknown = JSON.parse(text.toString());
  if (status >= 400) ErrorBody.loose().parse(answer);
  else if (route !== null) {
    expect(described.misfit(method.toLowerCase(), PATHS[route], String(status), answer)).toBeNull();
  }
}

async function answersNormally({ key, described }: Fuzzed): Promise<number> {
  const response = await fetch(described.root + PATHS.gasCurrent, { headers: { 'x-api-key': key } });
  const body = await response.json();
  expect(described.misfit('get', PATHS.gasCurrent, String(response.status), body)).toBeNull();
  return response.status;
}

test('240 hostile requests, 20,000 in test:slow: no crash, no 5xx, every body as promised, the heap as it was', async () => {
  const server = await startFuzzed('live');
  const requests = fc.sample(madeRequests(server), { numRuns: isSlowRun ? 20_000 : 240, seed: SEED });
  const quarter = requests.length / 4;
  const statuses = await sendAll(server, requests.slice(0, quarter), false);
  const before = await server.heapBytes();
  for (const [status, count] of await sendAll(server, requests.slice(quarter), false)) {
    statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
  const after = await server.heapBytes();
  expect(server.complaints()).toBe('');
  expect(server.process.exitCode).toBeNull();
  expect(await answersNormally(server)).toBe(200);
  // Three times as many requests again must not need more; sixty do not load everything yet.
  expect(after / before).toBeLessThan(isSlowRun ? 1.3 : 1.5);
  // The requests reach what they are meant to reach.
  const meant = ['200', '201', '304', '400', '401', '404', '405', '414', '431'];
  for (const status of isSlowRun ? [...meant, '408', '413', '429'] : meant) {
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
  }
});

test('with the node dead, more of them: what needs it is 503, nothing else is a 5xx', async () => {
  const server = await startFuzzed('dead');
  const requests = fc.sample(madeRequests(server), { numRuns: isSlowRun ? 4_000 : 60, seed: SEED + 1 });
  const statuses = await sendAll(server, requests, true);
  expect(server.process.exitCode).toBeNull();
  expect(await answersNormally(server)).toBe(503);
  expect(statuses.get('503') ?? 0).toBeGreaterThan(requests.length / 20);
});
