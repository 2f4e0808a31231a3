/**
 * Writes what the documents have from the program itself: the tables of keys, flags, settings and exit codes, and the
 * man page. Run it after a change to any of them: `npm run docs`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import manifest from '../package.json' with { type: 'json' };
import { coinTable } from './docs/coins.ts';
import { exitCodesTable, flagsReference } from './docs/commands.ts';
import { keysTable } from './docs/keys-table.ts';
import { manPage } from './docs/man-page.ts';
import { withPart } from './docs/markdown.ts';
import { settingsTable, variablesTable } from './docs/settings.ts';

const ROOT = new URL('../', import.meta.url);

/** When a version came out, by the CHANGELOG: a day, or `unreleased`. */
export function releaseDate(changelog: string, version: string): string {
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version} – `));
  if (heading === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version} – …"`);
  return heading.slice(heading.indexOf(' – ') + 3).trim();
}

/** Each document that is written, or has parts that are, from what it was before and the CHANGELOG. */
export const WRITTEN: Readonly<Record<string, (before: string, changelog: string) => string>> = {
  'docs/MONITOR.md': (before) => withPart(before, 'keys', keysTable()),
  'docs/COMMANDS.md': (before) =>
    withPart(withPart(before, 'exit codes', exitCodesTable()), 'flags', flagsReference()),
  'docs/SETTINGS.md': (before) =>
    withPart(withPart(before, 'settings', settingsTable()), 'variables', variablesTable()),
  'src/core/coin-symbols.json': coinTable,
  'man/gastop.1': (_, changelog) =>
    manPage({ version: manifest.version, date: releaseDate(changelog, manifest.version) }),
};

if (import.meta.main) {
  const changelog = await readFile(new URL('CHANGELOG.md', ROOT), 'utf8');
  await mkdir(new URL('man/', ROOT), { recursive: true });
  for (const [path, write] of Object.entries(WRITTEN)) {
    const url = new URL(path, ROOT);
    const before = await readFile(url, 'utf8').catch(() => '');
    await writeFile(url, write(before, changelog));
  }
}
