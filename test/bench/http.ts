import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { API_KEY_HEADER } from '../../src/contract/routes.ts';
import type { Workshop } from './programs.ts';
import { atLeast, atMost, compare, inTurns, quantile, type Row } from './row.ts';

const PATH = '/be/api/v1/gas/current';
const CONNECTIONS = 64;
const ROUNDS = 11;
export const ROUND_MS = 2_000;
const HEAD_END = Buffer.from('\r\n\r\n');

export type Server = Awaited<ReturnType<typeof startServer>>;

export async function startServer(...args: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'served-program.ts'), ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port, keys } = JSON.parse(String(line)) as { port: number; keys: readonly string[] };
  return {
    child,
    port,
    keys,
    metric: async (name: string) => {
      const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

const requestOf = (path: string, key = '') =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${API_KEY_HEADER}: ${key}\r\n\r\n`,
  );

export async function load({ port, keys: [key] }: Server, connections = CONNECTIONS): Promise<number> {
  const request = requestOf(PATH, key);
  const from = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => askUntil(port, request, from + ROUND_MS)),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - from);
}

interface Pace {
  /** From one request to the next, ms; 0: at once. */
  readonly everyMs: number;
  /** Told of each response: how long it took, ms. */
  readonly onAnswer?: (ms: number) => void;
}

/** Resolves with the number of responses. @throws {Error} on one that is not 200 */
async function askUntil(
  port: number,
  request: Buffer,
  until: number,
  { everyMs, onAnswer }: Pace = { everyMs: 0 },
): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let received = Buffer.alloc(0);
  let count = 0;
  let sentAt = 0;
  const send = () => {
    sentAt = performance.now();
    socket.write(request);
  };
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf(HEAD_END);
    if (end === -1) return;
    const head = received.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head));
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (received.length < end + HEAD_END.length + length) return;
    received = Buffer.alloc(0);
    count += 1;
    const now = performance.now();
    onAnswer?.(now - sentAt);
    if (now >= until) return resolve();
    const restMs = sentAt + everyMs - now;
    if (restMs > 0) setTimeout(send, restMs);
    else send();
  });
  socket.on('error', reject);
  send();
  await promise.finally(() => socket.destroy());
  return count;
}

/** `gas/current` with all that a service puts around it, against one bare Hono route; each server is a process of its own. */
export async function measureHttp({ folder }: Workshop): Promise<Row[]> {
  await using gastop = await startServer('gastop', folder);
  const file = join(folder, 'gas-current.json');
  const headers = { [API_KEY_HEADER]: gastop.keys[0] ?? '' };
  const answer = await fetch(`http://127.0.0.1:${gastop.port}${PATH}`, { headers });
  await writeFile(file, await answer.text());
  await using bare = await startServer('bare', file);
  const [ours, theirs] = await inTurns(ROUNDS, [() => load(gastop), () => load(bare)]);
  return [
    compare({
      measure: 'gas/current with key and quota, requests per second',
      ours,
      against: 'bare Hono route, same bytes',
      theirs,
      runs: `in ${ROUNDS} rounds of ${ROUND_MS / 1_000} s, ${CONNECTIONS} connections`,
      budget: (ratio) => [atLeast(ratio, 0.6)],
    }),
  ];
}

const SCRAPED_ROUNDS = 5;
/** Long enough that some 30 responses are slower than the figure. */
const SCRAPED_ROUND_MS = 4_000;
const READERS = 8;
/** Each reader sends 100 requests a second: 800 in all. */
const READ_EVERY_MS = 10;
const SCRAPE_EVERY_MS = 10;

/** 99 of 100 responses of `gas/current` take no longer, ms. */
async function slowest({ port, keys: [key] }: Server, isScraped: boolean): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + SCRAPED_ROUND_MS;
  const pace = { everyMs: READ_EVERY_MS, onAnswer: (ms: number) => times.push(ms) };
  const readers = Array.from({ length: READERS }, () => askUntil(port, requestOf(PATH, key), until, pace));
  const scraper = { everyMs: SCRAPE_EVERY_MS };
  if (isScraped) readers.push(askUntil(port, requestOf('/metrics'), until, scraper));
  await Promise.all(readers);
  return quantile(times, 0.99);
}

/** What a scrape 100 times a second, far more than any Prometheus makes, costs who asks for prices. */
export async function measureScrapes({ folder }: Workshop): Promise<Row[]> {
  await using gastop = await startServer('gastop', folder);
  const turns = [() => slowest(gastop, true), () => slowest(gastop, false)] as const;
  const [scraped, alone] = await inTurns(SCRAPED_ROUNDS, turns);
  return [
    compare({
      measure: 'gas/current while /metrics is scraped 100 times a second, 99 of 100 responses',
      ours: scraped,
      against: 'without a scrape',
      theirs: alone,
      unit: 'ms',
      digits: 2,
      runs: `in ${SCRAPED_ROUNDS} rounds of ${SCRAPED_ROUND_MS / 1_000} s, ${READERS} connections`,
      budget: (ratio) => [atMost(ratio, 1.25)],
    }),
  ];
}
