import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { GASTOP } from '../helpers/gastop.ts';

const DIST = dirname(GASTOP);
const CHUNKS = readdirSync(join(DIST, 'chunks'));

function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const statements = readFileSync(file, 'utf8').matchAll(/\bimport(?:\{[^{}"]*\}from)?"(\.[^"]+)"/g);
  for (const [, path = ''] of statements) loadedWith(join(dirname(file), path), loaded);
  return loaded;
}

const HEAVY = {
  Ink: /yoga/,
  Kysely: /withoutPlugins/,
  SQLite: /node:sqlite/,
  Hono: /Context is not finalized/,
  pino: /pino/,
  nodemailer: /X-Mailer/,
  MCP: /StdioServerTransport/,
} as const;

/** Loading it makes a `Request`, and with it Node's whole HTTP client: more than all else of a command that asks nothing. */
const KY = /prefixUrl/;

function heavyIn(files: Iterable<string>): string[] {
  const sources = [...files].map((file) => readFileSync(file, 'utf8'));
  return Object.entries(HEAVY).flatMap(([name, words]) =>
    sources.some((source) => words.test(source)) ? [name] : [],
  );
}

/** The first number or word in a language costs a start more than its code does. Ink's widths need a segmenter. */
const WITHOUT_LANGUAGES = `
  const refuse = () => { throw new Error('a part asks for a language while it is loaded'); };
  for (const type of [Number, BigInt, Date, Array]) type.prototype.toLocaleString = refuse;
  String.prototype.localeCompare = refuse;
  for (const name of Object.getOwnPropertyNames(Intl)) if (name !== 'Segmenter') Intl[name] = refuse;
`;

it('loads each of its parts alone, in any order, and without a language', () => {
  // Ink's, for developers who have React's tools installed.
  const parts = CHUNKS.filter((name) => !name.startsWith('devtools-')).toReversed();
  const program = `${WITHOUT_LANGUAGES}for (const part of ${JSON.stringify(parts)}) await import('./' + part);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(DIST, 'chunks'),
    encoding: 'utf8',
  });
  expect(stderr.replaceAll(/^.*SQLite.*$|^\(Use `node --trace-warnings.*$/gm, '').trim()).toBe('');
  expect(status).toBe(0);
});

it('holds everything, and starts without the monitor, the service and the store', () => {
  expect(heavyIn(CHUNKS.map((name) => join(DIST, 'chunks', name)))).toEqual(Object.keys(HEAVY));
  const atStart = loadedWith(join(DIST, 'main.js'));
  expect(heavyIn(atStart)).toEqual([]);
  const only = new RegExp(`${KY.source}|spaces or commas between them`);
  expect([...atStart].filter((file) => only.test(readFileSync(file, 'utf8')))).toEqual([]);
});

it.each([
  'now',
  'wait',
  'chains',
  'alerts',
  'auto-txs',
  'history',
  'explorer',
  'fork',
  'doctor',
  'live',
  'completion',
])('starts %s without the monitor, the service and the store', (command) => {
  const own = CHUNKS.filter((name) => new RegExp(`^${command}-[\\w-]{8}\\.js$`).test(name));
  expect(own.length).toBeGreaterThan(0);
  for (const name of own) expect(heavyIn(loadedWith(join(DIST, 'chunks', name)))).toEqual([]);
});

it.each(['now', 'wait', 'history'])('starts %s without the schemas of what it does not read', (command) => {
  const own = CHUNKS.filter((name) => new RegExp(`^${command}-[\\w-]{8}\\.js$`).test(name));
  const sources = own.flatMap((name) => [...loadedWith(join(DIST, 'chunks', name))]);
  const schemas = /DashboardSummary|AutoTxThreshold|an origin, or a list of origins/g;
  expect(sources.flatMap((file) => readFileSync(file, 'utf8').match(schemas) ?? [])).toEqual([]);
});

it('has a client for programs that imports nothing, and needs nothing of Node', () => {
  const client = readFileSync(join(DIST, 'client.js'), 'utf8');
  expect(client.match(/\bimport\b[^;]{0,60}/g)).toBeNull();
  expect(client.match(/\b(?:process\.|require\(|Buffer\b|__dirname|node:)[^;]{0,40}/g)).toBeNull();
  const viem = readFileSync(join(DIST, 'viem.js'), 'utf8');
  expect([...viem.matchAll(/from"([^"]+)"/g)].map(([, from]) => from)).toEqual(['./client.js']);
});

it('declares the types of both without those of a bundled package', () => {
  const imports = (name: string) =>
    [...readFileSync(join(DIST, name), 'utf8').matchAll(/(?:from |import\()['"]([^'"]+)/g)].map(
      ([, from]) => from,
    );
  expect(imports('client.d.ts')).toEqual([]);
  expect(imports('viem.d.ts').sort()).toEqual(['./client.js', 'viem']);
});

it('names the licence of each package that it holds', () => {
  const text = readFileSync(join(DIST, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
  const [, ...parts] = text.split(`${'-'.repeat(80)}\n`);
  const named = parts.flatMap((part, index) =>
    index % 2 === 0 ? [[part.trim(), parts[index + 1] ?? '']] : [],
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(([, licence = '']) => !/copyright/i.test(licence)).map(([name]) => name)).toEqual([]);
});

it('has neither source maps nor sources', () => {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => /\.map$|\.ts$/.test(name)).sort()).toEqual(['client.d.ts', 'viem.d.ts']);
});
