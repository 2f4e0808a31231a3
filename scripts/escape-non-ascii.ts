import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Escapes what esbuild leaves as it is: characters in regular expressions. V8 keeps a text with a single character
 * beyond Latin-1 at two bytes a character, and reads it more slowly; the monitor's file is over a megabyte.
 */
export async function escapeNonAscii(folder: string): Promise<void> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js'));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const text = await readFile(path, 'utf8');
      // Two characters that mean one: the second, escaped by itself, would mean something else.
      if (/\\[^\0-\x7f]/.test(text))
        throw new Error(`${name} has a backslash before a character beyond ASCII`);
      const escaped = text.replaceAll(/[^\0-\x7f]/g, (unit) => {
        return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      });
      if (escaped !== text) await writeFile(path, escaped);
    }),
  );
}
