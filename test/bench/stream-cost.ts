import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { API_KEY_HEADER } from '../../src/contract/routes.ts';
import type { Row } from './row.ts';
import { quantile } from './statistics.ts';

const PROGRAM = fileURLToPath(new URL('streamed-program.ts', import.meta.url));
const STREAMS = 1_000;
const PER_KEY = 5;
const BLOCKS = 40;
/** Twice the shortest time between two events. */
const BLOCK_MS = 400;
/** Events of this size fill what the system keeps for a connection within a minute. */
const WIDE = 200_000;
const WIDE_STREAMS = 20;
const WIDE_BLOCKS_MOST = 400;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** 1,000 streams on one replica: what a block costs, what a stream takes, and what a reader does that reads nothing. */
export async function measureStreamCost(): Promise<Row[]> {
  return [...(await measureMany()), await measureSlowReader()];
}

async function measureMany(): Promise<Row[]> {
  await using service = await startStreamed(STREAMS / PER_KEY, 5);
  const none = await service.play(BLOCKS, []);
  const before = await service.figures();
  const streams = await service.open(STREAMS);
  await sleep(2_000);
  const after = await service.figures();
  const all = await service.play(BLOCKS, streams);
  const extraMs = all.cpuMs - none.cpuMs;
  const spread = `means of ${BLOCKS} blocks`;
  return [
    {
      measure: `a block told to ${STREAMS.toLocaleString('en')} streams, CPU`,
      gastop: `${all.cpuMs.toFixed(1)} ms, ${((extraMs * 1_000) / STREAMS).toFixed(0)} µs a stream`,
      yardstick: `itself with none, ${none.cpuMs.toFixed(1)} ms`,
      ratio: all.cpuMs / none.cpuMs,
      spread,
      budget: [],
    },
    {
      measure: `until the last of ${STREAMS.toLocaleString('en')} streams has a block, p95`,
      gastop: `${quantile(all.lastMs, 0.95).toFixed(0)} ms`,
      yardstick: `the first of them, ${quantile(all.firstMs, 0.95).toFixed(0)} ms`,
      ratio: quantile(all.lastMs, 0.95) / quantile(all.firstMs, 0.95),
      spread,
      budget: [],
    },
    {
      measure: 'memory of a stream',
      gastop: `${((after.rssBytes - before.rssBytes) / STREAMS / 1_000).toFixed(0)} kB`,
      yardstick: `the service without one, ${(before.rssBytes / 1e6).toFixed(0)} MB`,
      ratio: (after.rssBytes - before.rssBytes) / STREAMS / before.rssBytes,
      spread: `${STREAMS.toLocaleString('en')} streams`,
      budget: [],
    },
  ];
}

async function measureSlowReader(): Promise<Row> {
  await using service = await startStreamed(WIDE_STREAMS / PER_KEY + 1, WIDE);
  const readers = await service.open(WIDE_STREAMS);
  const alone = await service.play(BLOCKS, readers);
  const [slow] = await service.open(1, WIDE_STREAMS);
  if (slow === undefined) throw new Error('no slow reader');
  slow.socket.pause();
  const beside = { lastMs: [] as number[] };
  let told = 0;
  // It is dropped once its connection takes no more; the server ends the connection when nothing has gone for a while.
  while ((await service.openStreams()) > WIDE_STREAMS && told < WIDE_BLOCKS_MOST) {
    beside.lastMs.push(...(await service.play(1, readers)).lastMs);
    told += 1;
  }
  const [ours, theirs] = [quantile(beside.lastMs, 0.95), quantile(alone.lastMs, 0.95)];
  return {
    measure: `until the last of ${WIDE_STREAMS} readers has an event of ${WIDE / 1_000} kB, p95, beside one that reads nothing`,
    gastop: `${ours.toFixed(0)} ms; it was dropped after ${told} events`,
    yardstick: `without that one, ${theirs.toFixed(0)} ms`,
    ratio: ours / theirs,
    spread: `${told} and ${BLOCKS} blocks`,
    budget: told < WIDE_BLOCKS_MOST ? [] : [{ atMost: 0, figure: { value: 1, unit: 'slow readers left' } }],
  };
}

interface Stream {
  readonly socket: Socket;
  events: number;
}

const Started = z.object({ port: z.number(), keys: z.array(z.string()) });

async function startStreamed(keys: number, nameLength: number) {
  const child = spawn(process.execPath, [PROGRAM, String(keys), String(nameLength)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const started = Started.parse(JSON.parse(String(line)));
  const metric = async (name: string) => {
    const page = await (await fetch(`http://127.0.0.1:${started.port}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
  };
  const figures = async () => ({
    cpuMs: (await metric('process_cpu_seconds_total')) * 1_000,
    rssBytes: await metric('process_resident_memory_bytes'),
  });
  const openOne = async (place: number): Promise<Stream> => {
    const socket = connect({ host: '127.0.0.1', port: started.port });
    const stream: Stream = { socket, events: 0 };
    const first = Promise.withResolvers<void>();
    socket.on('error', first.reject);
    let end = '';
    socket.on('data', (piece: Buffer) => {
      // Each event has it once, perhaps in two pieces.
      const text = end + piece.toString('latin1');
      stream.events += text.split('\nid: ').length - 1;
      end = text.slice(-4);
      first.resolve();
    });
    const key = started.keys[Math.floor(place / PER_KEY)];
    socket.write(
      `GET /be/api/v1/gas/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n${API_KEY_HEADER}: ${key}\r\n\r\n`,
    );
    await first.promise;
    return stream;
  };
  return {
    figures,
    openStreams: () => metric('gastop_gas_streams'),
    open: async (count: number, from = 0) => {
      const streams: Stream[] = [];
      for (let place = from; place < from + count; place += 1) streams.push(await openOne(place));
      return streams;
    },
    /** Has `count` blocks come, one after the other; CPU of the service for each, and when the first and the last stream had it. */
    play: async (count: number, streams: readonly Stream[]) => {
      const before = await figures();
      const firstMs: number[] = [];
      const lastMs: number[] = [];
      for (let block = 0; block < count; block += 1) {
        const wanted = streams.map((stream) => stream.events + 1);
        const from = performance.now();
        child.stdin.write('\n');
        const has = (stream: Stream, place: number) => stream.events >= (wanted[place] ?? 0);
        while (streams.length > 0 && !streams.some(has)) await sleep(1);
        firstMs.push(performance.now() - from);
        while (!streams.every(has)) await sleep(1);
        lastMs.push(performance.now() - from);
        await sleep(Math.max(BLOCK_MS - (performance.now() - from), 0));
      }
      return { cpuMs: ((await figures()).cpuMs - before.cpuMs) / count, firstMs, lastMs };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
