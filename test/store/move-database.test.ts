import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { KeyStore } from '../../src/store/api-keys.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { type Database, openDatabase, openKeyDatabase } from '../../src/store/database.ts';
import { moveDatabase } from '../../src/store/move-database.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { asked, ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { fire } from '../helpers/fired-alert.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { bytesOf, draftAutoTx, keptAutoTx } from './auto-txs/kept-auto-txs.ts';
import { given, sendWithin } from './given.ts';

const NO_CAP = Number.POSITIVE_INFINITY;
const NOW = 1_800_000_000_000;

async function opened<Opened extends { close(): Promise<void> }>(opening: Promise<Opened>): Promise<Opened> {
  const database = await opening;
  onTestFinished(() => database.close());
  return database;
}

async function fill(history: Database): Promise<void> {
  const block = makeBlock(700);
  const blocks = new BlockStore(history);
  await blocks.claimChain({ id: 1, genesisHash: `0x${'ab'.repeat(32)}` });
  await blocks.saveBlocks(makeBlocks(0, 699));
  await blocks.saveBlocks([block], given(block, sendWithin(block, 3, 9n)));
  await fire(history, 'alr_1');
  const autoTxs = new AutoTxStore(history);
  await autoTxs.create(keptAutoTx('atx_1'), bytesOf('atx_1'), NO_CAP);
  await autoTxs.create(draftAutoTx('atx_2'), null, NO_CAP);
}

const at = (now: number, running: string | null = null) => ({
  now,
  isRunning: (place: string | null) => running !== null && place === running,
});

const all = async ({ queries }: Pick<Database, 'queries'>, table: string): Promise<string[]> => {
  const { rows } = await sql<object>`select * from ${sql.table(table)}`.execute(queries);
  return rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();
};

test.runIf(ENGINES.includes('PostgreSQL'))('all of a file goes to an empty server, only there', async () => {
  const folder = await temporaryFolder();
  const target = await emptyDatabase('PostgreSQL');
  const history = await opened(openDatabase(join(folder, 'chain-1.db')));
  const keys = await opened(openKeyDatabase(join(folder, 'keys.db')));
  const keyStore = new KeyStore(keys);
  await fill(history);
  await keyStore.add({ id: 'a', name: 'bot', plan: 'free' }, { hash: 'ab', at: 1 });
  await keyStore.spend(7, [{ keyId: 'a', count: 3, limit: null }]);

  const locked = await opened(openDatabase(target));
  await expect(moveDatabase(history, keys, locked, at(NOW))).rejects.toMatchObject({
    code: 'no-key',
  });
  const lease = {
    name: 'leader',
    holder: 'x',
    process: 'gastop serve, process 5',
    since: NOW,
    heartbeat_at: NOW,
  };
  await history.queries.insertInto('leases').values(lease).execute();
  const key = randomBytes(32);
  const to = await opened(openDatabase(target, key));
  await expect(moveDatabase(history, keys, to, at(NOW))).rejects.toThrow(
    'process 5 writes to chain-1.db; end it first',
  );
  expect(await new BlockStore(to).head()).toBeNull();

  // Its heartbeat is an hour old, but it is there.
  await history.queries.updateTable('leases').set({ place: 'here' }).where('name', '=', 'leader').execute();
  await expect(moveDatabase(history, keys, to, at(NOW + 3_600_000, 'here'))).rejects.toThrow(
    'process 5 still has chain-1.db, though suspended; let it go on, and end it first',
  );

  await asked(target, 'create rule lossy as on insert to usage do instead nothing');
  await expect(moveDatabase(history, keys, to, at(NOW + 3_600_000))).rejects.toThrow(
    '0 of 1 rows of usage arrived; nothing was kept',
  );
  await asked(target, 'drop rule lossy on usage');
  expect(await new BlockStore(to).head()).toBeNull();

  const twin = await opened(openDatabase(target, key));
  const both = await Promise.allSettled([
    moveDatabase(history, keys, to, at(NOW + 3_600_000)),
    moveDatabase(history, keys, twin, at(NOW + 3_600_000)),
  ]);
  const [done, refused] = both.toSorted((one, other) => one.status.localeCompare(other.status));
  expect(refused).toMatchObject({
    reason: { message: expect.stringContaining('another gastop migrate fills') },
  });
  const counts = done?.status === 'fulfilled' ? done.value : new Map<string, number>();
  expect(counts.get('blocks')).toBe(701);
  const same = [
    'blocks',
    'rollups',
    'advice',
    'alerts',
    'deliveries',
    'auto_txs',
    'auto_tx_events',
    'signing_secrets',
  ];
  for (const table of same) expect(await all(to, table)).toEqual(await all(history, table));
  expect(await new AutoTxStore(to).signedBytes('atx_1')).toEqual(bytesOf('atx_1'));
  expect(await new BlockStore(to).chainId()).toBe(1);
  const moved = new KeyStore(await opened(openKeyDatabase(target)));
  expect([await moved.list(), await moved.usedOn(7, 'a')]).toEqual([await keyStore.list(), 3]);
  await expect(moveDatabase(history, keys, to, at(NOW + 3_600_000))).rejects.toThrow(/is not empty \(meta\)/);
});
