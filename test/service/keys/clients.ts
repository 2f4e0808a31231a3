import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { ErrorBody } from '../../../src/contract/api-error.ts';
import type { PlanSetting } from '../../../src/service/keys/api-keys.ts';
import { buildProgram } from '../../tui/build-program.ts';

export const buildServer = () => buildProgram('service/keys/serve-until-killed.ts');

export interface Answer {
  /** `ok`, or the error's code. */
  readonly word: string;
  readonly status: number;
  readonly retryAfter: number | null;
}

/** One client with one connection, kept alive. */
export interface Client {
  /** `null`: the connection ended before an answer. */
  ask(key: string): Promise<Answer | null>;
}

export function newClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return {
    ask: (key) =>
      new Promise((resolve) => {
        const request = get({ port, host: '127.0.0.1', agent, headers: { 'x-api-key': key } });
        request.once('error', () => resolve(null));
        request.once('response', (response) => {
          const retryAfter = response.headers['retry-after'];
          json(response).then(
            (body) =>
              resolve({
                status: response.statusCode ?? 0,
                word: response.statusCode === 200 ? 'ok' : ErrorBody.parse(body).errorCode,
                retryAfter: retryAfter === undefined ? null : Number(retryAfter),
              }),
            () => resolve(null),
          );
        });
      }),
  };
}

export interface ServerProcess {
  /** Opens the file, serves, and answers the port. */
  start(): Promise<number>;
  /** Sends the signal and waits for the end. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Another process that will serve the keys in `file`; it ends with the test at the latest. */
export function prepareServerProcess(
  program: string,
  file: string,
  plans: Readonly<Record<string, PlanSetting>>,
): ServerProcess {
  const child = spawn(process.execPath, ['--no-warnings', program, file, JSON.stringify(plans)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    async start() {
      child.stdin.write('start\n');
      const unserved = ended.then(() => Promise.reject(new Error('it ended before it served')));
      const [line] = await Promise.race([once(child.stdout, 'data'), unserved]);
      return Number(line);
    },
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
