import type { Plugin } from 'esbuild';

/**
 * A module namespace of one of Node's own reads all that the module offers, and some of it is made when it is first read:
 * `import { env } from 'node:process'` opens the standard streams.
 */
const COSTLY = ['process', 'util'] as const;

/** What commander would start commands of other files with: there are none. */
const UNUSED_BY_COMMANDER = 'child_process';

/** Takes from Node's own modules only what is asked for. */
export const builtinsWithoutNamespace: Plugin = {
  name: 'builtins-without-namespace',
  setup({ onResolve, onLoad }) {
    const namespace = 'builtins-without-namespace';
    onResolve({ filter: new RegExp(`^(?:node:)?(?:${COSTLY.join('|')})$`) }, ({ path, kind }) =>
      kind === 'import-statement' ? { path: path.replace(/^node:/, ''), namespace } : undefined,
    );
    onResolve({ filter: new RegExp(`^(?:node:)?${UNUSED_BY_COMMANDER}$`) }, ({ path, importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, async ({ path }) => {
      if (path.endsWith(UNUSED_BY_COMMANDER)) return { contents: 'export default {};' };
      const names = Object.keys(await import(`node:${path}`)).filter(
        (name) => /^[a-z]\w*$/i.test(name) && name !== 'default',
      );
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ of('${name}');`);
      return {
        contents: `
          const builtin = process.getBuiltinModule('node:${path}');
          const of = (name) => builtin[name];
          export default builtin;
          ${exports.join('\n')}`,
      };
    });
  },
};
