import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/** A larger one is worth a file of its own: other commands may need it without the rest. */
const SMALL_BYTES = 60_000;

export interface ChunkGroup {
  /** Of the file that is made. */
  readonly name: string;
  /** Sources of lazily loaded parts that are loaded one with the other. */
  readonly parts: readonly string[];
  /** Of what they need, only what these parts need as well: nobody loads it for nothing. */
  readonly sharedWith?: readonly string[];
  /** Bytes of a chunk; a larger one stays a file of its own. Default: 60 kB. */
  readonly largest?: number;
}

interface Chunk {
  readonly name: string;
  readonly bytes: number;
  /** The source of the lazily loaded part that this is; `null`: shared by several. */
  readonly part: string | null;
  readonly exports: readonly string[];
  /** Names of the chunks that are loaded with it. */
  readonly needs: readonly string[];
}

export interface MergeOptions {
  readonly groups: readonly ChunkGroup[];
  /** What every chunk begins with, and once is enough. */
  readonly banner: string;
}

type Chunks = ReadonlyMap<string, Chunk>;

/**
 * esbuild gives each set of parts that share some code a file of its own: a hundred and more, most of them a few lines,
 * and Node spends near a millisecond on finding and linking each. Here the small ones that a group of parts needs become
 * one file. What is in one group is in no later one.
 */
export async function mergeChunks(
  folder: string,
  metafile: Metafile,
  { groups, banner }: MergeOptions,
): Promise<void> {
  const chunks = chunksOf(metafile);
  const merged = new Set<string>();
  for (const group of groups) {
    const members = membersOf(chunks, group, merged);
    for (const member of members) merged.add(member.name);
    const file = `${group.name}.js`;
    await writeMerged(join(folder, 'chunks'), file, members, banner);
    await redirect(folder, file, members);
  }
}

function chunksOf({ outputs }: Metafile): Chunks {
  const chunks = Object.entries(outputs).map(([path, { bytes, entryPoint, exports, imports }]): Chunk => {
    const needs = imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true);
    return {
      name: basename(path),
      bytes,
      part: entryPoint ?? null,
      exports,
      needs: needs.map((each) => basename(each.path)),
    };
  });
  return new Map(chunks.map((chunk) => [chunk.name, chunk]));
}

/** What the group needs, each after what it needs itself. */
function membersOf(chunks: Chunks, group: ChunkGroup, merged: ReadonlySet<string>): Chunk[] {
  const { name, parts, sharedWith, largest = SMALL_BYTES } = group;
  const shared = sharedWith && neededBy(chunks, partsOf(chunks, name, sharedWith));
  const members = new Map<string, Chunk>();
  const seen = new Set<string>();
  /** Those that stay outside and need a member: who needs them cannot be one, or each would wait for the other. */
  const bound = new Set<string>();
  const visit = (chunk: Chunk): void => {
    if (seen.has(chunk.name) || merged.has(chunk.name)) return;
    seen.add(chunk.name);
    for (const need of chunk.needs) visit(known(chunks, need));
    const isFree = chunk.needs.every((need) => !bound.has(need));
    const isWanted = chunk.part === null && chunk.bytes <= largest && shared?.has(chunk.name) !== false;
    if (isWanted && isFree) members.set(chunk.name, chunk);
    else if (chunk.needs.some((need) => members.has(need) || bound.has(need))) bound.add(chunk.name);
  };
  for (const chunk of partsOf(chunks, name, parts)) visit(chunk);
  return [...members.values()];
}

function partsOf(chunks: Chunks, name: string, parts: readonly string[]): Chunk[] {
  return parts.map((part) => {
    const chunk = [...chunks.values()].find((each) => each.part === part);
    if (chunk === undefined) throw new Error(`the bundle has no part ${part} for ${name}`);
    return chunk;
  });
}

/** Names of the chunks that are loaded with `first`, itself among them. */
function neededBy(chunks: Chunks, first: readonly Chunk[], names = new Set<string>()): ReadonlySet<string> {
  for (const chunk of first) {
    if (names.has(chunk.name)) continue;
    names.add(chunk.name);
    neededBy(
      chunks,
      chunk.needs.map((need) => known(chunks, need)),
      names,
    );
  }
  return names;
}

function known(chunks: Chunks, name: string): Chunk {
  const chunk = chunks.get(name);
  if (chunk === undefined) throw new Error(`the bundle has no chunk ${name}`);
  return chunk;
}

/** Two chunks may export different things by one name. */
const newName = (name: string, index: number) => `${name}$${index}`;

async function writeMerged(
  folder: string,
  file: string,
  members: readonly Chunk[],
  banner: string,
): Promise<void> {
  const names = new Set(members.map(({ name }) => name));
  const others: Plugin = {
    name: 'others-stay-outside',
    setup({ onResolve, onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(banner, ''),
      }));
      onResolve({ filter: /./ }, ({ path }) =>
        names.has(basename(path)) ? undefined : { path, external: true, sideEffects: true },
      );
    },
  };
  const contents = members.map(({ name, exports }, index) => {
    const list = exports.map((each) => `${each} as ${newName(each, index)}`).join(',');
    return `export {${list}} from './${name}';`;
  });
  await build({
    stdin: { contents: contents.join('\n'), resolveDir: folder },
    outfile: join(folder, file),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.13',
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: banner },
    plugins: [others],
    logLevel: 'warning',
  });
  for (const { name } of members) await rm(join(folder, name));
}

/** As esbuild writes them. */
const IMPORT = /import(?:\{([^{}]*)\}from)?"(\.\/(?:chunks\/)?)([^"/]+\.js)";/g;

/** Has every file import the members from `file`. */
async function redirect(folder: string, file: string, members: readonly Chunk[]): Promise<void> {
  const indexes = new Map(members.map(({ name }, index) => [name, index]));
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.js'));
  for (const path of paths.map((each) => join(folder, each))) {
    if (basename(path) === file) continue;
    const source = await readFile(path, 'utf8');
    const named: string[] = [];
    let from = '';
    const rest = source.replace(IMPORT, (statement, list: string | undefined, way: string, name: string) => {
      const index = indexes.get(name);
      if (index === undefined) return statement;
      from = way;
      for (const each of list?.split(',') ?? []) {
        const [exported = '', local = exported] = each.split(' as ');
        named.push(`${newName(exported, index)} as ${local}`);
      }
      return '';
    });
    if (from === '') continue;
    const left = members.find(({ name }) => rest.includes(name));
    if (left !== undefined) throw new Error(`${basename(path)} still names ${left.name}`);
    const what = named.length === 0 ? '' : `{${named.join(',')}}from`;
    await writeFile(path, `import${what}"${from}${file}";${rest}`);
  }
}
