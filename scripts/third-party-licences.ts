import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const RULE = '-'.repeat(80);
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/** The licences of every package that a bundle of these input files holds: most ask to be handed on with it. */
export async function thirdPartyLicences(inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.flatMap((input) => packageFolder(input) ?? []));
  const parts = await Promise.all([...folders].sort().map(licenceOf));
  return `gastop contains the following packages.\n\n${parts.join('\n')}`;
}

/** The last `node_modules/<package>` on the way to a file. */
function packageFolder(input: string): string | null {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? null;
}

async function licenceOf(folder: string): Promise<string> {
  const manifest: Manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map((entry) => entry.name);
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), 'utf8')));
  const heading = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`;
  return [RULE, heading, RULE, ...texts.map((text) => text.trim()), ''].join('\n');
}
