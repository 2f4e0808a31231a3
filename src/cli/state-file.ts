import { createHash } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { systemCode } from '../core/system-code.ts';
import { temporaryPath } from '../store/whole-file.ts';
import { chainMemory, type RememberedFile, type RememberedValues } from '../tui/data/remembered.ts';
import { fileFailureReason } from './errors.ts';
import { tildePath } from './output.ts';
import { readText } from './parse.ts';
import type { SourceChoice } from './settings.ts';

/** What the monitor remembers, by the names of sources. The one that was changed last is the last. */
const Content = z.record(z.string(), z.record(z.string(), z.json()));
type Content = Readonly<Record<string, RememberedValues>>;

const MOST_SOURCES = 100;
const MOST_BYTES = 1_048_576;
/** Keys that are pressed in a row are one write. */
const WRITE_AFTER_MS = 200;
const LOCK_AGAIN_MS = 20;
/** A write takes some milliseconds: who has held the lock for longer has ended without giving it back. */
const LOCK_MS = 1_500;

/**
 * The file in which monitors remember from one start to the next. Each writes what it has changed itself over what is
 * there, so that several at once lose nothing. It never fails: what is wrong with the file is told, once.
 */
export class StateFile implements RememberedFile {
  readonly #path: string;
  readonly #shown: string;
  readonly #content: Content;
  #problem: string | null;
  #isTold = false;
  #tell: ((problem: string) => void) | null = null;
  #changes: Content = {};
  #writing: Promise<void> | null = null;
  readonly #ending = new AbortController();

  private constructor(path: string, home: string, content: Content, problem: string | null) {
    this.#path = path;
    this.#shown = tildePath(path, home);
    this.#content = content;
    this.#problem = problem;
  }

  /** @param isFresh what is there is not read, and stays until it is chosen anew. */
  static async open(path: string, home: string, isFresh = false): Promise<StateFile> {
    const { content, isDamaged } = isFresh ? { content: {}, isDamaged: false } : await readContent(path);
    const shown = tildePath(path, home);
    const problem = isDamaged ? `Nothing is remembered, damaged or unreadable: ${shown}` : null;
    return new StateFile(path, home, content, problem);
  }

  recall(source: string): RememberedValues {
    return this.#content[source] ?? {};
  }

  keep(source: string, name: string, value: unknown): void {
    this.#changes = withChanges(this.#changes, { [source]: { [name]: value } });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  watch(tell: (problem: string) => void): void {
    this.#tell = tell;
    if (this.#problem !== null) this.#say(this.#problem);
  }

  /** Writes what is not written yet. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#writing;
  }

  #say(problem: string): void {
    this.#problem = problem;
    if (this.#isTold || this.#tell === null) return;
    this.#isTold = true;
    this.#tell(problem);
  }

  async #write(): Promise<void> {
    while (Object.keys(this.#changes).length > 0) {
      await sleep(WRITE_AFTER_MS, undefined, { signal: this.#ending.signal }).catch(() => {});
      const changes = this.#changes;
      this.#changes = {};
      try {
        await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
        await withLock(`${this.#path}.lock`, async () => {
          const { content } = await readContent(this.#path);
          const merged = Object.entries(withChanges(content, changes)).slice(-MOST_SOURCES);
          await replaceWhole(this.#path, `${JSON.stringify(Object.fromEntries(merged), null, 2)}\n`);
        });
      } catch (error) {
        // The next change tries again, with these.
        this.#changes = withChanges(changes, this.#changes);
        const isFolderTaken = systemCode(error) === 'EEXIST';
        const reason = isFolderTaken ? 'cannot be made: its folder is a file' : fileFailureReason(error);
        this.#say(`Not remembered: ${this.#shown} ${reason}`);
        return;
      }
    }
  }
}

function withChanges(content: Content, changes: Content): Content {
  const rest = Object.entries(content).filter(([source]) => changes[source] === undefined);
  const changed = Object.entries(changes).map(([source, values]) => [
    source,
    { ...content[source], ...values },
  ]);
  return Object.fromEntries([...rest, ...changed]);
}

const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

async function readContent(
  path: string,
): Promise<{ readonly content: Content; readonly isDamaged: boolean }> {
  try {
    const info = await stat(path);
    if (!info.isFile()) return { content: {}, isDamaged: true };
    const text = await readText(path, { name: path, mostBytes: MOST_BYTES, wanted: '' });
    return { content: Content.parse(JSON.parse(text)), isDamaged: false };
  } catch (error) {
    return { content: {}, isDamaged: !NOT_THERE.has(systemCode(error)) };
  }
}

async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  while (!(await takeLock(path))) await sleep(LOCK_AGAIN_MS * (1 + Math.random()));
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const since = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (since !== null && Math.abs(Date.now() - since) > LOCK_MS) await rm(path, { force: true });
    return false;
  }
}

/** A reader sees the old content or all of `text`. */
async function replaceWhole(path: string, text: string): Promise<void> {
  const draft = temporaryPath(path);
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

const ETHEREUM = 1;

/**
 * The name of a source in the file, without what may be a key in its URL; `null`: its chain is not known before it
 * answers.
 */
export function rememberedName(source: SourceChoice): string | null {
  switch (source.kind) {
    case 'hosted': {
      const { host, pathname } = source.url;
      // A path may hold a key, and a host may have a service for each chain.
      const path =
        pathname === '/' ? '' : ` ${createHash('sha256').update(pathname).digest('hex').slice(0, 8)}`;
      return `service ${host}${path}`;
    }
    case 'rpc': {
      const id = source.isPublicDefault ? ETHEREUM : source.chainId;
      return id === undefined ? null : chainMemory(id);
    }
    case 'replay':
      return `recording ${resolve(source.file)}`;
    case 'simulated':
      return 'demo';
  }
}
