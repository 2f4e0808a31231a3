/**
 * What gastop costs, each figure as a ratio to a yardstick measured in the same run, so that machines compare.
 *
 *     npm run bench                      every measure but the long ones
 *     npm run bench -- start keys        some of them, by name
 *     npm run bench -- --write           all of them, into docs/PERFORMANCE.md
 *     npm run bench -- --list            their names
 *
 * A budget that is not kept is said in the table; the exit code is for measures that failed.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { machineText } from './machine.ts';
import { MEASURES, type Measure } from './measures.ts';
import { withResult } from './performance-page.ts';
import { openWorkshop } from './programs.ts';
import { budgetsFirst, formatTable, type Row, verdict } from './row.ts';

const PAGE = new URL('../../docs/PERFORMANCE.md', import.meta.url);

interface Asked {
  readonly measures: readonly Measure[];
  readonly write: boolean;
}

function readArguments(): Asked {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: 'boolean' }, list: { type: 'boolean' } },
  });
  if (values.list) refuse(listText(), 0);
  const names = new Set(MEASURES.map(({ name }) => name));
  const unknown = positionals.filter((name) => !names.has(name));
  if (unknown.length > 0) refuse(`no measure ${unknown.join(', ')}; there are\n${listText()}`, 2);
  if (values.write && positionals.length > 0) refuse('--write takes every measure: name none', 2);
  const measures = MEASURES.filter(({ name, onRequest }) =>
    positionals.length === 0 ? onRequest !== true : positionals.includes(name),
  );
  return { measures, write: values.write === true };
}

function listText(): string {
  return MEASURES.map(
    ({ name, says, onRequest }) => `  ${name.padEnd(10)} ${onRequest ? '(on request) ' : ''}${says}`,
  ).join('\n');
}

function refuse(text: string, exitCode: number): never {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(exitCode);
}

const { measures, write } = readArguments();
await using workshop = await openWorkshop();
const taken: Row[] = [];
const from = performance.now();
for (const { name, rows } of measures) {
  process.stderr.write(`measuring ${name} …\n`);
  try {
    taken.push(...(await rows(workshop)));
  } catch (error) {
    // One measure that fails does not cost the others, but it is not passed over.
    process.exitCode = 1;
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
const rows = budgetsFirst(taken);
const minutes = (performance.now() - from) / 60_000;
process.stdout.write(`${formatTable(rows)}\n\n${machineText()}, ${minutes.toFixed(0)} minutes\n`);
const over = rows.filter((row) => verdict(row) === 'over');
if (over.length > 0) {
  process.stdout.write(`over budget: ${over.map(({ measure }) => measure).join('; ')}\n`);
}
if (write && process.exitCode === undefined) {
  const result = { rows, machine: machineText(), day: new Date().toISOString().slice(0, 10) };
  await writeFile(PAGE, withResult(await readFile(PAGE, 'utf8'), result));
  process.stdout.write('docs/PERFORMANCE.md has it\n');
} else if (write) {
  process.stderr.write('docs/PERFORMANCE.md is left as it was: a measure failed\n');
}
