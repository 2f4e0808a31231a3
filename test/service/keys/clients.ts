import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { ErrorBody } from '../../../src/contract/api-error.ts';
import type { PlanSetting } from '../../../src/service/keys/api-keys.ts';
import { inTime } from '../../helpers/wait-for.ts';
import { buildProgram } from '../../tui/build-program.ts';

export const buildServer = () => buildProgram('service/keys/serve-until-killed.ts');

export interface Answer {
  readonly word: string;
  readonly status: number;
}

/** `null`: the connection ended before an answer. */
export async function ask(port: number, key: string): Promise<Answer | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-api-key': key } });
    const { status } = response;
    const body = await response.json();
    return { status, word: status === 200 ? 'ok' : ErrorBody.parse(body).errorCode };
  } catch {
    return null;
  }
}

export function prepareServerProcess(
  program: string,
  file: string,
  plans: Readonly<Record<string, PlanSetting>>,
) {
  const child = spawn(process.execPath, ['--no-warnings', program, file, JSON.stringify(plans)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    async start(): Promise<number> {
      child.stdin.write('start\n');
      const unserved = ended.then(() => Promise.reject(new Error('it ended before it served')));
      const [line] = await inTime(Promise.race([once(child.stdout, 'data'), unserved]), 'its port');
      return Number(line);
    },
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      child.kill(signal);
      await inTime(ended, `the end after ${signal}`);
    },
  };
}
