import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { GASTOP } from '../helpers/gastop.ts';

const DIST = dirname(GASTOP);
const CHUNKS = readdirSync(join(DIST, 'chunks'));

/** The file of a lazily loaded part, by the name of its source. */
function partFile(name: string): string {
  const file = CHUNKS.find((each) => new RegExp(`^${name}-[A-Z0-9]{8}\\.js$`).test(each));
  if (file === undefined) throw new Error(`the bundle has no ${name}`);
  return join(DIST, 'chunks', file);
}

/** What Node reads to load `files`. */
function loadedWith(files: readonly string[], loaded = new Set<string>()): Set<string> {
  for (const file of files) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    const statements = readFileSync(file, 'utf8').matchAll(/\bimport(?:\{[^{}"]*\}from)?"(\.[^"]+)"/g);
    loadedWith(
      [...statements].map(([, path = '']) => join(dirname(file), path)),
      loaded,
    );
  }
  return loaded;
}

test('each part of the bundle loads, in whatever order', () => {
  // Ink's, for developers who have its tools installed.
  const parts = CHUNKS.filter((name) => !name.startsWith('devtools-')).toReversed();
  expect(parts.length).toBeGreaterThan(20);
  const program = `for (const part of ${JSON.stringify(parts)}) await import('./' + part);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(DIST, 'chunks'),
    encoding: 'utf8',
  });
  expect(stderr.replaceAll(/^.*SQLite.*$|^\(Use `node --trace-warnings.*$/gm, '').trim()).toBe('');
  expect(status).toBe(0);
});

/** What costs to load, each with words that nothing but it has. */
const HEAVY = {
  Ink: /yoga/,
  'elliptic curves': /weierstrass/,
  zod: /ZodError/,
  Kysely: /withoutPlugins/,
  SQLite: /node:sqlite/,
  Hono: /HonoRequest/,
  pino: /pino/,
  ky: /HTTPError/,
} as const;

function heavyIn(files: Iterable<string>): string[] {
  const sources = [...files].map((file) => readFileSync(file, 'utf8'));
  return Object.entries(HEAVY).flatMap(([name, words]) =>
    sources.some((source) => words.test(source)) ? [name] : [],
  );
}

test('all that costs to load is in some part', () => {
  const files = CHUNKS.map((name) => join(DIST, 'chunks', name));
  expect(heavyIn(files)).toEqual(Object.keys(HEAVY));
});

test.each([
  ['completion', []],
  ['config', []],
  ['doctor', []],
  ['now', []],
  ['wait', []],
  ['block', []],
  ['tx', []],
  ['history', ['zod']],
  ['alerts', ['zod']],
  ['auto-txs', ['zod']],
  ['create-alert', ['zod']],
  ['record', ['zod']],
  ['backtest', ['zod']],
  ['keys', ['Kysely', 'SQLite']],
  ['serve', ['Kysely', 'SQLite']],
  ['live', []],
  ['start-monitor', ['Ink']],
] as const)('%s begins with its own part', (name, heavy) => {
  expect(heavyIn(loadedWith([join(DIST, 'main.js'), partFile(name)]))).toEqual(heavy);
});

test('a service elsewhere is asked without what runs one here', () => {
  const asked = loadedWith([
    partFile('now'),
    partFile('open-client'),
    partFile('create-gas-client'),
    partFile('gas'),
  ]);
  expect(heavyIn(asked)).toEqual(['zod']);
});

test('of each package that it holds the licence is told', () => {
  const text = readFileSync(join(DIST, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
  const [, ...parts] = text.split(`${'-'.repeat(80)}\n`);
  const named = parts.flatMap((part, index) =>
    index % 2 === 0 ? [[part.trim(), parts[index + 1] ?? '']] : [],
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(([, licence = '']) => !/copyright/i.test(licence)).map(([name]) => name)).toEqual([]);
});

test('the package holds no source maps, and no part that nothing loads', () => {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => /\.map$|\.ts$/.test(name))).toEqual([]);
  const sources = [join(DIST, 'main.js'), ...CHUNKS.map((name) => join(DIST, 'chunks', name))];
  const all = sources.map((file) => readFileSync(file, 'utf8')).join('');
  expect(CHUNKS.filter((name) => !all.includes(`/${name}"`))).toEqual([]);
});

test('the first frame is read from a handful of files, none of the source behind it', () => {
  const files = loadedWith([join(DIST, 'main.js'), partFile('live'), partFile('start-monitor')]);
  expect(files.size).toBeLessThanOrEqual(6);
  const later = loadedWith([partFile('service'), partFile('create-gas-client')]);
  const names = (paths: Iterable<string>) => [...paths].map((path) => basename(path));
  expect(names(files)).not.toContain(basename(partFile('service')));
  expect(names(later)).toContain('program.js');
  expect(names(later)).not.toContain(basename(partFile('start-monitor')));
});
