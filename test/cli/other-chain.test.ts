import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlockStore } from '../../src/store/block-store.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { type JsonRpcServer, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { runMain } from './captured-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'gastop-other-chain-'));
const db = join(folder, 'anvil.db');
let node: JsonRpcServer;

beforeAll(async () => {
  const database = await openDatabase(db);
  const store = new BlockStore(database);
  await store.claimChain(31_337);
  await store.saveBlocks(makeBlocks(0, 99));
  await database.close();
  node = await startJsonRpcServer(createScriptedChain({ length: 20, chainId: 1 }));
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
});

it.each(['now', 'now --stale-ok', 'wait --below 1', 'history', 'serve --port 0'])(
  '%s refuses a database of another chain in one line that fits, without a price of it',
  async (command) => {
    const argv = command.split(' ');
    const said = 'gastop: anvil.db holds chain 31337, not';
    const demo = await runMain([...argv, '--demo', '--db', db]);
    expect(demo).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${said} the simulated chain; name another path with --db\n`,
    });
    const other = await runMain([...argv, '--rpc', node.url, '--db', db]);
    expect(other).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${said} chain 1; name another path with --db\n`,
    });
  },
);

it('what is refused is left as it was', async () => {
  const database = await openDatabase(db);
  const store = new BlockStore(database);
  expect([await store.chainId(), (await store.head())?.number]).toEqual([31_337, 99]);
  await database.close();
});
