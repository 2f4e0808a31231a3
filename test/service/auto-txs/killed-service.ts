/** The service of serve-until-killed.ts as who kills it sees it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** What it is told. */
export type Order =
  /** Begins; its clock is so many ms ahead of the machine's. It is ready once it has the block of number `head`. */
  | { readonly type: 'start'; readonly ahead: number; readonly head: number }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly method: string;
      readonly path: string;
      readonly body?: unknown;
    }
  /** Puts its clock forward. */
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'end' };

/** What it says. */
export type Said =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly id: number; readonly status: number; readonly body: unknown }
  | { readonly type: 'error'; readonly text: string };

/** How far clocks are ahead, ms, and the chain's newest block. */
export interface Now {
  readonly ahead: number;
  readonly head: number;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface KilledService {
  /** Resolves once it serves. */
  start(now: Now): Promise<void>;
  /** `null`: it was killed before it answered. */
  ask(method: string, path: string, body?: unknown): Promise<Answer | null>;
  pass(ms: number): void;
  kill(): Promise<void>;
  /** Has it end by itself; answers its exit code. */
  end(): Promise<unknown>;
}

/** Starts a process that does nothing until it is told to start. `onError` is told of what went wrong in it, `onAnswer` of each answer. */
export function prepareService(
  program: string,
  [path, url]: readonly [string, string],
  { onAnswer, onError }: { readonly onAnswer: () => void; readonly onError: (text: string) => void },
): KilledService {
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
  const ready = Promise.withResolvers<void>();
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let asked = 0;
  let isOver = false;
  const tell = (order: Order) => child.stdin.write(`${JSON.stringify(order)}\n`);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    let said: Said;
    try {
      said = JSON.parse(line);
    } catch {
      // It was killed while it spoke.
      return;
    }
    if (said.type === 'ready') ready.resolve();
    if (said.type === 'error') onError(said.text);
    if (said.type === 'answer') {
      waiting.get(said.id)?.({ status: said.status, body: said.body });
      waiting.delete(said.id);
      onAnswer();
    }
  });
  const over = once(lines, 'close').then(() => {
    isOver = true;
    for (const settle of waiting.values()) settle(null);
    waiting.clear();
    ready.resolve();
  });
  return {
    start(now) {
      tell({ type: 'start', ...now });
      return ready.promise;
    },
    ask(method, route, body) {
      asked += 1;
      const id = asked;
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      if (isOver) return Promise.resolve(null);
      waiting.set(id, resolve);
      tell({ type: 'ask', id, method, path: route, body });
      return promise;
    },
    pass: (ms) => tell({ type: 'pass', ms }),
    async kill() {
      child.kill('SIGKILL');
      // All that it said before has been read by then.
      await Promise.all([exit, over]);
    },
    async end() {
      tell({ type: 'end' });
      const [[code]] = await Promise.all([exit, over]);
      return code;
    },
  };
}
