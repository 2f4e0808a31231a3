import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endServer } from './postgres-server.ts';

/** A process whose parent is `sleep`, which asks of no child what became of it. */
async function orphan(command: string): Promise<number> {
  const parent = spawn('sh', ['-c', `${command} & echo $!; exec sleep 120`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  return Number(line);
}

describe.runIf(existsSync('/proc/self/stat'))('the server of a run of tests', () => {
  test.each([
    ['that has ended before', 'sleep 0.1'],
    ['that ends when it is told to', `'${process.execPath}' -e 'setInterval(() => {}, 1000)'`],
  ])('%s is gone, though its parent never asks', async (_, command) => {
    const pid = await orphan(command);
    await setTimeout(500);
    await endServer(pid);
    // Its id is still taken.
    expect(process.kill(pid, 0)).toBe(true);
  });

  test('is named where it does not end', async () => {
    // What a shell starts beside itself ignores the signal.
    const pid = await orphan('sleep 100');
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    await setTimeout(100);
    await expect(endServer(pid, 'SIGQUIT', 500)).rejects.toThrow(`process ${pid}, SIGQUIT`);
  });
});
