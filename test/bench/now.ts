import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { startAnvil } from '../helpers/anvil.ts';
import { GASTOP, openGastop, quit, type Workshop, writeRecording } from './programs.ts';
import { atLeast, atMost, compare, median, type Row, range, ratios } from './row.ts';

const RUNS = 25;
const BAR_ROUNDS = 5;
const BAR_TEXT = '{average} gwei, {action}';
const PROJECT = join(import.meta.dirname, '../..');
const CONFIG = { plans: { bench: { dailyLimit: 1_000_000_000, perSecond: 1_000_000 } } };

/** Runs a whole program of Node; ms from its start to its end, and what it printed. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  const from = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env });
  return { ms: performance.now() - from, stdout };
}

async function timed(args: readonly string[], env: NodeJS.ProcessEnv, expected: string): Promise<number> {
  const { ms, stdout } = await run(args, env);
  if (!stdout.includes(expected)) throw new Error(`printed ${stdout}`);
  return ms;
}

const NOTHING = ['-e', '0'] as const;

/** Of Node that does nothing, and of `args`, in turn: ms, unless `measure` takes something else. */
async function inTurns(
  runs: number,
  args: readonly string[],
  measure: (args: readonly string[]) => Promise<number>,
): Promise<{ readonly ours: number[]; readonly theirs: number[] }> {
  const turns = { ours: [] as number[], theirs: [] as number[] };
  for (let count = 0; count < runs; count += 1) {
    turns.theirs.push(await measure(NOTHING));
    turns.ours.push(await measure(args));
  }
  return turns;
}

const BAR_RUNS = 10;

/** CPU seconds, of all threads, of ten runs: a minute of a status bar that asks each six seconds. */
async function barSeconds(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const ten = `for run in $(seq ${BAR_RUNS}); do "$0" "$@" >/dev/null || exit 1; done; times`;
  const { stdout } = await promisify(execFile)('sh', ['-c', ten, process.execPath, ...args], {
    cwd: PROJECT,
    env,
  });
  // The second line is of the shell's children: `0m1.230s 0m0.120s`, user and system.
  const spans = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return spans.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

const barRow = (of: string, turns: Awaited<ReturnType<typeof inTurns>>, runs: number): Row =>
  compare({
    measure: `CPU of gastop now --format ten times a minute, ${of}`,
    ...turns,
    against: 'node -e 0 as often',
    unit: 's',
    digits: 2,
    runs: `in ${runs} minutes' worth`,
  });

/** Whole runs of `gastop --version`, and of `gastop now`, which asks `gastop serve` on this machine, each in turn with Node that does nothing. */
export async function measureNow({ folder, compileCache, rounds }: Workshop): Promise<Row[]> {
  const config = join(folder, 'serve.json');
  await writeFile(config, JSON.stringify(CONFIG));
  const common = ['--config', config, '--keys', join(folder, 'serve-keys.db')];
  const env = { PATH: process.env.PATH, HOME: folder, NODE_COMPILE_CACHE: compileCache };
  const created = await run([GASTOP, 'keys', 'create', '--plan', 'bench', ...common], env);
  const withKey = { ...env, GASTOP_API_KEY: created.stdout.trim() };
  const source = ['--replay', await writeRecording(folder, 2_000), '--speed', '1', '--log-level', 'silent'];
  const service = spawn(process.execPath, [GASTOP, 'serve', '--port', '0', ...source, ...common], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  });
  try {
    const [line] = await once(createInterface(service.stdout), 'line');
    const url = ['--url', /http:\/\/[\d.:]+/.exec(String(line))?.[0] ?? ''];
    const now = [GASTOP, 'now', '--json', ...url];
    await timed(now, withKey, '"averagePrice":');
    const [runs, bars] = [rounds(RUNS), rounds(BAR_ROUNDS)];
    const json = await inTurns(runs, now, (args) =>
      timed(args, withKey, args === now ? '"averagePrice":' : ''),
    );
    const version = await inTurns(runs, [GASTOP, '--version'], (args) => timed(args, env, ''));
    const bar = await inTurns(bars, [GASTOP, 'now', '--format', BAR_TEXT, ...url], (args) =>
      barSeconds(args, withKey),
    );
    return [
      compare({
        measure: 'gastop --version',
        ...version,
        against: 'node -e 0',
        unit: 'ms',
        runs: `in ${runs} runs`,
        budget: (ratio) => [atMost(ratio, 2.5)],
      }),
      compare({
        measure: 'gastop now --json against a local service',
        ...json,
        against: 'node -e 0',
        unit: 'ms',
        runs: `in ${runs} runs`,
        budget: (ratio) => [atMost(ratio, 5)],
      }),
      barRow('of a local service', bar, bars),
    ];
  } finally {
    service.kill();
  }
}

const SCRIPT_RUNS = 15;

/** What a developer would write instead, run by `node -e` with the node's URL. */
const SCRIPTS = {
  viem: `import { createPublicClient, http } from 'viem';
    const client = createPublicClient({ transport: http(process.argv[1]) });
    const history = { blockCount: 20, rewardPercentiles: [10, 50, 90] };
    console.log(await Promise.all([client.estimateFeesPerGas(), client.getFeeHistory(history)]));`,
  ethers: `import { JsonRpcProvider } from 'ethers';
    const provider = new JsonRpcProvider(process.argv[1]);
    console.log(await provider.getFeeData());
    provider.destroy();`,
};

/** Whole runs of `gastop now --json --rpc`, with history that the monitor has stored, and of the scripts on the same node, in turns. */
export async function measureScripts(workshop: Workshop): Promise<Row[]> {
  const { folder, compileCache, rounds } = workshop;
  const node = await startAnvil({ blockTime: 2 });
  try {
    await node.mine(64);
    const env = { PATH: process.env.PATH, HOME: folder };
    const gastopEnv = { ...env, NODE_COMPILE_CACHE: compileCache };
    const script = (code: string) =>
      timed(['--input-type=module', '-e', code, node.url], env, 'maxFeePerGas');
    await using storing = await openGastop(workshop, ['--rpc', node.url], { home: folder });
    await storing.waitFor((rows) => rows.some((row) => row.includes('last blocks')), { timeoutMs: 60_000 });
    await quit(storing);
    const ours: number[] = [];
    const theirs = { viem: [] as number[], ethers: [] as number[] };
    const [runs, bars] = [rounds(SCRIPT_RUNS), rounds(BAR_ROUNDS)];
    for (let round = 0; round < runs; round += 1) {
      ours.push(await timed([GASTOP, 'now', '--json', '--rpc', node.url], gastopEnv, '"averagePrice":'));
      theirs.viem.push(await script(SCRIPTS.viem));
      theirs.ethers.push(await script(SCRIPTS.ethers));
    }
    const bar = await inTurns(bars, [GASTOP, 'now', '--format', BAR_TEXT, '--rpc', node.url], (args) =>
      barSeconds(args, gastopEnv),
    );
    const beside = (['viem', 'ethers'] as const).map((name) => {
      const times = ratios(theirs[name], ours);
      return {
        measure: `as fast as a script with ${name}: gastop now --json --rpc`,
        gastop: `${median(ours).toFixed(0)} ms`,
        yardstick: `${name} script on the same node, ${median(theirs[name]).toFixed(0)} ms`,
        ratio: median(times),
        spread: `${range(times)} in ${runs} runs`,
        budget: [atLeast(median(times), 1.3)],
      };
    });
    return [...beside, barRow('of a node', bar, bars)];
  } finally {
    await node.stop();
  }
}

/** What `npx gastop` downloads, beside the bare Ink program, packed likewise. */
export async function measurePackage(workshop: Workshop): Promise<Row[]> {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: PROJECT });
  const [{ size, unpackedSize, entryCount }] = JSON.parse(stdout);
  const bare = (await promisify(gzip)(await readFile(workshop.bare), { level: 9 })).byteLength;
  return [
    {
      measure: 'package download',
      gastop: `${(size / 1e6).toFixed(2)} MB`,
      yardstick: `bare Ink program, packed likewise, ${(bare / 1e6).toFixed(2)} MB`,
      ratio: size / bare,
      spread: `exact; ${entryCount} files, ${(unpackedSize / 1e6).toFixed(2)} MB unpacked`,
      budget: [atMost(size / 1e6, 1.2, 'MB')],
    },
  ];
}
