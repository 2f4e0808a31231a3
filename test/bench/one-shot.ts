import { spawnSync } from 'node:child_process';
import { GASTOP, type Workshop } from './programs.ts';
import type { Limit, Row } from './row.ts';
import { type ServedRecording, serveRecording } from './served-recording.ts';
import { median, range, ratios } from './statistics.ts';

const RUNS = 25;
const NOTHING: readonly string[] = ['-e', '0'];

/**
 * Whole runs of commands that ask, print and end, each in turn with Node that does nothing. `now` asks a service on this
 * machine, `gastop serve` with a recording, which is started once.
 */
export async function measureOneShot(workshop: Workshop): Promise<Row[]> {
  await using served = await serveRecording(workshop);
  const answer = run(workshop, served, [GASTOP, 'now', '--json', '--url', served.url]).stdout;
  if (!answer.includes('"averagePrice":')) throw new Error(`gastop now printed ${JSON.stringify(answer)}`);
  const rowOf = (words: readonly string[], args: readonly string[], budget: readonly Limit[]): Row => {
    const own: number[] = [];
    const yard: number[] = [];
    for (let count = -2; count < RUNS; count++) {
      const nothing = run(workshop, served, NOTHING).ms;
      const { ms } = run(workshop, served, [GASTOP, ...words, ...args]);
      // The first runs warm the compile cache.
      if (count < 0) continue;
      yard.push(nothing);
      own.push(ms);
    }
    const each = ratios(own, yard);
    return {
      measure: `gastop ${words.join(' ')}${args.length > 0 ? ' against a local service' : ''}`,
      gastop: `${median(own).toFixed(0)} ms`,
      yardstick: `node -e 0, ${median(yard).toFixed(0)} ms`,
      ratio: median(each),
      spread: `${range(each)} in ${RUNS} runs`,
      budget,
    };
  };
  return [
    rowOf(['now', '--json'], ['--url', served.url], [{ atMost: 5 }]),
    rowOf(['now'], ['--url', served.url], []),
    rowOf(['--version'], [], []),
    rowOf(['--help'], [], []),
    rowOf(['completion', 'bash'], [], []),
    rowOf(['config'], [], []),
  ];
}

/** Ms from the start of Node to its end, and what it printed. */
function run(workshop: Workshop, { key }: ServedRecording, args: readonly string[]) {
  const from = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: workshop.folder,
      GASTOP_API_KEY: key,
      NODE_COMPILE_CACHE: workshop.compileCache,
    },
  });
  const ms = performance.now() - from;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { ms, stdout };
}
