import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_KEY_HEADER } from '../../src/contract/routes.ts';
import { type Server, startServer } from './http.ts';
import type { Workshop } from './programs.ts';
import { quantile, type Row } from './row.ts';

const STREAMS = 1_000;
const PER_KEY = 5;
const BLOCKS = 40;
const BLOCK_MS = 400;

interface Stream {
  events: number;
}

async function openStream(port: number, key = ''): Promise<Stream> {
  const socket = connect({ host: '127.0.0.1', port });
  const stream = { events: 0 };
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
  socket.write(`GET /be/api/v1/gas/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n${API_KEY_HEADER}: ${key}\r\n\r\n`);
  await first.promise;
  return stream;
}

/** Has blocks come, one after the other; CPU of the service for each, ms, and when the first and the last stream had it. */
async function play({ child, metric }: Server, streams: readonly Stream[]) {
  const cpuMs = async () => (await metric('process_cpu_seconds_total')) * 1_000;
  const before = await cpuMs();
  const firstMs: number[] = [];
  const lastMs: number[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
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
  return {
    cpuMs: ((await cpuMs()) - before) / BLOCKS,
    first: quantile(firstMs, 0.95),
    last: quantile(lastMs, 0.95),
  };
}

/** 1,000 streams on one replica: what a block costs, how late the last one is, and what a stream takes. */
export async function measureStreams({ folder }: Workshop): Promise<Row[]> {
  await using service = await startServer('streamed', folder, String(STREAMS / PER_KEY));
  const resident = () => service.metric('process_resident_memory_bytes');
  const none = await play(service, []);
  const before = await resident();
  const streams: Stream[] = [];
  for (let place = 0; place < STREAMS; place += 1) {
    streams.push(await openStream(service.port, service.keys[Math.floor(place / PER_KEY)]));
  }
  await sleep(2_000);
  const each = ((await resident()) - before) / STREAMS;
  const all = await play(service, streams);
  const many = STREAMS.toLocaleString('en');
  const common = { spread: `means of ${BLOCKS} blocks`, budget: [] };
  return [
    {
      ...common,
      measure: `a block told to ${many} streams, CPU`,
      gastop: `${all.cpuMs.toFixed(1)} ms, ${(((all.cpuMs - none.cpuMs) * 1_000) / STREAMS).toFixed(0)} µs a stream`,
      yardstick: `itself with none, ${none.cpuMs.toFixed(1)} ms`,
      ratio: all.cpuMs / none.cpuMs,
    },
    {
      ...common,
      measure: `until the last of ${many} streams has a block, p95`,
      gastop: `${all.last.toFixed(0)} ms`,
      yardstick: `the first of them, ${all.first.toFixed(0)} ms`,
      ratio: all.last / all.first,
    },
    {
      ...common,
      measure: 'memory of a stream',
      gastop: `${(each / 1_000).toFixed(0)} kB`,
      yardstick: `the service without one, ${(before / 1e6).toFixed(0)} MB`,
      ratio: each / before,
      spread: `${many} streams`,
    },
  ];
}
