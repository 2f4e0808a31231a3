import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Another build than `dist` is measured by naming its folder. */
export const GASTOP = resolve(ROOT, process.env.GASTOP_BENCH_BUILD ?? 'dist', 'bin.js');
const SIZE = { cols: 80, rows: 24 } as const;

/** Where a bench keeps what it makes; gone at the end. */
export interface Workshop extends AsyncDisposable {
  readonly folder: string;
  /** The bare Ink program, bundled and minified as usual: the yardstick. */
  readonly bare: string;
  /** Compile cache of gastop's own, so that a warm start is warmed by this bench alone. */
  readonly compileCache: string;
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'gastop-bench-'));
  const bare = join(folder, 'bare-ink.mjs');
  await build({
    entryPoints: [join(ROOT, 'test/helpers/bare-ink.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Ink loads its developer tools from a part of their own, which then is never loaded.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.13',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['react-devtools-core'],
    banner: {
      js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return {
    folder,
    bare,
    compileCache: join(folder, 'compile-cache'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The bare program, redrawing one line every `paceMs` (0: never), without a compile cache. */
export function openBare(workshop: Workshop, paceMs: number, size: Size = SIZE): Promise<Terminal> {
  return openTerminal({
    args: [workshop.bare, String(paceMs)],
    ...size,
    env: { NODE_ENV: 'production', NODE_DISABLE_COMPILE_CACHE: '1' },
  });
}

export interface GastopOptions {
  readonly args: readonly string[];
  readonly nodeArgs?: readonly string[];
  /** `none`: as on the first start ever. */
  readonly compileCache?: 'warm' | 'none';
  /** A folder to use and keep as home; default: a fresh one. */
  readonly home?: string;
  /** Default: 80×24. */
  readonly size?: Size;
}

export function openGastop(workshop: Workshop, options: GastopOptions): Promise<Terminal> {
  const { args, nodeArgs = [], compileCache = 'warm', home, size = SIZE } = options;
  return openTerminal({
    args: [...nodeArgs, GASTOP, ...args],
    ...size,
    ...(home === undefined ? {} : { home }),
    env:
      compileCache === 'warm'
        ? { NODE_COMPILE_CACHE: workshop.compileCache }
        : { NODE_DISABLE_COMPILE_CACHE: '1' },
  });
}

/** Ends a program as its user does, so that it also leaves its compile cache behind. */
export async function quit(terminal: Terminal): Promise<void> {
  await terminal.press('q');
  await terminal.waitForExit();
}

/** Prices are on the screen: the lanes' table has a number behind `Average`. */
export const HAS_PRICES = /Average\s*│\s*[\d.,]*\d/;
