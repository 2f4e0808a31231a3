import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Terminal } from '../helpers/terminal.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openGastop, type Workshop } from './programs.ts';
import { writeRecording } from './recording.ts';
import type { Row } from './row.ts';
import { median, range } from './statistics.ts';

const EARLY = 10_000;
const LATE = 100_000;
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

/** Number of the block that the status bar shows. */
function shownBlock(rows: readonly string[]): number {
  const match = /#([\d,]+)/.exec(rows[0] ?? '');
  return match?.[1] === undefined ? 0 : Number(match[1].replaceAll(',', ''));
}

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

/** Memory after 100,000 replayed blocks against after 10,000, as fast as the program takes them. */
export async function measureReplayMemory(workshop: Workshop): Promise<Row[]> {
  const recording = await writeRecording(workshop.folder, LATE + SAMPLES * APART + 1_000);
  const report = join(workshop.folder, 'memory.json');
  const preload = join(workshop.folder, 'watch-memory.mjs');
  await writeFile(`${preload}.new`, watcher(report));
  await rename(`${preload}.new`, preload);
  await using terminal = await openGastop(workshop, {
    nodeArgs: ['--expose-gc', '--import', preload],
    args: ['--replay', recording, '--speed', '100000'],
  });
  let count = 0;
  const samplesFrom = async (block: number): Promise<Memory[]> => {
    const samples: Memory[] = [];
    for (let index = 0; index < SAMPLES; index++) {
      await terminal.waitFor((rows) => shownBlock(rows) >= block + index * APART, {
        timeoutMs: PATIENCE_MS,
      });
      samples.push(await sample(terminal, report, ++count));
    }
    return samples;
  };
  const early = await samplesFrom(EARLY);
  const late = await samplesFrom(LATE);
  const row = (measure: string, value: (memory: Memory) => number, aim: string): Row => {
    const [before, after] = [early.map(value), late.map(value)];
    return {
      measure,
      gastop: `${megabytes(median(after))} MB`,
      yardstick: `itself after 10,000 blocks, ${megabytes(median(before))} MB`,
      ratio: median(after) / median(before),
      spread: `${range(after.flatMap((a) => before.map((b) => a / b)))} in ${SAMPLES}×${SAMPLES} pairs`,
      aim,
    };
  };
  return [
    row('live memory after 100,000 blocks', (memory) => memory.live, '≤ 1.05'),
    row('resident memory after 100,000 blocks', (memory) => memory.resident, '≤ 1.05'),
  ];
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
