/**
 * Bundles `src/` into `dist/` (or the folder that is named): the launcher, the program, and a few parts that are loaded
 * when they are needed (the monitor, a service in this process); beside it what programs import, with its declarations.
 * There are no runtime dependencies.
 */
import { execFile } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin, transform } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { rawText } from './raw-text.ts';
import { thirdPartyLicences } from './third-party-licences.ts';

const folder = process.argv[2] ?? 'dist';

const define = {
  'process.env.NODE_ENV': '"production"',
  'process.env.GASTOP_VERSION': JSON.stringify(manifest.version),
};

/** Some CommonJS dependencies call `require` for Node's own modules. */
const banner =
  "import { createRequire as __gastopRequire } from 'node:module'; const require = __gastopRequire(import.meta.url);";

/** Has what matches `filter` imported at run time, from where it is built. */
const outside = (filter: RegExp, path: string): Plugin => ({
  name: `outside ${path}`,
  setup({ onResolve }) {
    onResolve({ filter }, () => ({ path, external: true }));
  },
});

/** Stands in for a package's file of which gastop uses next to nothing. */
const inPlaceOf = (filter: RegExp, contents: string): Plugin => ({
  name: `in place of ${filter}`,
  setup({ onLoad }) {
    onLoad({ filter }, () => ({ contents }));
  },
});

/** zod's namespace object `z` holds the messages of fifty languages: 267 kB, of which gastop uses the English ones. */
const englishZod = inPlaceOf(
  /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/,
  "export { default as en } from './en.js';",
);

/** nodemailer knows two thousand types of attached files: 90 kB. gastop's mails have none. */
const mailWithoutAttachments = inPlaceOf(
  /[\\/]nodemailer[\\/].*[\\/]mime-types\.js$/,
  "export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin';",
);

/**
 * Short names inside packages: a twentieth of the download. Ours stay, so that stack traces can be read; `keepNames` would
 * spend 10 ms before the first frame on giving them back.
 */
const shortNamesOfOthers: Plugin = {
  name: 'short-names-of-others',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const format = /^(import|export)\b/m.test(source) ? 'esm' : undefined;
      const { code } = await transform(source, { format, minifyIdentifiers: true });
      return { contents: code };
    });
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
  // It loads the program at run time, once it knows that this Node can.
  plugins: [outside(/^\.\/cli\/main\.ts$/, './main.js')],
  define,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
await chmod(join(folder, 'bin.js'), 0o755);

const programBuild = build({
  entryPoints: { main: 'src/cli/main.ts' },
  outdir: folder,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.13',
  jsx: 'automatic',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  define,
  external: [
    // Ink asks for them only with DEV=true and where they are installed.
    'react-devtools-core',
    // viem's `call`, which is not used, imports it: what is imported at run time counts as used, and so does all behind it.
    '../../utils/ccip.js',
  ],
  plugins: [englishZod, mailWithoutAttachments, rawText, shortNamesOfOthers],
  alias: { '@modelcontextprotocol/server/_shims': './scripts/mcp-shims.js' },
  chunkNames: 'chunks/[name]-[hash]',
  banner: { js: banner },
  metafile: true,
  logLevel: 'warning',
});

/** For programs: no Node built-ins, so that browsers, Deno and Bun run them too. */
const forPrograms = {
  bundle: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2024',
  minify: true,
  legalComments: 'none',
  define,
  metafile: true,
  logLevel: 'warning',
} as const;
const clientBuild = build({
  ...forPrograms,
  entryPoints: ['src/client/index.ts'],
  outfile: join(folder, 'client.js'),
  plugins: [englishZod],
});
const feesBuild = build({
  ...forPrograms,
  entryPoints: ['src/viem.ts'],
  outfile: join(folder, 'viem.js'),
  plugins: [outside(/^\.\/client\/index\.ts$/, './client.js')],
});

// The declarations ask TypeScript, which takes as long as all else.
const declarations = promisify(execFile)(process.execPath, [
  join(import.meta.dirname, 'declarations.ts'),
  folder,
]);
const [program, client, fees] = await Promise.all([programBuild, clientBuild, feesBuild, declarations]);

// What viem imports at run time has a chunk even where the function that does was left out.
const imported = new Set(
  Object.values(program.metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)),
);
for (const path of Object.keys(program.metafile.outputs)) {
  if (path.includes('/chunks/') && !imported.has(path)) await rm(path);
}

const bundled = [program, client, fees].flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), await thirdPartyLicences([...new Set(bundled)]));
