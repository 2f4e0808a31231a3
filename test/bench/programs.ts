import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { build } from 'rolldown';
import { encodeBlock, encodeHeader } from '../../src/chain/block-file.ts';
import { makeBlocks, restlessSteps } from '../core/support/made-blocks.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
export const GASTOP = resolve(ROOT, process.env.GASTOP_BENCH_BUILD ?? 'dist', 'bin.js');
const SMALL = { cols: 80, rows: 24 };
export const LARGE = { cols: 120, rows: 40 };
export const HAS_PRICES = /Average\s*│\s*[\d.,]*\d/;

export interface Workshop extends AsyncDisposable {
  readonly folder: string;
  /** The bare Ink program, bundled and minified as usual: the yardstick. */
  readonly bare: string;
  /** Compile cache of gastop's own, so that a warm start is warmed by this bench alone. */
  readonly compileCache: string;
  /** How many of so many rounds are taken. */
  readonly rounds: (whole: number) => number;
}

export async function openWorkshop(isQuick: boolean): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'gastop-bench-'));
  await build({
    input: join(ROOT, 'test/helpers/bare-ink.ts'),
    platform: 'node',
    transform: { target: 'node22.13', define: { 'process.env.NODE_ENV': '"production"' } },
    external: ['react-devtools-core'],
    // Ink loads its developer tools from a part of their own, which then is never loaded.
    output: { dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', minify: true },
  });
  return {
    folder,
    bare: join(folder, 'bare-ink.mjs'),
    compileCache: join(folder, 'compile-cache'),
    rounds: (whole) => (isQuick ? Math.ceil(whole / 3) : whole),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The bare program, redrawing one line every `paceMs` (0: never), without a compile cache. */
export const openBare = ({ bare }: Workshop, paceMs: number, size = SMALL): Promise<Terminal> =>
  openTerminal({
    args: [bare, String(paceMs)],
    ...size,
    env: { NODE_ENV: 'production', NODE_DISABLE_COMPILE_CACHE: '1' },
  });

export const openGastop = (
  { compileCache }: Workshop,
  args: readonly string[],
  { size = SMALL, home }: { readonly size?: typeof SMALL; readonly home?: string } = {},
): Promise<Terminal> =>
  openTerminal({
    args: [GASTOP, ...args],
    ...size,
    ...(home === undefined ? {} : { home }),
    env: { NODE_COMPILE_CACHE: compileCache },
  });

/** Ends a program as its user does, so that it also leaves its compile cache behind. */
export async function quit(terminal: Terminal): Promise<void> {
  await terminal.press('q');
  await terminal.waitForExit();
}

/** Writes a recording of made blocks 12 s apart, numbered from 1, as `gastop record` would; gives its path. */
export async function writeRecording(folder: string, count: number): Promise<string> {
  const path = join(folder, `${count}-blocks.jsonl`);
  const line = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
  const lines = function* () {
    yield line(encodeHeader(1));
    for (const block of makeBlocks(restlessSteps(count), { firstNumber: 1 })) yield line(encodeBlock(block));
  };
  await pipeline(Readable.from(lines()), createWriteStream(path));
  return path;
}

export const replayArgs = async ({ folder }: Workshop) => [
  ...['--replay', await writeRecording(folder, 5_000), '--speed', '12'],
];

export function shownBlock(rows: readonly string[]): number {
  return Number((/#([\d,]+)/.exec(rows[0] ?? '')?.[1] ?? '0').replaceAll(',', ''));
}
