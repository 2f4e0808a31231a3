/**
 * Bundles `src/` into `dist/` (or the folder that is named): one file per lazily loaded part, no runtime
 * dependencies.
 */
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { escapeNonAscii } from './escape-non-ascii.ts';
import { findEverything } from './find-everything.ts';
import { leanDependencies } from './lean-dependencies.ts';
import { mergeChunks } from './merge-chunks.ts';
import { rawText } from './raw-text.ts';
import { removeUnusedChunks } from './remove-unused-chunks.ts';
import { thirdPartyLicences } from './third-party-licences.ts';

const folder = process.argv[2] ?? 'dist';

const define = {
  'process.env.NODE_ENV': '"production"',
  'process.env.GASTOP_VERSION': JSON.stringify(manifest.version),
};

/** Some CommonJS dependencies call `require` for Node's own modules. */
const banner =
  "import { createRequire as __gastopRequire } from 'node:module'; const require = __gastopRequire(import.meta.url);";

/** The launcher loads the program at run time, once it knows that this Node can. */
const mainStaysOutside: Plugin = {
  name: 'main-stays-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/cli\/main\.ts$/ }, () => ({ path: './main.js', external: true }));
  },
};

await rm(folder, { recursive: true, force: true });

// The launcher must parse on the Node versions it has to turn away, so it is built alone, for an old target.
await build({
  entryPoints: ['src/bin.ts'],
  outfile: join(folder, 'bin.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node16',
  plugins: [mainStaysOutside],
  define,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
await chmod(join(folder, 'bin.js'), 0o755);

const { metafile } = await build({
  entryPoints: { main: 'src/cli/main.ts' },
  outdir: folder,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.13',
  jsx: 'automatic',
  // Names stay: stack traces can be read, and `keepNames` would spend 10 ms before the first frame on giving them back.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  define,
  // Ink asks for them only with DEV=true and where they are installed.
  external: ['react-devtools-core'],
  plugins: [...leanDependencies.map(findEverything), rawText],
  chunkNames: 'chunks/[name]-[hash]',
  banner: { js: banner },
  metafile: true,
  logLevel: 'warning',
});

const MONITOR = ['src/cli/commands/live.ts', 'src/tui/app/start.tsx'];
/** What is read between the monitor's frame and its first prices, where the service runs in this process. */
const EMBEDDED = [
  'src/cli/open-service.ts',
  'src/cli/history-filled.ts',
  'src/chain/rpc-source.ts',
  'src/service/service.ts',
  'src/store/open-database.ts',
];
const ASKING = ['src/cli/commands/now.ts', 'src/cli/open-client.ts', 'src/client/client.ts'];

/** What the answers of single routes are held against. */
const SCHEMAS = ['dashboard', 'explorer', 'metrics', 'alerts', 'auto-txs'].map(
  (name) => `src/contract/${name}.ts`,
);

/** What blocks come from, and who reads and advises without a service. */
const RECORDED = [
  ...['record', 'backtest'].map((name) => `src/cli/commands/${name}.ts`),
  ...['rpc', 'replay', 'simulated'].map((name) => `src/chain/${name}-source.ts`),
];

const command = (...names: readonly string[]) => names.map((name) => `src/cli/commands/${name}.ts`);

/** Those that ask a service, wherever it is. */
function commands(): string[] {
  const others = new Set(['live', 'now', 'serve', 'keys', 'record', 'backtest']);
  const names = Object.values(metafile.outputs).map(({ entryPoint = '' }) => entryPoint);
  return names.filter((name) => {
    const command = /^src\/cli\/commands\/([\w-]+)\.ts$/.exec(name)?.[1];
    return command !== undefined && !others.has(command);
  });
}

await mergeChunks(folder, metafile, {
  banner,
  groups: [
    { name: 'program', parts: ['src/cli/main.ts'] },
    { name: 'shown', parts: MONITOR, sharedWith: ASKING },
    { name: 'monitor', parts: MONITOR },
    { name: 'client', parts: ASKING },
    // Of what the monitor starts, what others need too is apart: nobody reads what only the other one needs.
    { name: 'common', parts: EMBEDDED, sharedWith: [...SCHEMAS, ...commands()] },
    { name: 'blocks', parts: EMBEDDED, sharedWith: RECORDED },
    { name: 'database', parts: EMBEDDED, sharedWith: command('keys'), largest: Infinity },
    { name: 'embedded', parts: EMBEDDED },
    { name: 'set-up', parts: command('config', 'doctor') },
    { name: 'lookups', parts: command('block', 'tx', 'wait') },
    { name: 'gas-schemas', parts: ['src/contract/gas.ts'] },
    { name: 'schemas', parts: SCHEMAS },
    { name: 'commands', parts: commands() },
    { name: 'recordings', parts: command('record', 'backtest') },
    { name: 'keys', parts: command('keys') },
  ],
});
await removeUnusedChunks(folder);

await escapeNonAscii(folder);

await writeFile(
  join(folder, 'THIRD-PARTY-LICENCES.txt'),
  await thirdPartyLicences(Object.keys(metafile.inputs)),
);
