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

/** Modules by patterns of their paths below `src`, or of others. */
const modules = (paths: readonly string[], others = '$^') =>
  new RegExp(`/src/(${paths.join('|')})\\.tsx?$|${others}`);

/**
 * The parts of the program, each a file. A person waits while one is read, so each has what one step needs, and nothing that only
 * a later one does; what no part has is a file that is read when it is imported. A part takes the modules that it names, with
 * what these import, unless a part above it has them: the order counts.
 */
const PARTS: Readonly<Record<string, RegExp>> = {
  // Every command line.
  program: modules(['cli/main']),
  // Commands that ask a service, and small modules that a service or the monitor shares with them.
  client: modules(
    [
      'cli/(open-source|follow-snapshots|settings|config-file)',
      'client/(?!doctor|client|http|lenient|responses|wire-form|alert-preview|auto-tx-preflight)[\\w-]+',
      'client/views/(gas-texts|chain-status)',
      'core/([\\w-]+|alerts/[\\w-]+|engine/(recommendation|horizons))',
      'contract/choices|(service|chain)/async',
    ],
    '/asciichart/|oxc-project',
  ),
  // Sending requests, with `fetch` behind it: the monitor draws its frame before it is read.
  http: modules(['client/(client|http|http-errors)']),
  // Responses with prices: their schemas are made while the service responds.
  prices: modules(['client/(lenient|responses|wire-form|views/gas)', 'contract/(primitives|gas)']),
  // Trend and advice, which prices alone do not need.
  advice: modules(['client/views/advice|contract/advice']),
  // What views share with a service in this process, which needs no view but those of prices.
  rules: modules([
    'core/(auto-txs|transactions|threshold)/[\\w-]+|service/alerts/target-rules',
    'contract/(chain|estimate|api-error|queries|field-problems|alert-channels|alert-targets)',
  ]),
  // The monitor, and `history`, which draws without Ink.
  chart: modules(['tui/ui/chart-lines']),
  // Read before the monitor is loaded.
  remembered: modules(['tui/data/remembered']),
  // What views share with the routes of a service, other than those of prices, which it reads when one is called.
  contract: modules(['contract/[\\w-]+']),
  // Responses of all other routes: making their schemas takes as long as a request.
  views: modules(['client/(views/[\\w-]+|alert-preview|auto-tx-preflight)|cli/commands/resource']),
  // A service in this process, as far as prices need it.
  service: modules(['cli/open-service|service/http/routes/(route|gas)']),
  // The monitor's first frame.
  monitor: modules(['tui/app/start']),
  // The other routes of a service, one of which is called.
  routes: modules(['service/http/(routes/[\\w-]+|openapi)']),
  // The monitor with its panes.
  session: modules(['tui/app/session']),
};

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
    codeSplitting: {
      groups: Object.entries(PARTS).map(([name, test], at, { length }) => ({
        name,
        test,
        priority: length - at,
      })),
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
