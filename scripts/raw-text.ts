import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'rolldown';

/** `?raw` is a file's text; of a `.ts` file the script that it and what it imports are for a browser. For rolldown and Vite. */
export const rawText = {
  name: 'raw-text',
  enforce: 'pre' as const,
  resolveId: (path: string, importer?: string) =>
    path.endsWith('?raw') && importer !== undefined ? join(dirname(importer), path) : undefined,
  load: async (id: string) =>
    id.endsWith('?raw')
      ? { code: `export default ${JSON.stringify(await textOf(id.slice(0, -4)))}`, moduleType: 'js' as const }
      : undefined,
};

async function textOf(path: string): Promise<string> {
  if (!path.endsWith('.ts')) return readFile(path, 'utf8');
  const { output } = await build({
    input: path,
    platform: 'browser',
    transform: { target: 'es2024' },
    write: false,
  });
  return output[0].code;
}
