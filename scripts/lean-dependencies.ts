import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';
import { builtinsWithoutNamespace } from './builtins-without-namespace.ts';
import { reactOnce } from './react-once.ts';

/**
 * zod's namespace object `z`, which `@hono/zod-openapi` imports, holds the messages of fifty languages: 267 kB, of
 * which only English is ever spoken here.
 */
const englishZod: Plugin = {
  name: 'english-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * The loader of Yoga, which is Ink's layout, asks `fetch` for the `data:` URL that it holds itself. That makes Node
 * load its whole HTTP client before the first frame; decoding the URL is the loader's own second way.
 */
const yogaWithoutFetch: Plugin = {
  name: 'yoga-without-fetch',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]yoga-wasm-base64-esm\.js$/ }, async ({ path }) => ({
      contents: await patched(path, ['"function"!=typeof fetch', 'true']),
    }));
  },
};

/**
 * ink-table makes a row's React key from a hash of what the row says: with every new price it would throw the row
 * away and lay out another one. With nothing hashed the row is its place, and Node's crypto is not loaded either.
 */
const tableRowsStay: Plugin = {
  name: 'table-rows-stay',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^object-hash$/ }, () => ({ path: 'object-hash', namespace: 'table-rows-stay' }));
    onLoad({ filter: /./, namespace: 'table-rows-stay' }, () => ({
      contents: "export const sha1 = () => '';",
    }));
  },
};

/** A dependency's source with some of its words changed, wherever they stand. */
async function patched(path: string, ...changes: readonly (readonly [string, string])[]): Promise<string> {
  let source = await readFile(path, 'utf8');
  for (const [before, after] of changes) {
    if (!source.includes(before))
      throw new Error(`${basename(path)} no longer says "${before}": read it again`);
    source = source.replaceAll(before, after);
  }
  return source;
}

/** What dependencies bring along and gastop must not pay for. */
export const leanDependencies: readonly Plugin[] = [
  builtinsWithoutNamespace,
  reactOnce,
  englishZod,
  yogaWithoutFetch,
  tableRowsStay,
];
