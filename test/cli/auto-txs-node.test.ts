import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, describe, expect, it } from 'vitest';
import { SIMULATED_CHAIN_ID } from '../../src/core/chains.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { type RunOptions, runMain } from './captured-io.ts';

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const GWEI = 1_000_000_000n;
const folder = sharedFolder('auto-txs-node');

const anvil = await startAnvil({ chainId: 31_337, baseFee: 7_000_000_000, noMining: true });
await anvil.mine(30);
afterAll(() => anvil.stop());

const run = (argv: readonly string[], options: RunOptions = {}) =>
  runMain(['auto-txs', ...argv, '--rpc', anvil.url], { env: { XDG_DATA_HOME: folder }, ...options });

async function signedFile(more: { nonce?: number; cap?: bigint; value?: bigint; chainId?: number } = {}) {
  const { nonce = 0, cap = 50n * GWEI, value = 1n, chainId = 31_337 } = more;
  const raw = await ACCOUNT.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: TO,
    value,
    gas: 21_000n,
    maxFeePerGas: cap,
    maxPriorityFeePerGas: GWEI / 100n,
  });
  const file = join(mkdtempSync(join(folder, 'signed-')), 'tx');
  writeFileSync(file, raw);
  return file;
}

describe('on a real node', () => {
  it('a check says with the node’s own figures that nothing is in the way', async () => {
    const { exitCode, stdout, stderr } = await run(['check', await signedFile(), '--target', '0.05']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const name of [
      'chain',
      'signature',
      'nonce',
      'nonce-gap',
      'balance',
      'cap',
      'intrinsic-gas',
      'expiry',
    ]) {
      expect(stdout).toMatch(new RegExp(`^✓ ${name} `, 'm'));
    }
    expect(stdout).toMatch(/^◌ reachable +it waits until the Average lane is at or below 0\.05 gwei/m);
    expect(stdout).toMatch(/^. cost +fees of (about|at most)/m);
  });

  it.each([
    ['a nonce that leaves a gap', { nonce: 3 }, 'nonce-gap'],
    ['more than the account has', { value: 10n ** 30n }, 'balance'],
    ['another chain', { chainId: 1 }, 'chain'],
  ])('a check fails for %s', async (_, more, name) => {
    const { exitCode, stdout } = await run(['check', await signedFile(more), '--json', '--target', '0.05']);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean | null }[] };
    expect([exitCode, checks.filter(({ ok }) => ok === false).map((check) => check.name)]).toEqual([
      1,
      [name],
    ]);
  });

  it('one is made, shown, listed, changed, disabled, cancelled and deleted in the database here', async () => {
    const file = await signedFile({ value: 123_456_789n });
    const made = await run(['create', file, '--target', '0.05', '--expires', '6h', '--note', 'rent']);
    expect(made.exitCode, made.stderr).toBe(0);
    const id = made.stdout.trim();
    expect(made.stderr).toContain('it is broadcast while gastop or gastop serve runs on this database');
    const list = JSON.parse((await run(['list', '--json'])).stdout);
    expect(list).toMatchObject({
      total: 1,
      items: [{ id, status: 'PENDING', targetGasPriceGwei: 0.05, value: '123456789', note: 'rent' }],
    });
    const shown = await run(['show', id]);
    expect(shown.stdout).toMatch(/^target +Average ≤ 0.05 gwei$/m);
    expect(shown.stdout).toContain(`from          ${ACCOUNT.address}`);
    expect(shown.stdout).toContain('history, newest first (UTC)');
    const listed = (await run(['list'])).stdout.trim().split('\n');
    expect(listed).toHaveLength(2);
    expect(listed[1]).toMatch(new RegExp(`^${id}  pending  Average ≤ 0.05 gwei +−\\d+ % `));
    const again = await run(['create', file, '--target', '0.04']);
    expect([again.exitCode, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain(id);
    expect((await run(['update', id, '--target', '0.03', '--disable', '--expires', 'never'])).exitCode).toBe(
      0,
    );
    expect(JSON.parse((await run(['show', id, '--json'])).stdout)).toMatchObject({
      status: 'DISABLED',
      targetGasPriceGwei: 0.03,
      expiresAt: null,
    });
    expect((await run(['check', '--id', id])).exitCode).toBe(0);
    const early = await run(['delete', id, '--yes']);
    expect(early.exitCode).toBe(1);
    expect((await run(['cancel', id])).exitCode).toBe(0);
    expect(JSON.parse((await run(['list', '--status', 'cancelled', '--json'])).stdout).total).toBe(1);
    expect((await run(['delete', id, '--yes'])).exitCode).toBe(0);
    expect((await run(['list'])).stderr).toContain('there are no auto-txs');
    const raw = readFileSync(file, 'utf8').slice(2);
    for (const { stdout, stderr } of [made, shown, again, early])
      expect(stdout + stderr).not.toContain(raw.slice(-60));
  });

  const offline = (argv: readonly string[]) => {
    const db = join(folder, 'gastop', 'chain-31337.db');
    return runMain(['auto-txs', ...argv, '--db', db, '--rpc', 'http://127.0.0.1:9'], {
      env: { XDG_DATA_HOME: folder },
    });
  };

  slowIt('while no node answers the list has no distances, no check goes by stored prices', async () => {
    expect((await offline(['list'])).stderr).toBe(
      'gastop: there are no auto-txs; gastop auto-txs create makes one\n',
    );
    const made = await run(['create', await signedFile(), '--target', '0.05']);
    const id = made.stdout.trim();
    // Both wait for a node that may only be starting, so they wait together.
    const [listed, checked] = await Promise.all([
      offline(['list']),
      offline(['check', await signedFile({ nonce: 1 }), '--target', '0.05']),
    ]);
    const { exitCode, stdout, stderr } = listed;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'gastop: the prices are unknown now, and so are the distances to the targets\n',
    });
    expect(stdout).toMatch(new RegExp(`^${id}  pending  Average ≤ 0.05 gwei +- `, 'm'));
    for (const name of ['nonce', 'nonce-gap', 'balance', 'cap'])
      expect(checked.stdout).toMatch(new RegExp(`^\\? ${name} `, 'm'));
    expect(checked.stdout).toMatch(/^✓ chain /m);
    expect(checked.stdout).not.toMatch(/has to\s+fall/);
    await run(['cancel', id]);
    await run(['delete', id, '--yes']);
  });

  it('a simulated chain takes one that is signed for its chain id, and says that nothing is kept', async () => {
    const create = async (chainId: number) =>
      runMain(['auto-txs', 'create', await signedFile({ chainId }), '--target', '0.05', '--demo'], {
        env: { XDG_DATA_HOME: folder },
      });
    const made = await create(SIMULATED_CHAIN_ID);
    expect(made.exitCode, made.stderr).toBe(0);
    expect(made.stdout).toMatch(/^atx_\w+\n$/);
    expect(made.stderr.replace(/\s+/g, ' ')).toContain('it is lost with the simulated chain');
    const refused = await create(31_337);
    expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('chain 31337');
  });
});
