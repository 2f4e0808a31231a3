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

it('the three ways of ARCHITECTURE.md are as short as they are meant to be, and every file on them is there', () => {
  const [, section = ''] =
    /^## Three ways, file by file$([\s\S]*?)^## /m.exec(read('docs/ARCHITECTURE.md')) ?? [];
  const ways = section.split('\n\n').filter((paragraph) => paragraph.includes('→'));
  const files = ways.map((way) =>
    [...way.matchAll(/`([a-z-]+\/[a-z/-]+)`/g)].map(([, file]) => `src/${file}.ts`),
  );
  expect(files.map((way) => way.length)).toEqual([25, 13, 21]);
  expect(files.flat().filter((file) => !exists(file))).toEqual([]);
});
