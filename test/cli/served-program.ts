import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/contract/routes.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { runMain } from './captured-io.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
}

export interface ProgramOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: string;
  readonly input?: 'pipe';
  readonly output?: string;
}

/** The built program in a clean environment; it is gone when the test ends. */
export function startProgram(
  argv: readonly string[],
  { home, env = {}, before, input, output }: ProgramOptions,
): Program {
  const first =
    before === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(before)}`];
  const child = spawn(process.execPath, [...first, GASTOP, ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: home, ...env },
    stdio: [input ?? 'ignore', output === undefined ? 'pipe' : openSync(output, 'w'), 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const text = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, ...text }));
  });
  return { child, ended, stdout: () => text.stdout, stderr: () => text.stderr };
}

export interface ServeProgram extends Program {
  readonly origin: string;
  readonly port: number;
}

/** `gastop serve` on a free port, once it has said that it listens. */
export async function startServe(argv: readonly string[], options: ProgramOptions): Promise<ServeProgram> {
  const program = startProgram(['serve', '--port', '0', ...argv], options);
  const port = await waitFor(
    () => {
      if (program.child.exitCode !== null) throw new Error(program.stderr());
      return Number(/^gastop serves .*:(\d+)\/be\/api\/v1$/m.exec(program.stdout())?.[1] ?? 0);
    },
    { what: 'the line that says where it listens' },
  );
  return { ...program, port, origin: `http://127.0.0.1:${port}` };
}

export async function createKey({ home, env = {} }: ProgramOptions): Promise<string> {
  const options = { home, env: { XDG_DATA_HOME: home, ...env } };
  const { stdout, exitCode, stderr } = await runMain(['keys', 'create'], options);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Asks a served program with a key: `GET`, or `POST` with a body. */
export const askWith =
  (origin: string, key: string) =>
  async <T>(path: string, body?: object): Promise<T> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${origin}${BASE_PATH}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
