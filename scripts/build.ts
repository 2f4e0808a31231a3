/**
 * Bundles `src/` into `dist/` (or the folder that is named): the launcher, the program, and a few parts that are loaded
 * when they are needed (the monitor, a service in this process); beside it what programs import, with its declarations.
 * There are no runtime dependencies.
 */
import { execFile } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type OutputOptions, type Plugin } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { rawText } from './raw-text.ts';
import { thirdPartyLicences } from './third-party-licences.ts';

const folder = process.argv[2] ?? 'dist';

const define = {
  'process.env.NODE_ENV': '"production"',
  'process.env.GASTOP_VERSION': JSON.stringify(manifest.version),
};

/** Has `module` imported at run time, from where it is built. */
const outside = (module: string, path: string): Plugin => ({
  name: `outside ${path}`,
  resolveId: (id) => (id === module ? { id: path, external: true } : undefined),
});

/** Stands in for a package's file of which gastop uses next to nothing. */
const inPlaceOf = (path: string, code: string): Plugin => ({
  name: `in place of ${path}`,
  load: (id) => (id.replaceAll('\\', '/').endsWith(path) ? { code, moduleType: 'js' } : undefined),
});

/** zod's namespace object `z` holds the messages of fifty languages: 267 kB, of which gastop uses the English ones. */
const englishZod = inPlaceOf('/zod/v4/locales/index.js', "export { default as en } from './en.js';");

/** nodemailer knows two thousand types of attached files: 90 kB. gastop's mails have none. */
const mailWithoutAttachments = inPlaceOf(
  '/mime-funcs/mime-types.js',
  "export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin';",
);

/** Importing `node:process` has Node make all that a process can do: 1 ms of each start. The global object is the same. */
const globalProcess: Plugin = {
  name: 'global process',
  resolveId: (id) => (id === 'node:process' ? 'global-process' : undefined),
  load: (id) =>
    id === 'global-process'
      ? 'export default process; export const { cwd, env, kill, pid } = process;'
      : undefined,
};

/** Commander would start programs for commands that have a file of their own; gastop has none: 1 ms of each start. */
const noOtherPrograms: Plugin = {
  name: 'no other programs',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('commander') ? 'no-other-programs' : undefined,
  load: (id) => (id === 'no-other-programs' ? 'export default {};' : undefined),
};

/** What documents alone say of a setting: 5 kB that each start would read. */
const withoutDocuments: Plugin = {
  name: 'without what documents say',
  transform: (code, id) =>
    id.endsWith('settings-table.ts') ? code.replaceAll(/^\s*docs: .*,$/gm, '') : undefined,
};

await rm(folder, { recursive: true, force: true });

// The launcher must parse on the Node versions it has to turn away, so it is built alone, for an old target.
await build({
  input: 'src/bin.ts',
  platform: 'node',
  transform: { target: 'node16', define },
  // It loads the program at run time, once it knows that this Node can.
  plugins: [outside('./cli/main.ts', './main.js')],
  output: { file: join(folder, 'bin.js'), banner: '#!/usr/bin/env node', comments: false },
});
await chmod(join(folder, 'bin.js'), 0o755);

/** Names of functions and classes stay, so that stack traces can be read. */
const output: OutputOptions = {
  dir: folder,
  comments: false,
  minify: { compress: true, mangle: { keepNames: true }, codegen: true },
};

/** What sends requests, with `fetch` behind it: the monitor draws its frame before it is read. */
const HTTP = /\/src\/client\/(client|http|http-errors)\.ts$/;
/** What reads responses with prices: its schemas are made while the service responds. */
const PRICES =
  /\/src\/client\/(lenient|responses|wire-form|views\/gas-responses)\.ts$|\/src\/contract\/(primitives|gas)\.ts$/;
/** What reads trend and advice. */
const ADVICE = /\/src\/client\/views\/advice-responses\.ts$|\/src\/contract\/advice\.ts$/;
/** What every command needs that asks a service for prices, and small files that a service or the monitor shares with it. */
const CLIENT = new RegExp(
  [
    '/cli/(open-source|follow-snapshots|settings|config-file)\\.ts$|/src/client/(?!doctor)[\\w-]+\\.ts$',
    '/src/client/views/(gas|chain-status)\\.ts$|/src/core/engine/(recommendation|horizons)\\.ts$',
    '/src/core/([\\w-]+\\.ts$|alerts/)|/src/contract/choices\\.ts$|/src/(service|chain)/async\\.ts$|/asciichart/|oxc-project',
  ].join('|'),
);
/** What reads the answers of all other routes: making its schemas takes as long as a request. */
const VIEWS = /\/src\/client\/(views\/|alert-preview|auto-tx-preflight)|\/commands\/resource\.ts$/;
/** What the views share with a service in this process, which needs no view but those of prices. */
const RULES = new RegExp(
  [
    '/src/core/(auto-txs|transactions|threshold)/|/target-rules\\.ts$',
    '/src/contract/(chain|estimate|api-error|queries|field-problems|alert-channels|alert-targets)\\.ts$',
  ].join('|'),
);
/** What they share with routes other than those of prices, which a service reads when one is called. */
const CONTRACT = /\/src\/contract\//;

const program = build({
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  transform: { target: 'node22.13', define },
  // Ink asks for them only with DEV=true and where they are installed.
  external: ['react-devtools-core'],
  plugins: [englishZod, mailWithoutAttachments, globalProcess, noOtherPrograms, withoutDocuments, rawText],
  resolve: { alias: { '@modelcontextprotocol/server/_shims': join(import.meta.dirname, 'mcp-shims.js') } },
  // React Query's `'use client'` means nothing here.
  checks: { moduleLevelDirective: false, ineffectiveDynamicImport: false },
  output: {
    ...output,
    chunkFileNames: 'chunks/[name]-[hash].js',
    // One file for each of what the program, its commands, a service in this process and the monitor begin with.
    codeSplitting: {
      groups: [
        { name: 'program', test: /\/cli\/main\.ts$/, priority: 4 },
        // What commands share that ask a service: in no chunk of those below.
        {
          ...{ name: 'client', priority: 3 },
          test: (file: string) =>
            CLIENT.test(file) &&
            !HTTP.test(file) &&
            !PRICES.test(file) &&
            (/views\/(gas|chain-status)/.test(file) || !VIEWS.test(file)),
        },
        { name: 'http', test: HTTP, priority: 2.5 },
        { name: 'prices', test: PRICES, priority: 2.4 },
        { name: 'advice', test: ADVICE, priority: 2.3 },
        { name: 'rules', test: RULES, priority: 2 },
        { name: 'contract', test: CONTRACT, priority: 1.5 },
        { name: 'views', test: VIEWS, priority: 1 },
        // Of the monitor and of `history`, which draws without Ink.
        { name: 'chart', test: /\/tui\/ui\/chart-lines\.ts$/, priority: 2 },
        // Read before the monitor is loaded.
        { name: 'remembered', test: /\/tui\/data\/remembered\.ts$/, priority: 2 },
        { name: 'service', test: /\/cli\/open-service\.ts$|\/http\/routes\/(route|gas)\.ts$/, priority: 1 },
        { name: 'routes', test: /\/http\/(routes\/|openapi\.ts$)/, priority: 0 },
        { name: 'monitor', test: /\/tui\/app\/start\.tsx$/, priority: 0.5 },
        { name: 'session', test: /\/tui\/app\/session\.tsx$/, priority: 0 },
      ],
    },
  },
});

/** Programs word amounts themselves; a file of their own would have to be imported. */
const withoutCoins = inPlaceOf('/core/coin-symbols.json', 'export default {};');

/** For programs: no Node built-ins, so that browsers, Deno and Bun run them too. */
const forPrograms = (name: string, input: string, plugin: Plugin) =>
  build({
    input: { [name]: input },
    platform: 'browser',
    transform: { target: 'es2024', define },
    plugins: [plugin, withoutCoins],
    output: { ...output, minify: true, codeSplitting: false },
  });

// The declarations ask TypeScript, which takes as long as all else.
const declarations = promisify(execFile)(process.execPath, [
  join(import.meta.dirname, 'declarations.ts'),
  folder,
]);
const [bundles] = await Promise.all([
  Promise.all([
    program,
    forPrograms('client', 'src/client/index.ts', englishZod),
    forPrograms('viem', 'src/viem.ts', outside('./client/index.ts', './client.js')),
  ]),
  declarations,
]);

const bundled = bundles
  .flatMap(({ output }) => output)
  .flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), await thirdPartyLicences(bundled));
