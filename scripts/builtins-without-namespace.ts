import { join, sep } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * A module namespace of one of Node's own reads all that the module offers, and some of it is made when it is first read:
 * `import { env } from 'node:process'` opens the standard streams.
 */
const COSTLY = ['process', 'util'] as const;

/** These take milliseconds to load, and none of their functions is called before the monitor's first prices. */
const LATE = ['crypto', 'zlib'] as const;
/** Who asks them for functions alone, which may find the module when they are first called. */
const ASK_FUNCTIONS = [join(import.meta.dirname, '..', 'src') + sep, join('@noble', 'hashes') + sep];

/** What commander would start commands of other files with: there are none. */
const UNUSED_BY_COMMANDER = 'child_process';

/** Takes from Node's own modules only what is asked for, and from some of them only once it is called. */
export const builtinsWithoutNamespace: Plugin = {
  name: 'builtins-without-namespace',
  setup({ onResolve, onLoad }) {
    const namespace = 'builtins-without-namespace';
    const late = 'late-builtins';
    const anyOf = (names: readonly string[]) => new RegExp(`^(?:node:)?(?:${names.join('|')})$`);
    const bare = (path: string) => path.replace(/^node:/, '');
    onResolve({ filter: anyOf(COSTLY) }, ({ path, kind }) =>
      kind === 'import-statement' ? { path: bare(path), namespace } : undefined,
    );
    onResolve({ filter: anyOf(LATE) }, ({ path, importer }) =>
      ASK_FUNCTIONS.some((part) => importer.includes(part))
        ? { path: bare(path), namespace: late }
        : undefined,
    );
    onResolve({ filter: anyOf([UNUSED_BY_COMMANDER]) }, ({ path, importer }) =>
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
    onLoad({ filter: /./, namespace: late }, async ({ path }) => {
      // What is no plain function has no export here, so that the build says who asks for it.
      const all: Record<string, unknown> = await import(`node:${path}`);
      const names = Object.keys(all).filter((name) => /^[a-z]/.test(name) && typeof all[name] === 'function');
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ of('${name}');`);
      return {
        contents: `
          const of = (name) => (...args) => process.getBuiltinModule('node:${path}')[name](...args);
          ${exports.join('\n')}`,
      };
    });
  },
};
