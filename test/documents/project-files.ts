import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

export function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

export function exists(path: string): boolean {
  return existsSync(new URL(path, ROOT));
}

export function filesBelow(folder: string): readonly string[] {
  return readdirSync(fileURLToPath(new URL(folder, ROOT)), { recursive: true, encoding: 'utf8' });
}

export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export const ALL_DOCUMENTS: string = DOCUMENTS.map(read).join('\n');

/** The code blocks of a section of docs/INTEGRATE.md, in their order. */
export function examples(heading: string): readonly string[] {
  const [, section = ''] = read('docs/INTEGRATE.md').split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [own = ''] = section.split(/^## /m);
  return [...own.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}
