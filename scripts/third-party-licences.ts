import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
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
  if (texts.length === 0) texts.push(withoutFile(manifest));
  const heading = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`;
  return [RULE, heading, RULE, ...texts.map((text) => text.trim()), ''].join('\n');
}

/** For a package that names its licence and brings no text of it. */
function withoutFile({ name, license, author }: Manifest): string {
  if (license !== 'MIT') throw new Error(`${name} has no text of its licence: write it here`);
  const holder = typeof author === 'string' ? author : author?.name;
  return `Copyright (c) ${holder ?? `the authors of ${name}`}\n\n${MIT}`;
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
