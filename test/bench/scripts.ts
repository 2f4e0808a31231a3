import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startAnvil } from '../helpers/anvil.ts';
import { GASTOP, type Workshop } from './programs.ts';
import { atLeast, median, type Row, range, ratios } from './row.ts';

const run = promisify(execFile);
const RUNS = 15;
const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

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

/** Whole runs of `gastop now --json --rpc`, and of the scripts on the same node, in turns. */
export async function measureScripts({ folder, compileCache }: Workshop): Promise<Row[]> {
  const node = await startAnvil({ blockTime: 2 });
  try {
    await node.mine(64);
    const env = { PATH: process.env.PATH, HOME: folder };
    const gastopEnv = { ...env, NODE_COMPILE_CACHE: compileCache };
    const timed = async (args: readonly string[], env: NodeJS.ProcessEnv, expected: string) => {
      const from = performance.now();
      const { stdout } = await run(process.execPath, args, { cwd: PROJECT, env });
      const ms = performance.now() - from;
      if (!stdout.includes(expected)) throw new Error(`printed ${stdout}`);
      return ms;
    };
    const script = (code: string) =>
      timed(['--input-type=module', '-e', code, node.url], env, 'maxFeePerGas');
    const ours: number[] = [];
    const theirs = { viem: [] as number[], ethers: [] as number[] };
    for (let round = 0; round < RUNS; round += 1) {
      ours.push(await timed([GASTOP, 'now', '--json', '--rpc', node.url], gastopEnv, '"averagePrice":'));
      theirs.viem.push(await script(SCRIPTS.viem));
      theirs.ethers.push(await script(SCRIPTS.ethers));
    }
    return (['viem', 'ethers'] as const).map((name) => {
      const times = ratios(theirs[name], ours);
      return {
        measure: `as fast as a script with ${name}: gastop now --json --rpc`,
        gastop: `${median(ours).toFixed(0)} ms`,
        yardstick: `${name} script on the same node, ${median(theirs[name]).toFixed(0)} ms`,
        ratio: median(times),
        spread: `${range(times)} in ${RUNS} runs`,
        budget: [atLeast(median(times), 1.3)],
      };
    });
  } finally {
    await node.stop();
  }
}
