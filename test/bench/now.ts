import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GASTOP, type Workshop, writeRecording } from './programs.ts';
import { atMost, compare, type Row } from './row.ts';

const RUNS = 25;
/** A plan that no bench uses up. */
const CONFIG = { plans: { bench: { dailyLimit: 1_000_000_000, perSecond: 1_000_000 } } };

/** Whole runs of `gastop now --json`, which asks `gastop serve` on this machine, each in turn with Node that does nothing. */
export async function measureNow({ folder, compileCache }: Workshop): Promise<Row[]> {
  const config = join(folder, 'serve.json');
  await writeFile(config, JSON.stringify(CONFIG));
  const common = ['--config', config, '--keys', join(folder, 'serve-keys.db')];
  const env = { PATH: process.env.PATH, HOME: folder, NODE_COMPILE_CACHE: compileCache };
  /** Ms from the start of Node to its end, and what it printed. */
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const from = performance.now();
    const options = { encoding: 'utf8', env: { ...env, ...more } } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    const ms = performance.now() - from;
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    return { ms, stdout };
  };
  const key = { GASTOP_API_KEY: run([GASTOP, 'keys', 'create', '--plan', 'bench', ...common]).stdout.trim() };
  const source = ['--replay', await writeRecording(folder, 2_000), '--speed', '1', '--log-level', 'silent'];
  const service = spawn(process.execPath, [GASTOP, 'serve', '--port', '0', ...source, ...common], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  });
  try {
    const [line] = await once(createInterface(service.stdout), 'line');
    const now = [GASTOP, 'now', '--json', '--url', /http:\/\/[\d.:]+/.exec(String(line))?.[0] ?? ''];
    const printed = run(now, key).stdout;
    if (!printed.includes('"averagePrice":')) throw new Error(`gastop now printed ${printed}`);
    // The first run warmed the compile cache.
    const turns = Array.from({ length: RUNS }, () => [run(['-e', '0']).ms, run(now, key).ms] as const);
    return [
      compare({
        measure: 'gastop now --json against a local service',
        ours: turns.map(([, ms]) => ms),
        against: 'node -e 0',
        theirs: turns.map(([ms]) => ms),
        unit: 'ms',
        runs: `in ${RUNS} runs`,
        budget: (ratio) => [atMost(ratio, 5)],
      }),
    ];
  } finally {
    service.kill();
  }
}
