import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { API_KEY_HEADER } from '../../src/contract/routes.ts';
import type { Row } from './row.ts';
import { quantile, range, ratios } from './statistics.ts';

const PROGRAM = fileURLToPath(new URL('served-program.ts', import.meta.url));
const PATH = '/be/api/v1/gas/current';
const CONNECTIONS = 64;
const ROUNDS = 11;
const ROUND_MS = 2_000;
const HEAD_END = Buffer.from('\r\n\r\n');

export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly key: string;
}

export interface Load {
  readonly perSecond: number;
  readonly p99: number;
}

/**
 * `gas/current` with key check, quota, limits, metrics and log, against one bare Hono route that answers the same
 * bytes. Each server is a process of its own, and both are loaded in turn by this one.
 */
export async function measureHttpCost({ folder }: { readonly folder: string }): Promise<Row[]> {
  await using gastop = await startServer('gastop', folder);
  const file = join(folder, 'gas-current.json');
  const answer = await fetch(`http://127.0.0.1:${gastop.port}${PATH}`, {
    headers: { [API_KEY_HEADER]: gastop.key },
  });
  await writeFile(file, await answer.text());
  await using bare = await startServer('bare', file);
  await load(gastop, 1_000);
  await load(bare, 1_000);
  const ours: Load[] = [];
  const theirs: Load[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await load(gastop, ROUND_MS));
    theirs.push(await load(bare, ROUND_MS));
  }
  const of = (loads: readonly Load[], key: keyof Load) => loads.map((each) => each[key]);
  const rate = ratios(of(ours, 'perSecond'), of(theirs, 'perSecond'));
  const p99 = ratios(of(ours, 'p99'), of(theirs, 'p99'));
  const spread = `${ROUNDS} rounds of ${ROUND_MS / 1_000} s, ${CONNECTIONS} connections`;
  return [
    {
      measure: 'gas/current with key and quota, requests per second',
      gastop: quantile(of(ours, 'perSecond'), 0.5).toFixed(0),
      yardstick: `bare Hono route, same bytes, ${quantile(of(theirs, 'perSecond'), 0.5).toFixed(0)}`,
      ratio: quantile(rate, 0.5),
      spread: `${range(rate)} (${spread})`,
      budget: [{ atLeast: 0.5 }],
    },
    {
      measure: 'gas/current with key and quota, p99',
      gastop: `${quantile(of(ours, 'p99'), 0.5).toFixed(1)} ms`,
      yardstick: `bare Hono route, same bytes, ${quantile(of(theirs, 'p99'), 0.5).toFixed(1)} ms`,
      ratio: quantile(p99, 0.5),
      spread: `${range(p99)} (${spread})`,
      budget: [],
    },
  ];
}

/** Asks over all connections, each one question after the other, for `ms`. */
export async function load({ port, key }: Server, ms: number, connections = CONNECTIONS): Promise<Load> {
  const request = Buffer.from(
    `GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${API_KEY_HEADER}: ${key || 'none'}\r\n\r\n`,
  );
  const times: number[] = [];
  const from = performance.now();
  await Promise.all(Array.from({ length: connections }, () => askUntil(port, request, from + ms, times)));
  return { perSecond: (times.length * 1_000) / (performance.now() - from), p99: quantile(times, 0.99) };
}

async function askUntil(port: number, request: Buffer, until: number, times: number[]): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let received = Buffer.alloc(0);
  let sentAt = performance.now();
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf(HEAD_END);
    if (end === -1) return;
    const head = received.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head));
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (received.length < end + HEAD_END.length + length) return;
    received = Buffer.alloc(0);
    const now = performance.now();
    times.push(now - sentAt);
    if (now >= until) return resolve();
    sentAt = now;
    socket.write(request);
  });
  socket.on('error', reject);
  socket.write(request);
  await promise.finally(() => socket.destroy());
}

export async function startServer(kind: 'bare' | 'gastop', path: string): Promise<Server> {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, kind, path], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (child.stdout === null) throw new Error('no output');
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port, key } = z.object({ port: z.number(), key: z.string() }).parse(JSON.parse(String(line)));
  return {
    port,
    key,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
