import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { BlockMetrics, TxMetrics } from '../../src/contract/explorer.ts';
import { formatGwei } from '../../src/core/units.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { runMain } from './captured-io.ts';

const GWEI = 1_000_000_000;
const folder = mkdtempSync(join(tmpdir(), 'gastop-explorer-'));
const env = { XDG_DATA_HOME: folder };
let anvil: Anvil;
let hashes: readonly string[];

const Quantity = z.string().transform(Number);
const NodeBlock = z.object({ hash: z.string(), baseFeePerGas: Quantity, gasUsed: Quantity });
const NodeReceipt = z.object({ effectiveGasPrice: Quantity, gasUsed: Quantity, blockNumber: Quantity });

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31_337, baseFee: 7 * GWEI, noMining: true });
  await anvil.mine(3);
  hashes = await anvil.sendTransfers([1 * GWEI, 2 * GWEI, 3 * GWEI]);
  await anvil.mine();
});
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...argv: readonly string[]) => runMain([...argv, '--rpc', anvil.url], { env });

describe('over a real node', () => {
  it('block is what the node says of it, its newest and one by its number', async () => {
    const node = NodeBlock.parse(await anvil.rpc('eth_getBlockByNumber', ['0x4', false]));
    for (const which of ['latest', '4', '0x4']) {
      const { exitCode, stdout } = await run('block', which, '--json');
      expect(exitCode).toBe(0);
      expect(BlockMetrics.parse(JSON.parse(stdout))).toMatchObject({
        blockNumber: 4,
        hash: node.hash,
        baseFeePerGas: node.baseFeePerGas,
        gasUsed: node.gasUsed,
        transactionCount: 3,
        burntWei: String(BigInt(node.baseFeePerGas) * BigInt(node.gasUsed)),
      });
    }
    const { stdout, stderr } = await run('block');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Anvil {2}#4\n/);
    expect(stdout).toContain(`hash          ${node.hash}\n`);
    expect(stdout).toContain(`base fee      ${formatGwei(node.baseFeePerGas)} gwei\n`);
  });

  it('tx is what the node says of it, and its tip stands where it stood', async () => {
    const [, middle = ''] = hashes;
    const node = NodeReceipt.parse(await anvil.rpc('eth_getTransactionReceipt', [middle]));
    const { exitCode, stdout } = await run('tx', middle, '--json');
    expect(exitCode).toBe(0);
    expect(TxMetrics.parse(JSON.parse(stdout))).toMatchObject({
      hash: middle,
      status: 'SUCCESS',
      type: 2,
      blockNumber: node.blockNumber,
      effectiveGasPrice: node.effectiveGasPrice,
      priorityFeePerGas: 2 * GWEI,
      costWei: String(BigInt(node.effectiveGasPrice) * BigInt(node.gasUsed)),
      tipRank: 0.5,
    });
    const text = (await run('tx', middle)).stdout;
    expect(text).toContain('type          EIP-1559\n');
    expect(text).toContain("tip rank      above 50 % of its block's 2 others, ties counted half\n");
  });

  it('what the node does not have is one line and exit 1', async () => {
    const block = await run('block', '999999');
    expect(block).toMatchObject({ exitCode: 1, stdout: '' });
    expect(block.stderr).toMatch(/^gastop: block 999999 [^\n]+\n$/);
    const tx = await run('tx', `0x${'00'.repeat(32)}`);
    expect(tx).toMatchObject({ exitCode: 1, stdout: '' });
    expect(tx.stderr).toMatch(/^gastop: [^\n]+\n$/);
  });

  it('the doctor understands every route that there is to the letter, and finds a transaction to ask for', async () => {
    const { exitCode, stdout } = await run('doctor', '--json');
    expect(exitCode).toBe(0);
    const routes = z
      .object({
        routes: z.array(
          z.object({
            path: z.string(),
            outcome: z.string(),
            reading: z.object({ match: z.string() }).nullable(),
          }),
        ),
      })
      .parse(JSON.parse(stdout))
      .routes.filter(({ path }) => !/alerts|auto-txs/.test(path));
    expect(routes).toHaveLength(14);
    for (const { path, outcome, reading } of routes) {
      expect({ path, outcome, match: reading?.match }).toEqual({
        path,
        outcome: 'understood',
        match: 'letter',
      });
    }
  });
});
