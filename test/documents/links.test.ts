import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DOCUMENTS, exists, read } from './project-files.ts';

const LINK = /\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g;

function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutCode(markdown: string): string {
  return markdown
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]+`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

describe('links', () => {
  it.each(DOCUMENTS)('of %s lead to a file, and to a heading in it', (path) => {
    const broken = [...withoutCode(read(path)).matchAll(LINK)]
      .map((match) => match[1] ?? match[2] ?? '')
      .filter((link) => !/^https?:|^mailto:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : posix.join(posix.dirname(path), file);
        return !exists(target) || (anchor !== undefined && !anchorsOf(read(target)).has(anchor));
      });
    expect(broken).toEqual([]);
  });

  it('lead from the README to every document', () => {
    const readme = read('README.md');
    expect(DOCUMENTS.filter((path) => path !== 'README.md' && !readme.includes(`(${path})`))).toEqual([]);
  });
});

describe('the five ways of ARCHITECTURE.md', () => {
  const [, section = ''] =
    /^## Five ways, file by file$([\s\S]*?)^## /m.exec(read('docs/ARCHITECTURE.md')) ?? [];
  const ways = section
    .split('\n\n')
    .filter((paragraph) => paragraph.includes('→'))
    .map((way) =>
      [...way.matchAll(/`([a-z]+\/[a-z0-9/-]+)`/g)].map(
        ([, file]) => ['.ts', '.tsx'].map((end) => `src/${file}${end}`).find(exists) ?? `no src/${file}`,
      ),
    );

  it('are no longer than a reader follows', () => {
    const longest = [12, 8, 26, 13, 15];
    expect(ways.length).toBe(longest.length);
    for (const [place, most] of longest.entries()) expect(ways[place]?.length).toBeLessThanOrEqual(most);
  });

  it('and what they only ask are files that are there', () => {
    const named = [...section.matchAll(/`([a-z]+\/[a-z0-9/-]+)`/g)].map(([, file]) => `src/${file}`);
    expect(named.filter((file) => !exists(`${file}.ts`) && !exists(`${file}.tsx`))).toEqual([]);
  });

  it('pass files that are there, each tied to another of its way by an import', () => {
    expect(ways.flat().filter((file) => file.startsWith('no '))).toEqual([]);
    for (const way of ways) {
      const imports = (from: string, to: string) => read(from).includes(`/${posix.basename(to)}'`);
      const loose = way.filter(
        (file) => !way.some((other) => other !== file && (imports(file, other) || imports(other, file))),
      );
      expect(loose).toEqual([]);
    }
  });
});
