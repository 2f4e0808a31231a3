/** The service of serve-until-killed.ts as who kills it sees it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { BASE_PATH } from '../../../src/contract/routes.ts';
import { inTime, PATIENCE_MS } from '../../helpers/wait-for.ts';

export interface Now {
  readonly ahead: number;
  readonly head: number;
}

/** What it is told: to begin, and be ready once it has block `head`; to put its clock forward. */
export type Order = Now | { readonly passMs: number };
export type Said = { readonly port: number } | { readonly error: string };

export type KilledService = ReturnType<typeof prepareService>;

/** Starts a process that does nothing until it is told to start. `onError` is told of what went wrong in it, `onAnswer` of each answer. */
export function prepareService(
  program: string,
  [path, url]: readonly [string, string],
  { onAnswer, onError }: { readonly onAnswer: () => void; readonly onError: (text: string) => void },
) {
  const child = spawn(process.execPath, ['--no-warnings', program, path, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(program), 'compiled') },
  });
  // What is written to one that has just been killed goes nowhere.
  child.stdin.on('error', () => {});
  const exit = once(child, 'exit');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const port = Promise.withResolvers<number | null>();
  let lastError = 'no error';
  /** It comes, or is known not to come: then the last error says more. */
  const soon = <T>(coming: Promise<T>, what: string) =>
    inTime(coming, `${what} of the service`, PATIENCE_MS, () => `; it said: ${lastError}`);
  const tell = (order: Order) => child.stdin.write(`${JSON.stringify(order)}\n`);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    // It may be killed while it speaks.
    if (!line.endsWith('}')) return;
    const said: Said = JSON.parse(line);
    if ('error' in said) {
      lastError = said.error;
      onError(said.error);
    } else port.resolve(said.port);
  });
  const over = once(lines, 'close').then(() => port.resolve(null));
  return {
    async start(now: Now): Promise<void> {
      tell(now);
      await soon(port.promise, 'the first answer');
    },
    /** `null`: it was killed before it answered. */
    async ask(method: string, route: string, body?: unknown) {
      const init = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
      const origin = `http://127.0.0.1:${await port.promise}`;
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const asked = fetch(origin + BASE_PATH + route, { method, signal, ...(body !== undefined && init) });
      const answer = await asked
        .then(async (response) => ({ status: response.status, body: (await response.json()) as unknown }))
        .catch(() => null);
      if (answer !== null) onAnswer();
      return answer;
    },
    pass: (passMs: number) => tell({ passMs }),
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      // All that it said before has been read by then.
      await soon(Promise.all([exit, over]), 'the end after SIGKILL');
    },
    async end(): Promise<unknown> {
      child.stdin.end();
      const [[code]] = await soon(Promise.all([exit, over]), 'the end');
      return code;
    },
  };
}
