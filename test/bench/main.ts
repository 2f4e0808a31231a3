/**
 * What gastop costs, each figure as a ratio to a yardstick measured in the same run, so that machines compare.
 *
 *     npm run bench                      every measure (about eight minutes)
 *     npm run bench -- start keys        some: start, updates, keys, memory, engine, path, chart, http, alerts, auto-txs
 */
import { availableParallelism } from 'node:os';
import { measureAlertCost } from './alert-cost.ts';
import { measureAutoTxCost } from './auto-tx-cost.ts';
import { measureChartCost } from './chart-cost.ts';
import { measureEngineCost } from './engine-cost.ts';
import { measureFirstFrame } from './first-frame.ts';
import { measureHttpCost } from './http-cost.ts';
import { measureKeyLatency } from './key-latency.ts';
import { openWorkshop, type Workshop } from './programs.ts';
import { writeRecording } from './recording.ts';
import { measureReplayMemory } from './replay-memory.ts';
import { formatTable, type Row } from './row.ts';
import { measureUpdateCost } from './update-cost.ts';
import { measureWholePath } from './whole-path-cost.ts';

const DEMO = ['--demo'] as const;
/** Recorded blocks are 12 s apart: one a second. */
const ONE_BLOCK_A_SECOND = '12';

async function replayArgs({ folder }: Workshop): Promise<readonly string[]> {
  return ['--replay', await writeRecording(folder, 5_000), '--speed', ONE_BLOCK_A_SECOND];
}

function engineRows(): Row[] {
  const cost = measureEngineCost();
  return [
    {
      measure: 'one block with 30 days of history',
      gastop: `${cost.microsPerBlockAtThirtyDays.toFixed(0)} µs`,
      yardstick: `itself with 1 day of history, ${cost.microsPerBlockAtOneDay.toFixed(0)} µs`,
      ratio: cost.ratio,
      spread: 'medians of 5 stretches',
      aim: '≈ 1',
    },
  ];
}

async function pathRows({ folder }: Workshop): Promise<Row[]> {
  const day = await measureWholePath(folder, 1);
  const month = await measureWholePath(folder, 30);
  return [
    {
      measure: 'one block from source to answer, 30 days stored, CPU',
      gastop: `${month.toFixed(2)} ms`,
      yardstick: `itself with 1 day stored, ${day.toFixed(2)} ms`,
      ratio: month / day,
      spread: 'means of 300 blocks',
      aim: '≈ 1',
    },
  ];
}

const MEASURES: Readonly<Record<string, (workshop: Workshop) => Promise<Row[]>>> = {
  start: (workshop) => measureFirstFrame(workshop, DEMO),
  updates: async (workshop) => measureUpdateCost(workshop, await replayArgs(workshop)),
  keys: async (workshop) => measureKeyLatency(workshop, await replayArgs(workshop)),
  memory: measureReplayMemory,
  engine: async () => engineRows(),
  path: pathRows,
  chart: measureChartCost,
  http: measureHttpCost,
  alerts: measureAlertCost,
  'auto-txs': measureAutoTxCost,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => MEASURES[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`no measure ${unknown.join(', ')}; there are ${Object.keys(MEASURES).join(', ')}\n`);
  process.exit(2);
}

await using workshop = await openWorkshop();
const rows: Row[] = [];
for (const [name, measure] of Object.entries(MEASURES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  try {
    rows.push(...(await measure(workshop)));
  } catch (error) {
    // One measure that fails does not cost the others, but it is not passed over.
    process.exitCode = 1;
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
const cores = availableParallelism();
process.stdout.write(
  `${formatTable(rows)}\n\nNode ${process.versions.node}, ${process.platform} ${process.arch}, ${cores} cores\n`,
);
