import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';
import { rawText } from '../../scripts/raw-text.ts';

const OUTPUT = join(import.meta.dirname, '../../node_modules/.cache/gastop-test');

/**
 * Bundles a program of the tests (a path from here, or a whole one), as users get it; gives the path to run. It goes with
 * the file of tests, so call it at its top.
 */
export async function buildProgram(entry: string): Promise<string> {
  const outdir = join(OUTPUT, `${process.pid}`);
  afterAll(() => rm(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: [resolve(import.meta.dirname, entry)],
    outdir,
    bundle: true,
    splitting: true,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node22',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Ink asks for the React developer tools only with DEV=true, in a chunk of its own.
    external: ['react-devtools-core'],
    plugins: [rawText],
    // Some CommonJS dependencies call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as __testRequire } from 'node:module'; const require = __testRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return join(outdir, basename(entry).replace(/\.tsx?$/, '.mjs'));
}
