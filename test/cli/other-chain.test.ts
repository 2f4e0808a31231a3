import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { headerOf, type JsonRpcServer, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { ended, runMain } from './captured-io.ts';

const folder = sharedFolder('other-chain');
const db = join(folder, 'anvil.db');

const database = await openDatabase(db);
const store = new BlockStore(database);
await store.claimChain({ id: 31_337 });
await store.saveBlocks(makeBlocks(0, 99));
await database.close();
const node = await startJsonRpcServer(createScriptedChain({ length: 20, chainId: 1 }));
afterAll(() => node.stop());

it.each(['now', 'now --stale-ok', 'wait --below 1', 'history', 'serve --port 0'])(
  '%s refuses a database of another chain in one line that fits, without a price of it',
  async (command) => {
    const argv = command.split(' ');
    const said = 'gastop: anvil.db holds chain 31337, not';
    const demo = await runMain([...argv, '--demo', '--db', db]);
    expect(demo).toEqual(ended(2, '', `${said} the simulated chain; name another path with --db\n`));
    const other = await runMain([...argv, '--rpc', node.url, '--db', db]);
    expect(other).toEqual(ended(2, '', `${said} chain 1; name another path with --db\n`));
  },
);

describe('a development chain that borrows the id of Ethereum', () => {
  it('is named so, and has a database of its own', async () => {
    const anvil = await startAnvil({ chainId: 1, noMining: true });
    onTestFinished(() => anvil.stop());
    await anvil.mine(3);
    const env = { XDG_DATA_HOME: folder };
    const argv = ['now', '--rpc', anvil.url, '--format', '{chain} {block}'];
    expect(await runMain(argv, { env })).toEqual(ended(0, 'development chain with id 1 3\n', ''));
    const { stdout } = await runMain(['block', '--rpc', anvil.url], { env });
    expect(stdout).toMatch(/^development chain with id 1 {2}#3\n/);
    const sent = {
      from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      to: `0x${'2'.repeat(40)}`,
      value: '0x1',
    };
    const hash = String(await anvil.rpc('eth_sendTransaction', [sent]));
    await anvil.mine();
    const tx = await runMain(['tx', hash, '--rpc', anvil.url], { env });
    expect(tx.stdout).toMatch(/^development chain with id 1 {2}transaction\n/);
    expect(readdirSync(join(folder, 'gastop'))).toContain('chain-1-dev.db');
    expect(readdirSync(join(folder, 'gastop'))).not.toContain('chain-1.db');
  });

  it('is refused a database of the real one, and the real one a database of it', async () => {
    const [real, borrowed] = [join(folder, 'real.db'), join(folder, 'borrowed.db')];
    const anvil = await startAnvil({ chainId: 1, noMining: true });
    onTestFinished(() => anvil.stop());
    expect((await runMain(['now', '--rpc', node.url, '--stale-ok', '--db', real])).exitCode).toBe(0);
    expect((await runMain(['now', '--rpc', anvil.url, '--stale-ok', '--db', borrowed])).exitCode).toBe(0);
    const others = 'name another path with --db\n';
    expect(await runMain(['now', '--rpc', anvil.url, '--db', real])).toEqual(
      ended(2, '', `gastop: real.db holds chain 1, not a development chain with id 1; ${others}`),
    );
    expect(await runMain(['now', '--rpc', node.url, '--db', borrowed])).toEqual(
      ended(2, '', `gastop: borrowed.db holds a development chain with id 1, not chain 1; ${others}`),
    );
  });
});

describe('a chain that is not known by name', () => {
  it.each([
    [369, 'PLS'],
    [8_217, 'KAIA'],
    [999, 'HYPE'],
    [5_042_002, 'USDC'],
    [4_444_444, 'coins'],
  ])('%i pays in %s, never in ETH', async (chainId, symbol) => {
    const odd: JsonRpcServer = await startJsonRpcServer(createScriptedChain({ length: 20, chainId }), {
      answer: (method, [tag]) => {
        const block = odd.chain.at(tag === 'latest' ? odd.chain.head().number : Number(tag));
        const miner = `0x${'1'.repeat(40)}`;
        return method === 'eth_getBlockByNumber' && block
          ? { result: { ...headerOf(block), miner } }
          : undefined;
      },
    });
    onTestFinished(() => odd.stop());
    const env = { XDG_DATA_HOME: folder };
    const { stdout } = await runMain(['block', '19', '--rpc', odd.url], { env });
    expect(stdout).toMatch(new RegExp(`^burnt +0\\.\\d+ ${symbol}$`, 'm'));
    expect(stdout).not.toContain('ETH');
  });
});

it('what is refused is left as it was', async () => {
  const database = await openDatabase(db);
  const store = new BlockStore(database);
  expect([await store.chainId(), (await store.head())?.number]).toEqual([31_337, 99]);
  await database.close();
});
