import { expect, test } from 'vitest';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { fire } from '../helpers/fired-alert.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { readyService, runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { bytesOf, storedAutoTx } from '../store/auto-txs/stored-auto-txs.ts';

const DAY_SEC = 86_400;
const timeOf = (number: number) => makeBlock(number).timestamp;

async function stored(blocks: Parameters<BlockStore['saveBlocks']>[0], prunedAt?: number) {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const store = new BlockStore(database);
  await store.claimChain({ id: 1 });
  await store.saveBlocks(blocks);
  if (prunedAt !== undefined) await store.prune(prunedAt);
  return { path, database, store };
}

test('the service folds what is older than 30 days into hours by itself', async () => {
  const { database, store, path } = await stored(makeBlocks(0, 899));
  const late = timeOf(899) + 31 * DAY_SEC;
  const now = Array.from({ length: 300 }, (_, i) => makeBlock(900 + i, { timestamp: late + i * 12 }));
  const source = new ScriptedSource([...makeBlocks(0, 899), ...now]);
  await readyService({ source, database: path, wallNow: () => (late + 3_600) * 1_000 });
  await waitFor(async () => (await store.oldest())?.number === 900);
  const hours = await database.queries
    .selectFrom('rollups')
    .select(['bucket_sec', 'first_block'])
    .where('start', '<', late - 30 * DAY_SEC)
    .orderBy('first_block')
    .execute();
  expect(hours.map((row) => [row.bucket_sec, row.first_block])).toEqual([
    [3_600, 0],
    [3_600, 300],
    [3_600, 600],
  ]);
});

test('a head that claims to be of the far future does not fold the present away', async () => {
  const { store, path } = await stored(makeBlocks(0, 899));
  const head = makeBlock(900, { timestamp: timeOf(900) + 400 * DAY_SEC });
  const source = new ScriptedSource([...makeBlocks(0, 899), head]);
  const service = await runService({ source, database: path, wallNow: () => (timeOf(900) + 60) * 1_000 });
  await service.filled();
  expect([(await store.oldest())?.number, (await store.head())?.number]).toEqual([0, 900]);
});

test('a history that was folded up to a time yet to come takes in what is true again', async () => {
  const { database, store, path } = await stored(makeBlocks(0, 99), timeOf(99) + 400 * DAY_SEC);
  expect(await store.head()).toBeNull();
  await database.close();
  const source = new ScriptedSource(makeBlocks(0, 899));
  const service = await readyService({
    source,
    database: path,
    wallNow: () => (timeOf(899) + 60) * 1_000,
  });
  const reader = await openDatabase(path);
  await waitFor(async () => (await new BlockStore(reader).missingRanges({ from: 0, to: 899 })).length === 0);
  await service.stop();
  await reader.close();
});

test('a clock that is set 400 days ahead ends no auto-tx for good and forgets no delivery', async () => {
  const { path, database } = await stored(makeBlocks(0, 99));
  const now = timeOf(99) * 1_000;
  const autoTxs = new AutoTxStore(database);
  const inDays = async (id: string, nonce: number, days: number) => {
    const kept = storedAutoTx(id, {
      order: { expiresAt: now + days * DAY_SEC * 1_000 },
      signed: { nonce },
    });
    await autoTxs.create(kept, bytesOf(id), 10);
  };
  await inDays('atx_week', 1, 7);
  const delivery = await fire(database, 'alert', { row: { status: 'DELIVERED', next_attempt_at: null } });
  await database.queries.deleteFrom('alerts').execute();
  const source = new ScriptedSource(makeBlocks(0, 99));
  await readyService({
    source,
    database: path,
    wallNow: () => now + 400 * DAY_SEC * 1_000,
  });
  await waitFor(async () => (await new LeaseStore(database).read()) !== null);
  source.mine(makeBlock(100));
  // Over by the chain's own time, too.
  await inDays('atx_yesterday', 0, -1);
  await waitFor(async () => (await autoTxs.find('', 'atx_yesterday'))?.state.status === 'EXPIRED');
  expect((await autoTxs.find('', 'atx_week'))?.state.status).toBe('PENDING');
  expect(await database.queries.selectFrom('deliveries').select('id').execute()).toEqual([{ id: delivery }]);
});
