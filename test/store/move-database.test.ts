import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Lease } from '../../src/service/lease.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { type Database, openDatabase, openKeyDatabase } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { HISTORY_TABLES, KEY_TABLES, moveDatabase } from '../../src/store/move-database.ts';
import { takeBack } from '../../src/store/moved.ts';
import { FILE_TABLES } from '../../src/store/sqlite.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { asked, ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { fire } from '../helpers/fired-alert.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { bytesOf, draftAutoTx, storedAutoTx } from './auto-txs/stored-auto-txs.ts';
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
  await autoTxs.create(storedAutoTx('atx_1'), bytesOf('atx_1'), NO_CAP);
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

test('every table of the files is moved, but the lease', async () => {
  const tablesOf = async <Schema>({ queries }: Pick<Database<Schema>, 'queries'>) => {
    const { rows } = await FILE_TABLES.execute(queries);
    return rows.map(({ name }) => name).filter((name) => !/^kysely_|^leases$/.test(name));
  };
  const history = await opened(openDatabase(':memory:'));
  const keys = await opened(openKeyDatabase(':memory:'));
  expect((await tablesOf(history)).sort()).toEqual([...HISTORY_TABLES].sort());
  expect((await tablesOf(keys)).sort()).toEqual([...KEY_TABLES].sort());
});

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
  await expect(moveDatabase(history, keys, to, at(NOW + 3_600_000))).rejects.toThrow(
    `all of it is in ${to.name} already`,
  );
  const other = await opened(openDatabase(join(folder, 'chain-10.db')));
  await expect(moveDatabase(other, null, to, at(NOW + 3_600_000))).rejects.toThrow(/is not empty \(meta\)/);
});

describe.runIf(ENGINES.includes('PostgreSQL'))('a file that was moved', () => {
  const LATER = NOW + 3_600_000;

  async function moved() {
    const path = join(await temporaryFolder(), 'chain-1.db');
    const history = await opened(openDatabase(path));
    await fill(history);
    const key = randomBytes(32);
    const to = await opened(openDatabase(await emptyDatabase('PostgreSQL'), key));
    /** Has the file open since before the move. */
    const sleeper = await opened(openDatabase(path));
    const move = () => moveDatabase(history, null, to, at(LATER));
    return { path, history, to, key, sleeper, move };
  }

  function leaseOf(database: Database, role: 'service' | 'one-shot') {
    const errors: unknown[] = [];
    const lease = new Lease({
      store: new LeaseStore(database),
      process: 'gastop serve, process 5',
      role,
      wallNow: () => LATER,
      onError: (error) => errors.push(error),
    });
    return { lease, errors };
  }

  test('is not led by a standby that slept meanwhile', async () => {
    const { sleeper, to, move } = await moved();
    const { lease, errors } = leaseOf(sleeper, 'service');
    await move();
    await lease.bid();
    await lease.takeOver();
    expect([lease.state, lease.current]).toEqual(['idle', null]);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'moved',
        message: expect.stringContaining(`chain-1.db was moved to ${to.name}; start gastop on that`),
      }),
    ]);
  });

  test('is not led on by a leader of another machine that slept meanwhile', async () => {
    const { sleeper, move } = await moved();
    const { lease, errors } = leaseOf(sleeper, 'service');
    await lease.bid();
    expect(lease.state).toBe('leads');
    const { right } = lease;
    await sleeper.queries
      .updateTable('leases')
      .set({ place: null, heartbeat_at: NOW })
      .where('name', '=', 'leader')
      .execute();
    await move();
    const blocks = new BlockStore(sleeper, () => right);
    await expect(blocks.saveBlocks([makeBlock(701)])).rejects.toMatchObject({ code: 'moved' });
    const autoTxs = new AutoTxStore(sleeper, () => right);
    await expect(autoTxs.create(draftAutoTx('atx_3'), null, NO_CAP)).rejects.toMatchObject({ code: 'moved' });
    await lease.look();
    expect(lease.state).toBe('idle');
    expect(errors).toEqual([expect.objectContaining({ code: 'moved' })]);
  });

  test('is not written to by a command that slept meanwhile', async () => {
    const { sleeper, move } = await moved();
    const { lease } = leaseOf(sleeper, 'one-shot');
    await lease.bid();
    expect(lease.state).toBe('leaderless');
    await move();
    const blocks = new BlockStore(sleeper, () => lease.right);
    await expect(blocks.saveBlocks([makeBlock(701)])).rejects.toMatchObject({ code: 'moved' });
    expect((await blocks.head())?.number).toBe(700);
  });

  test('is moved nowhere else, opened by nothing, and there again when it was taken back', async () => {
    const { path, history, to, key, move } = await moved();
    await move();
    const elsewhere = await opened(openDatabase(await emptyDatabase('PostgreSQL'), key));
    await expect(moveDatabase(history, null, elsewhere, at(LATER))).rejects.toThrow(
      `chain-1.db was moved to ${to.name}`,
    );
    await expect(openDatabase(path)).rejects.toMatchObject({ code: 'moved' });
    await history.transaction(takeBack);
    const again = await opened(openDatabase(path));
    const { lease } = leaseOf(again, 'service');
    await lease.bid();
    expect(lease.state).toBe('leads');
    await new BlockStore(again, () => lease.right).saveBlocks([makeBlock(701)]);
  });

  test('goes on to where the server lost it, when the command is repeated', async () => {
    const { path, to, history, move } = await moved();
    // Fails when the transaction is committed.
    await sql`create function lose() returns trigger language plpgsql as
      $$ begin raise exception 'lost' using errcode = '53100'; end $$`.execute(to.queries);
    await sql`create constraint trigger lose after insert on blocks deferrable initially deferred
      for each row execute function lose()`.execute(to.queries);
    await expect(move()).rejects.toThrow(/is full; .*chain-1\.db is marked as moved there; run/);
    await expect(openDatabase(path)).rejects.toMatchObject({ code: 'moved' });
    await sql`drop function lose() cascade`.execute(to.queries);
    expect((await move()).get('blocks')).toBe(701);
    expect(await all(to, 'alerts')).toEqual(await all(history, 'alerts'));
    const meta = await to.queries.selectFrom('meta').select('key').execute();
    expect(meta.map((row) => row.key)).not.toContain('moved');
  });
});
