/** `gastop wait` on a node of its own: it waits for real time, so the cases wait side by side. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { Interruption } from '../../src/cli/errors.ts';
import { gastop } from '../helpers/gastop.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain, type ScriptedChain } from '../helpers/scripted-chain.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { runMain } from './captured-io.ts';

const folder = sharedFolder('wait-node');
let files = 0;
const freshFile = () => join(folder, `file-${++files}`);

const LENGTH = 60;
const env = { PATH: process.env.PATH ?? '' };

function chainOf(ageSec: number): ScriptedChain {
  const startedAt = Math.floor(Date.now() / 1_000) - ageSec - LENGTH;
  return createScriptedChain({ length: LENGTH, startedAt, spacingSec: 1 });
}

function keepMining(chain: ScriptedChain, how: { gasUsedRatio?: number } = {}): () => void {
  const timer = setInterval(() => {
    while (chain.head().timestamp < Date.now() / 1_000 + 10) chain.mine(1, how);
  }, 200);
  return () => clearInterval(timer);
}

describe.concurrent('gastop wait on a node', () => {
  it('whose blocks are old does not believe it, however low its price is', async ({ expect }) => {
    const node = await startJsonRpcServer(chainOf(600));
    const ran = freshFile();
    const stop = new AbortController();
    let told = '';
    const source = ['--rpc', `http://127.0.0.1:${node.port}`, '--db', freshFile()];
    const waiting = runMain(['wait', ...source, '--below', '1000', '--', 'touch', ran], {
      env,
      signal: stop.signal,
      onStderr: (text) => {
        told = text;
      },
    });
    await waitFor(() => told.includes('\n'));
    stop.abort(new Interruption(143));
    const { exitCode, stdout, stderr } = await waiting;
    await node.stop();
    expect({ exitCode, stdout, ran: existsSync(ran) }).toEqual({ exitCode: 143, stdout: '', ran: false });
    expect(stderr).toMatch(/^gastop: no current prices: .+; still waiting\n$/);
  });

  it('whose price does not come in time is exit 124, however far the start has come by then', async ({
    expect,
  }) => {
    const node = await startJsonRpcServer(chainOf(600));
    const ran = freshFile();
    const argv = ['--below', '1000', '--timeout', '2s', '--', 'touch', ran];
    const source = ['--rpc', `http://127.0.0.1:${node.port}`, '--db', freshFile()];
    const { exitCode, stdout, stderr } = await runMain(['wait', ...source, ...argv], { env });
    await node.stop();
    expect({ exitCode, stdout, ran: existsSync(ran) }).toEqual({ exitCode: 124, stdout: '', ran: false });
    expect(stderr).toMatch(
      /^gastop: gave up after 2s of waiting until average is at or below 1,000 gwei; [^\n]+\n$/,
    );
  });

  it('that goes away is waited for; it is said once, and the command runs on the price of its return', async ({
    expect,
  }) => {
    const first = chainOf(-10);
    let stopMining = keepMining(first);
    let node = await startJsonRpcServer(first);
    const { port } = node;
    const command = ['sh', '-c', 'echo "$GASTOP_BLOCK $GASTOP_PRICE_GWEI"'];
    await using terminal = await gastop(
      ['wait', '--rpc', `http://127.0.0.1:${port}`, '--below', '2.5', '--', ...command],
      { cols: 160 },
    );
    await terminal.waitFor(/^average 2\.9\d* gwei at #\d+ /m);
    stopMining();
    await node.stop();
    await terminal.waitFor(/^gastop: no current prices: .+; still waiting$/m);
    const chain = chainOf(0);
    chain.mine(20, { gasUsedRatio: 0 });
    const lowest = chain.head().number;
    stopMining = keepMining(chain, { gasUsedRatio: 0 });
    node = await startJsonRpcServer(chain, { port });
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    stopMining();
    await node.stop();
    const said = terminal.screen().join('\n');
    const [, block, price] = /^(\d+) ([\d.]+)$/m.exec(said) ?? [];
    expect(Number(block)).toBeGreaterThanOrEqual(lowest);
    expect(Number(price)).toBeGreaterThan(2);
    expect(Number(price)).toBeLessThanOrEqual(2.5);
    expect(said.match(/no current prices/g)).toHaveLength(1);
  });
});
