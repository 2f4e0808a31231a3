import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const require = createRequire(import.meta.url);
const NODE_MODULES = join(import.meta.dirname, '../node_modules');
const FILES: Readonly<Record<string, string>> = {
  react: 'react/index.js',
  'react/jsx-runtime': 'react/jsx-runtime.js',
};

/**
 * React is CommonJS: each file that imports it is given a namespace object of its own, into which all that React
 * exports is copied, two hundred times before the first frame. Here it is taken apart once, for all of them.
 */
export const reactOnce: Plugin = {
  name: 'react-once',
  setup({ onResolve, onLoad }) {
    const namespace = 'react-once';
    onResolve({ filter: /^react(?:\/jsx-runtime)?$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => {
      const names = Object.keys(require(path)).filter((name) => name !== 'default');
      const file = join(NODE_MODULES, FILES[path] ?? path);
      return {
        resolveDir: NODE_MODULES,
        contents: `
          import whole from ${JSON.stringify(file)};
          export default whole;
          ${names.map((name) => `export const ${name} = whole.${name};`).join('\n')}`,
      };
    });
  },
};
