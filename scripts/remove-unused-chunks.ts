import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** esbuild writes a part also where the only `import()` of it was dead code: what no file names is not handed out. */
export async function removeUnusedChunks(folder: string): Promise<void> {
  const chunks = join(folder, 'chunks');
  for (;;) {
    const names = await readdir(chunks);
    const paths = [join(folder, 'main.js'), ...names.map((name) => join(chunks, name))];
    const program = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    const unused = names.filter((name) => !program.some((text) => text.includes(name)));
    if (unused.length === 0) return;
    await Promise.all(unused.map((name) => rm(join(chunks, name))));
  }
}
