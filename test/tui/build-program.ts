import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import { inject } from 'vitest';
import { rawText } from '../../scripts/raw-text.ts';
import { waitFor } from '../helpers/wait-for.ts';

const TESTS = join(import.meta.dirname, '..');

const PROGRAMS = [
  'tui/monitor-program.tsx',
  'service/alerts/follow-until-killed.ts',
  'service/auto-txs/serve-until-killed.ts',
  'service/fuzz/fuzzed-program.ts',
  'service/keys/serve-until-killed.ts',
] as const;

/** A program of the tests, bundled as users get it; the first that needs one builds all. Gives the path to run. */
export async function buildProgram(entry: (typeof PROGRAMS)[number]): Promise<string> {
  const folder = join(inject('runFolder'), 'programs');
  const told = join(folder, 'told');
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const problem = await buildInto(folder).then(() => '', String);
    writeFileSync(`${told}.new`, problem);
    renameSync(`${told}.new`, told);
  }
  await waitFor(() => existsSync(told), { what: 'the programs of the tests' });
  const problem = readFileSync(told, 'utf8');
  if (problem !== '') throw new Error(problem);
  return join(folder, entry.replace(/\.tsx?$/, '.mjs'));
}

const buildInto = (dir: string) =>
  build({
    input: Object.fromEntries(PROGRAMS.map((entry) => [entry.replace(/\.tsx?$/, ''), join(TESTS, entry)])),
    platform: 'node',
    transform: { target: 'node22', define: { 'process.env.NODE_ENV': '"production"' } },
    // Ink asks for the React developer tools only with DEV=true, in a chunk of its own.
    external: ['react-devtools-core'],
    plugins: [rawText],
    logLevel: 'silent',
    output: { dir, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  });
