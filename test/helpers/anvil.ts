/** The platform package's own binary: the launcher leaves its child behind when it is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTime, PATIENCE_MS } from './wait-for.ts';

export interface AnvilOptions {
  readonly blockTime?: number;
  readonly chainId?: number;
  readonly baseFee?: bigint | number;
  readonly noMining?: boolean;
  readonly gasLimit?: number;
  readonly port?: number;
  readonly args?: readonly string[];
}

export type Anvil = Awaited<ReturnType<typeof startAnvil>>;

const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;

export async function startAnvil(options: AnvilOptions = {}) {
  const args = ['--host', '127.0.0.1', '--port', String(options.port ?? 0)];
  if (options.blockTime !== undefined) args.push('--block-time', String(options.blockTime));
  if (options.chainId !== undefined) args.push('--chain-id', String(options.chainId));
  if (options.baseFee !== undefined) args.push('--block-base-fee-per-gas', String(options.baseFee));
  if (options.gasLimit !== undefined) args.push('--gas-limit', String(options.gasLimit));
  if (options.noMining) args.push('--no-mining');
  args.push(...(options.args ?? []));

  // It writes old states below its home, hundreds of megabytes of a long chain, and leaves them when it is killed.
  const home = mkdtempSync(join(tmpdir(), 'gastop-anvil-'));
  const env = { ...process.env, HOME: home };
  const child = spawn(anvilBinary(), args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const exited = once(child, 'exit');
  endWithThisProcess(child, home);
  const port = await listeningPort(child);
  const url = `http://127.0.0.1:${port}`;

  const rpc = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const body = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (body.error) throw new Error(`anvil ${method}: ${body.error.message}`);
    return body.result;
  };
  const accounts = async () => (await rpc('eth_accounts')) as readonly string[];
  /** The node keeps its fee history beside its blocks: for a moment a new block is in none, and the answer is empty. */
  const feeHistoryOfHead = async () => {
    for (const endsAt = Date.now() + 60_000; Date.now() < endsAt; ) {
      const history = (await rpc('eth_feeHistory', ['0x1', 'latest', []])) as { gasUsedRatio?: unknown[] };
      if (history.gasUsedRatio?.length === 1) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error('anvil does not have its newest block in its fee history');
  };

  return {
    url,
    wsUrl: `ws://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    rpc,
    accounts,
    mine: async (count = 1) => {
      await rpc('anvil_mine', [quantity(count)]);
      await feeHistoryOfHead();
    },
    sendTransfers: async (tips: readonly (bigint | number)[]): Promise<readonly string[]> => {
      const from = await accounts();
      const hashes: string[] = [];
      for (const [index, tip] of tips.entries()) {
        const transfer = {
          from: from[index % from.length],
          to: from[(index + 1) % from.length],
          value: '0x1',
          gas: quantity(21_000),
          // Generous, so that it stays valid whatever the base fee does in a test.
          maxFeePerGas: quantity(10_000_000_000_000n),
          maxPriorityFeePerGas: quantity(tip),
        };
        hashes.push(String(await rpc('eth_sendTransaction', [transfer])));
      }
      return hashes;
    },
    setNextBaseFee: async (wei: bigint | number) => {
      await rpc('anvil_setNextBlockBaseFeePerGas', [quantity(wei)]);
    },
    reorg: async (depth: number) => {
      await rpc('anvil_reorg', [depth, []]);
      await feeHistoryOfHead();
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  // The platform package is a dependency of the launcher, so it is looked up from there.
  const launcher = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
  return createRequire(launcher).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/bin/anvil${suffix}`);
}

async function listeningPort(child: ChildProcess): Promise<number> {
  let output = '';
  const listening = new Promise<number>((resolve, reject) => {
    // The handlers stay: an undrained pipe would stop the node after a few blocks' worth of log.
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        if (output.length > 100_000) return;
        output += text;
        const port = /Listening on [^\s:]+:(\d+)/.exec(output)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
    }
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`anvil did not start: ${output.slice(-500)}`)));
  });
  // Many files start one while they are imported, for which Vitest has no time limit.
  return inTime(listening, 'the port of anvil', PATIENCE_MS, () => `: ${output.slice(-500)}`);
}

/** With the folder that each writes to. */
const running = new Map<ChildProcess, string>();
let watchingExit = false;

const remove = (home: string) => rmSync(home, { recursive: true, force: true, maxRetries: 3 });

function endWithThisProcess(child: ChildProcess, home: string): void {
  if (!watchingExit) {
    watchingExit = true;
    process.once('exit', () => {
      for (const [each, folder] of running) {
        each.kill('SIGKILL');
        remove(folder);
      }
    });
  }
  running.set(child, home);
  child.once('exit', () => {
    running.delete(child);
    remove(home);
  });
}
