import { join } from 'node:path';
import { build } from 'esbuild';

const OUTPUT = join(import.meta.dirname, '../../node_modules/.cache/gastop-test');

/** Bundles a program of the tests, as users get it; gives the path to run. */
export async function buildProgram(entry: string): Promise<string> {
  const outfile = join(OUTPUT, `${entry.replace(/\.tsx?$/, '')}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    jsx: 'automatic',
    packages: 'external',
    logLevel: 'error',
  });
  return outfile;
}
