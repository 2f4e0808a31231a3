import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Terminal } from '../helpers/terminal.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openGastop, type Workshop } from './programs.ts';
import { writeRecording } from './recording.ts';
import { shownBlock } from './resident-memory.ts';
import type { Limit, Row } from './row.ts';
import { median, range } from './statistics.ts';

/** A recording played from the start: the 30 days of history that the engine keeps are still filling up. */
const FILLING = { early: 10_000, late: 100_000, limit: [{ atMost: 1.05 }] } as const;
/** 30 days are 216,000 blocks; past them only a leak makes memory grow. */
const FULL = { early: 230_000, late: 320_000, limit: [] } as const;
const SAMPLES = 3;
/** Blocks between two samples of one point. */
const APART = 600;
const PATIENCE_MS = 1_200_000;

interface Memory {
  /** What is still in use after a collection, JavaScript and buffers, bytes. */
  readonly live: number;
  readonly resident: number;
}

/** On SIGUSR2 the program collects its garbage and writes down what is left. */
const watcher = (report: string) => `
import { renameSync, writeFileSync } from 'node:fs';
let count = 0;
process.on('SIGUSR2', () => {
  gc(); gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  writeFileSync(${JSON.stringify(report)} + '.new', JSON.stringify({ live: heapUsed + external, resident: rss, count: ++count }));
  renameSync(${JSON.stringify(report)} + '.new', ${JSON.stringify(report)});
});
`;

async function sample(terminal: Terminal, report: string, count: number): Promise<Memory> {
  terminal.signal('SIGUSR2');
  return await waitFor(
    () => {
      const read = JSON.parse(readFileSync(report, 'utf8')) as Memory & { readonly count: number };
      if (read.count !== count) throw new Error(`report ${read.count} of ${count}`);
      return read;
    },
    { timeoutMs: 60_000, what: 'the memory report' },
  );
}

/**
 * Memory after 100,000 replayed blocks against after 10,000, as fast as the program takes them, and the same once
 * the history is full.
 */
export async function measureReplayMemory(workshop: Workshop): Promise<Row[]> {
  const recording = await writeRecording(workshop.folder, FULL.late + SAMPLES * APART + 1_000);
  const report = join(workshop.folder, 'memory.json');
  const preload = join(workshop.folder, 'watch-memory.mjs');
  await writeFile(preload, watcher(report));
  await using terminal = await openGastop(workshop, {
    nodeArgs: ['--expose-gc', '--import', preload],
    args: ['--replay', recording, '--speed', '100000'],
  });
  let count = 0;
  const samplesFrom = async (block: number): Promise<Memory[]> => {
    const samples: Memory[] = [];
    for (let index = 0; index < SAMPLES; index++) {
      await terminal.waitFor((rows) => shownBlock(rows) >= block + index * APART, { timeoutMs: PATIENCE_MS });
      samples.push(await sample(terminal, report, ++count));
    }
    return samples;
  };
  const rows: Row[] = [];
  for (const { early, late, limit } of [FILLING, FULL]) {
    const before = await samplesFrom(early);
    const after = await samplesFrom(late);
    rows.push(
      compare('live memory', { early, late, limit }, before, after, (memory) => memory.live),
      compare('resident memory', { early, late, limit }, before, after, (memory) => memory.resident),
    );
  }
  return rows;
}

function compare(
  what: string,
  { early, late, limit }: { readonly early: number; readonly late: number; readonly limit: readonly Limit[] },
  before: readonly Memory[],
  after: readonly Memory[],
  value: (memory: Memory) => number,
): Row {
  const [then, now] = [before.map(value), after.map(value)];
  return {
    measure: `${what} after ${late.toLocaleString('en')} blocks`,
    gastop: `${megabytes(median(now))} MB`,
    yardstick: `itself after ${early.toLocaleString('en')} blocks, ${megabytes(median(then))} MB`,
    ratio: median(now) / median(then),
    spread: `${range(now.flatMap((a) => then.map((b) => a / b)))} in ${SAMPLES}×${SAMPLES} pairs`,
    budget: limit,
  };
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
