/**
 * Has the built program run for long and looks whether it holds ever more: the monitor over 40 replayed
 * hours, the service through 300 outages of its nodes. Ends with 1 where something grew, or a database is not as large as
 * its rows say.
 *
 *     npm run soak                     both (about 20 minutes)
 *     npm run soak -- monitor          one of the two
 *     npm run soak -- --speed 60       the recording slower: more frames for its hours
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { databaseSize, sizeProblems } from './database-size.ts';
import { type Allowance, growthBetween, holdingText } from './growth.ts';
import { HOUR_BLOCKS, soakMonitor } from './soak-monitor.ts';
import { soakServe } from './soak-serve.ts';
import type { Holding } from './watched-program.ts';

const HOURS = [16, 28, 40] as const;
const OUTAGES = [100, 200, 300] as const;
const SETTLE_MS = 8_000;
/**
 * What is in use is the measure of a leak: 0.4 kB for each of 7,200 blocks, 15 kB for each of 200 outages. Resident memory
 * is coarser: pages that the collector keeps, and the engine's columns, which fill. The first look comes two minutes in at
 * the least: what was opened is kept for so long, and most of what is compiled has been.
 */
const ALLOWED = { liveBytes: 3_000_000, residentBytes: 12_000_000, resources: 4, descriptors: 2 } as const;
const ALLOWED_MONITOR = { ...ALLOWED, residentBytes: 25_000_000, resources: 20 } as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { speed: { type: 'string', default: '180' } },
});
const wants = (name: string) => positionals.length === 0 || positionals.includes(name);
const say = (line: string) => process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), 'gastop-soak-'));
const problems: string[] = [];
try {
  if (wants('monitor')) {
    const blocks = HOURS.map((hour) => hour * HOUR_BLOCKS);
    const seen = await soakMonitor(folder, { speed: Number(values.speed), blocks }, (each) =>
      report(`monitor, hour ${each.block / HOUR_BLOCKS}`, each),
    );
    judge('monitor', seen, ALLOWED_MONITOR);
    problems.push(...sizeProblems(databaseSize(join(folder, 'monitor.db'))));
  }
  if (wants('serve')) {
    const seen = await soakServe(folder, { outages: OUTAGES, settleMs: SETTLE_MS }, (each) =>
      report(`serve, ${each.outages} outages, ${each.delivered} webhooks`, each),
    );
    judge('serve', seen, ALLOWED);
    problems.push(...sizeProblems(databaseSize(join(folder, 'serve.db'))));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const problem of problems) say(`✗ ${problem}`);
if (problems.length === 0) say('nothing grew');
process.exitCode = problems.length === 0 ? 0 : 1;

type Seen = { readonly holding: Holding; readonly size: Parameters<typeof sizeProblems>[0] };

function report(when: string, { holding, size }: Seen): void {
  const { rows, fileBytes, logBytes, expectedBytes } = size;
  say(`${when}: ${holdingText(holding)}`);
  say(
    `  ${rows.blocks} blocks, ${rows.rollups} folded, ${rows.advice} advised: ${fileBytes} B and a log of ${logBytes} B; computed ${expectedBytes} B`,
  );
}

function judge(who: string, seen: readonly Seen[], allowed: Allowance): void {
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined) return;
  const found = [
    ...growthBetween(first.holding, last.holding, allowed),
    ...seen.flatMap(({ size }) => sizeProblems(size)),
  ];
  problems.push(...found.map((problem) => `${who}: ${problem}`));
}
