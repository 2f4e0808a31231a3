import { build, type Plugin } from 'esbuild';
import { expect, it } from 'vitest';
import { findEverything } from '../scripts/find-everything.ts';

/** Takes the place of a file whose name matches. */
const replaces = (filter: RegExp): Plugin => ({
  name: 'replaces',
  setup({ onLoad }) {
    onLoad({ filter }, () => ({ contents: 'export const found = true;' }));
  },
});

const bundle = (filter: RegExp) =>
  build({
    stdin: { contents: "export * from './architecture.test.ts';", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    plugins: [findEverything(replaces(filter))],
  });

it('a build whose plugin finds its file is made with it', async () => {
  const { outputFiles } = await bundle(/architecture\.test\.ts$/);
  expect(outputFiles[0]?.text).toContain('found = true');
});

it('a build whose plugin finds nothing fails, and says which', async () => {
  await expect(bundle(/moved-elsewhere\.ts$/)).rejects.toThrow(/moved-elsewhere/);
});
