import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { openTerminal } from '../helpers/terminal.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Package = Awaited<ReturnType<typeof packInto>>;
export type EmptyPlace = Awaited<ReturnType<typeof openEmptyPlace>>;

export async function packInto(folder: string) {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT });
  const [packed] = JSON.parse(stdout);
  const files: readonly { readonly path: string; readonly mode: number }[] = packed.files;
  return { tarball: join(folder, packed.filename), size: Number(packed.size), files };
}

/** A new user's empty folder, home and npm cache with the tarball; `node`: the folder of the Node found first. */
export async function openEmptyPlace(
  tarball: string,
  node: string,
  registry: Readonly<Record<string, string>> = { npm_config_registry: 'http://127.0.0.1:9/' },
) {
  // A path that has to be quoted and is not ASCII.
  const root = await mkdtemp(join(tmpdir(), 'gastop für "alle" & $HOME '));
  const [folder, home, npmCache] = ['empty folder', 'home', 'npm cache'].map((name) => join(root, name));
  if (folder === undefined || home === undefined || npmCache === undefined) throw new Error('three names');
  for (const path of [folder, home]) mkdirSync(path);
  const file = basename(tarball);
  copyFileSync(tarball, join(folder, file));
  const env = {
    PATH: [node, process.env.PATH].join(delimiter),
    npm_config_cache: npmCache,
    // Only what gastop says is judged, not what npm says of itself.
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
    ...registry,
  };
  const npx = (args: readonly string[]) => ['npx', '-y', `./${file}`, ...args];

  const start = (args: readonly string[]) => {
    const [command = '', ...rest] = npx(args);
    const child = spawn(command, rest, {
      cwd: folder,
      env: { HOME: home, TMPDIR: tmpdir(), LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const { pid = 0 } = child;
    onTestFinished(() => endGroup(pid));
    const text = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text.stderr += chunk;
    });
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...text }));
    return { pid, ended, stdout: () => text.stdout };
  };

  return {
    folder,
    npmCache,
    start,
    run: (args: readonly string[]) => start(args).ended,
    terminal: (args: readonly string[]) =>
      openTerminal({ command: '/usr/bin/env', args: npx(args), cwd: folder, home, env, cols: 120, rows: 40 }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}
