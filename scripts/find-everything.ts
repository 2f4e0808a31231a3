import type { Plugin } from 'esbuild';

/**
 * The plugin, and the build fails where it finds no file for one of its filters: a dependency has moved what is changed
 * there, and would be bundled as it is without a word.
 */
export function findEverything({ name, setup }: Plugin): Plugin {
  return {
    name,
    setup(build) {
      const missing = new Set<RegExp>();
      build.onEnd(() => ({
        errors: [...missing].map(({ source }) => ({
          text: `${name} finds nothing at ${source}: read it again`,
        })),
      }));
      return setup({
        ...build,
        onLoad(options, load) {
          missing.add(options.filter);
          build.onLoad(options, (found) => {
            missing.delete(options.filter);
            return load(found);
          });
        },
      });
    },
  };
}
