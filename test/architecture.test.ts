import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '..', 'src');

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: [],
  chain: ['core', 'contract'],
  store: ['core', 'contract'],
  client: ['core', 'contract'],
  service: ['core', 'contract', 'chain', 'store'],
  tui: ['core', 'contract', 'client'],
  'viem.ts': ['client'],
  mcp: ['core', 'contract', 'client'],
  cli: ['core', 'contract', 'chain', 'store', 'client', 'service', 'tui', 'mcp'],
  'bin.ts': ['cli'],
};

/** Packages that belong to one folder, so that what they cost is loaded only there. */
const OWNER: Readonly<Record<string, readonly string[]>> = {
  viem: ['core', 'chain', 'viem.ts'],
  ws: ['chain'],
  '@noble/curves': ['core'],
  kysely: ['store'],
  pg: ['store'],
  'node:sqlite': ['store'],
  ky: ['client'],
  hono: ['service'],
  '@hono/node-server': ['service'],
  pino: ['service'],
  nodemailer: ['service'],
  ink: ['tui'],
  react: ['tui'],
  'ink-table': ['tui'],
  chalk: ['tui'],
  '@tanstack/react-query': ['tui'],
  asciichart: ['tui', 'cli'],
  commander: ['cli'],
  '@modelcontextprotocol/server': ['mcp'],
};

const IMPURE = [
  /\bDate\.now\b/,
  /\bnew Date\(\s*\)/,
  /\bMath\.random\b/,
  /\bperformance\b/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
  /\bqueueMicrotask\b/,
  /\bprocess\b\s*[.[]/,
  /\bfetch\s*\(/,
  /\bcrypto\b\s*\./,
  /['"]node:/,
];

interface SourceFile {
  readonly path: string;
  readonly area: string;
  readonly text: string;
  readonly code: string;
  readonly imports: readonly string[];
}

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => readSource(relative(SRC, join(entry.parentPath, entry.name)).split(sep).join('/')));

function readSource(path: string): SourceFile {
  const text = readFileSync(join(SRC, path), 'utf8');
  const code = withoutComments(text);
  return { path, area: path.split('/')[0] ?? path, text, code, imports: importsOf(code) };
}

function withoutComments(text: string): string {
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(token, (found) => (found.startsWith('/') ? ' ' : found));
}

function importsOf(code: string): string[] {
  const specifier = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s*)(?:'([^'\n]+)'|"([^"\n]+)")/g;
  return [...code.matchAll(specifier)].map((match) => match[1] ?? match[2] ?? '');
}

function targetArea(file: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(file.path), specifier).split('/')[0] ?? '';
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

const importsOfAll = (
  some: readonly SourceFile[],
  isWrong: (specifier: string, file: SourceFile) => boolean,
) =>
  some.flatMap((file) =>
    file.imports
      .filter((specifier) => isWrong(specifier, file))
      .map((specifier) => `${file.path} imports ${specifier}`),
  );

/** What is loaded with a file, at once or later: types are not. */
function valueImportsOf({ path, code }: Pick<SourceFile, 'path' | 'code'>): readonly string[] {
  const statement = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:([^'"]*?)\bfrom\s*)?'(\.[^'\n]+)'/g;
  const isTyped = (clause: string) =>
    /^\{\s*(?:type\s+[^,}]+,?\s*)+\}\s*$/.test(clause.trim()) && !clause.includes('*');
  const loaded = [...code.matchAll(statement)]
    .filter(([, clause = '']) => !isTyped(clause))
    .map(([, , specifier = '']) => specifier);
  const later = [...code.matchAll(/\bimport\(\s*'(\.[^'\n]+)'\s*\)(?!\.[A-Z])/g)].map(
    ([, specifier = '']) => specifier,
  );
  return [...new Set([...loaded, ...later])].map((specifier) => posix.join(posix.dirname(path), specifier));
}

/** Groups of files each of which loads every other, by whatever way (Tarjan's strongly connected components). */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const place = order.size;
    order.set(file, place);
    open.push(file);
    let low = place;
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === place) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

/** Names of two things, with the reason. */
const TWICE: Readonly<Record<string, string>> = {
  AutoTxStatus: 'the contract and the state machine have the same words, and core imports no contract',
  ChainRules: 'the wire form of what core has under this name',
  UsualGas: 'the wire form of what core has under this name',
};

it('an exported name is that of one thing, but for those with a reason', () => {
  const places = new Map<string, string[]>();
  const declaration =
    /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
  for (const { path, code } of files) {
    if (path.includes('/playground/page/')) continue;
    for (const name of new Set([...code.matchAll(declaration)].map(([, found = '']) => found)))
      places.set(name, [...(places.get(name) ?? []), path]);
  }
  expect(places.size).toBeGreaterThan(1_000);
  const twice = [...places].filter(([name, paths]) => paths.length > 1 && !(name in TWICE));
  expect(twice).toEqual([]);
  expect(Object.keys(TWICE).filter((name) => (places.get(name)?.length ?? 0) < 2)).toEqual([]);
});

it('no files import values of each other, later ones included', () => {
  const graph = new Map(files.map((file) => [file.path, valueImportsOf(file)]));
  expect([...graph.values()].flat().length).toBeGreaterThan(1_000);
  expect(circlesOf(graph)).toEqual([]);
});

describe('the import rule', () => {
  it('knows every folder of src', () => {
    expect([...new Set(files.map((file) => file.area))].filter((area) => !(area in MAY_IMPORT))).toEqual([]);
  });

  it.each(Object.keys(MAY_IMPORT))('%s imports only what stands before it', (area) => {
    const own = files.filter((file) => file.area === area);
    const wrong = importsOfAll(own, (specifier, file) => {
      const target = targetArea(file, specifier);
      return specifier.startsWith('.') && target !== area && !MAY_IMPORT[area]?.includes(target);
    });
    expect(wrong).toEqual([]);
  });

  it('what the panes share knows no pane', () => {
    const shared = files.filter(({ path }) => /^tui\/(?:ui|input|data|chrome)\//.test(path));
    const wrong = importsOfAll(shared, (specifier, { path }) =>
      posix.join(posix.dirname(path), specifier).startsWith('tui/panes/'),
    );
    expect(wrong).toEqual([]);
  });

  it('each package is imported by the folder that owns it only', () => {
    const wrong = importsOfAll(
      files,
      (specifier, { area }) =>
        !specifier.startsWith('.') && OWNER[packageOf(specifier)]?.includes(area) === false,
    );
    expect(wrong).toEqual([]);
  });

  it('imports of ours carry their extension', () => {
    const wrong = importsOfAll(
      files,
      (specifier) => specifier.startsWith('.') && !/\.(?:tsx?|json|\w+\?raw)$/.test(specifier),
    );
    expect(wrong).toEqual([]);
  });
});

it('core is pure: no clock, chance, timers, process or Node modules', () => {
  const wrong = files
    .filter((file) => file.area === 'core')
    .flatMap((file) =>
      IMPURE.filter((pattern) => pattern.test(file.code)).map((pattern) => `${file.path}: ${pattern}`),
    );
  expect(wrong).toEqual([]);
});

it('the checks themselves see every way of importing and are not fooled by comments', () => {
  const code = withoutComments(`
    import { a } from './a.ts'; // from './comment.ts'
    import type { B } from "../b/b.ts";
    import './effect.ts';
    export { c } from './c.ts';
    export * from './d.ts';
    /* import('./no.ts') */
    const url = 'https://example.org'; const late = await import('./late.ts');
    type T = import('./type.ts').T;
  `);
  expect(importsOf(code)).toEqual([
    './a.ts',
    '../b/b.ts',
    './effect.ts',
    './c.ts',
    './d.ts',
    './late.ts',
    './type.ts',
  ]);
});

it('the search for circles goes by values, at once and later, and by no type', () => {
  const code = withoutComments(`
    import { a, type A } from './a.ts';
    import type { B } from './b.ts';
    import { type C, type D } from './c.ts';
    import * as all from './all.ts';
    export { e } from './e.ts';
    import './effect.ts';
    const late = await import('./late.ts');
    type T = import('./type.ts').T;
  `);
  expect(valueImportsOf({ path: 'x/y.ts', code })).toEqual(
    ['a', 'all', 'e', 'effect', 'late'].map((name) => `x/${name}.ts`),
  );
  const graph = new Map([
    ['one', ['two', 'four']],
    ['two', ['three']],
    ['three', ['one']],
    ['four', ['five']],
    ['five', []],
  ]);
  expect(circlesOf(graph)).toEqual([['one', 'three', 'two']]);
  expect(circlesOf(new Map([...graph, ['three', ['five']]]))).toEqual([]);
});
