import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GASTOP, type Workshop } from './programs.ts';
import { writeRecording } from './recording.ts';

/** A plan that no bench uses up. */
const CONFIG = { plans: { bench: { dailyLimit: 1_000_000_000, perSecond: 1_000_000 } } };
const BLOCKS = 2_000;

export interface ServedRecording extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
}

/** `gastop serve` over a recording that it plays at a chain's own pace, and a key to it. */
export async function serveRecording({ folder }: Workshop): Promise<ServedRecording> {
  const config = join(folder, 'serve.json');
  await writeFile(config, JSON.stringify(CONFIG));
  const common = ['--config', config, '--keys', join(folder, 'serve-keys.db')];
  const env = { PATH: process.env.PATH, HOME: folder };
  const made = spawnSync(process.execPath, [GASTOP, 'keys', 'create', '--plan', 'bench', ...common], {
    encoding: 'utf8',
    env,
  });
  const source = ['--replay', await writeRecording(folder, BLOCKS), '--speed', '1'];
  const child = spawn(
    process.execPath,
    [GASTOP, 'serve', '--port', '0', '--log-level', 'silent', ...source, ...common],
    { stdio: ['ignore', 'pipe', 'ignore'], env },
  );
  const [line] = await once(createInterface(child.stdout), 'line');
  const origin = /http:\/\/[\d.:]+/.exec(String(line))?.[0];
  if (origin === undefined) throw new Error(`gastop serve printed ${JSON.stringify(line)}`);
  return {
    url: origin,
    key: made.stdout.trim(),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
