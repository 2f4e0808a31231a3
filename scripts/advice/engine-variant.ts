import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'rolldown';
import type { scoresOf } from './score.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Other values for constants of the engine: `{ 'src/core/engine/lane-caps.ts': { KEPT_SHARE: 0.9 } }`. */
export type Changes = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface EngineVariant {
  readonly scoresOf: typeof scoresOf;
  close(): Promise<void>;
}

/**
 * The engine and its backtest with other constants, bundled afresh.
 * @throws Error where a constant is not to be found: it was renamed, and nothing would be varied.
 */
export async function engineVariant(changes: Changes): Promise<EngineVariant> {
  const folder = await mkdtemp(join(tmpdir(), 'gastop-variant-'));
  const found = new Set<string>();
  await build({
    input: join(ROOT, 'scripts/advice/score.ts'),
    platform: 'node',
    plugins: [withConstants(changes, found)],
    output: { file: join(folder, 'score.mjs') },
  });
  const lost = Object.keys(changes).filter((path) => !found.has(path));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} is no part of the engine`);
  const loaded = (await import(pathToFileURL(join(folder, 'score.mjs')).href)) as {
    scoresOf: typeof scoresOf;
  };
  return { scoresOf: loaded.scoresOf, close: () => rm(folder, { recursive: true, force: true }) };
}

function withConstants(changes: Changes, found: Set<string>): Plugin {
  return {
    name: 'other-constants',
    async load(path) {
      const name = relative(ROOT, path).replaceAll('\\', '/');
      const values = changes[name];
      if (values === undefined) return undefined;
      found.add(name);
      return changed(await readFile(path, 'utf8'), values, name);
    },
  };
}

/** The module with its `const NAME = …;` lines changed. */
export function changed(text: string, values: Readonly<Record<string, number>>, name: string): string {
  let contents = text;
  for (const [constant, value] of Object.entries(values)) {
    const line = new RegExp(`^((?:export )?const ${constant} = )[^;\\n]+;$`, 'm');
    if (!line.test(contents)) throw new Error(`${name} has no constant ${constant}`);
    contents = contents.replace(line, `$1${value};`);
  }
  return contents;
}
