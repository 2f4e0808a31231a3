import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** `?raw` is a file's text; of a `.ts` file the script that it and what it imports are for a browser. */
export async function textOf(path: string): Promise<string> {
  if (!path.endsWith('.ts')) return readFile(path, 'utf8');
  const browser = {
    bundle: true,
    format: 'esm',
    target: 'es2024',
    write: false,
    logLevel: 'warning',
  } as const;
  const { outputFiles } = await build({ entryPoints: [path], ...browser });
  return outputFiles[0]?.text ?? '';
}

export const rawText: Plugin = {
  name: 'raw-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?raw$/, '')),
      namespace: 'raw-text',
    }));
    onLoad({ filter: /.*/, namespace: 'raw-text' }, async ({ path }) => ({
      contents: await textOf(path),
      loader: 'text',
    }));
  },
};
