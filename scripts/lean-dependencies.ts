import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

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
    onLoad({ filter: /[\\/]yoga-wasm-base64-esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace('"function"!=typeof fetch', 'true');
      if (contents === source) throw new Error('Yoga is loaded another way now: see yoga-without-fetch');
      return { contents };
    });
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

/** What dependencies bring along and gastop must not pay for. */
export const leanDependencies: readonly Plugin[] = [englishZod, yogaWithoutFetch, tableRowsStay];
