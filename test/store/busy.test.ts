import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { isServerUrl } from '../../src/store/database-url.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { temporaryFile } from '../helpers/service.ts';

async function holdElsewhere(path: string): Promise<() => void> {
  if (isServerUrl(path)) return holdOnServer(path);
  const script = `
    const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)});
    database.exec('begin immediate');
    console.log('held');
    process.stdin.once('data', () => { database.close(); process.exit(); });`;
  const child = spawn(process.execPath, ['--no-warnings', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill();
  });
  await once(child.stdout, 'data');
  return () => child.stdin.write('let go');
}

async function holdOnServer(url: string): Promise<() => void> {
  const { queries } = await openDatabase(url);
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = queries.transaction().execute(async (trx) => {
    await sql`lock table blocks in share row exclusive mode`.execute(trx);
    held.resolve();
    await letGo.promise;
  });
  onTestFinished(async () => {
    letGo.resolve();
    await holding;
    await queries.destroy();
  });
  await held.promise;
  return letGo.resolve;
}

/** Lets the event loop turn twenty times; a process that waits within SQLite turns once. */
async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await setTimeout(10);
}

test.each(ENGINES)('a write waits for another process, all else goes on meanwhile, on %s', async (engine) => {
  const path = await emptyDatabase(engine, 'shared');
  const database = await openDatabase(path);
  const store = new BlockStore(database);
  await store.saveBlocks(makeBlocks(0, 4));
  const letGo = await holdElsewhere(path);
  const write = store.saveBlocks(makeBlocks(5, 9));
  // Reading needs no lock and does not queue behind the write.
  let written = false;
  void write.then(() => {
    written = true;
  });
  await turns();
  expect((await store.head())?.number).toBe(4);
  expect(written).toBe(false);
  letGo();
  await write;
  expect((await store.newest(20)).map((block) => block.number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await database.close();
});

test.each(ENGINES)('writes that wait together are done in the order they came, on %s', async (engine) => {
  const path = await emptyDatabase(engine, 'shared');
  const database = await openDatabase(path);
  const store = new BlockStore(database);
  await store.saveBlocks(makeBlocks(0, 9));
  const letGo = await holdElsewhere(path);
  const writes = [
    store.claimChain({ id: 1 }),
    store.rewindTo(4),
    store.beginAnew(undefined),
    store.saveBlocks(makeBlocks(20, 21)),
  ];
  await turns();
  letGo();
  await Promise.all(writes);
  expect(await store.chainId()).toBe(1);
  expect((await store.newest(20)).map((block) => block.number)).toEqual([20, 21]);
  await database.close();
});

test('opening a fresh file waits for the process that holds it, and everything else goes on meanwhile', async () => {
  const path = await temporaryFile('chain-1.db');
  const letGo = await holdElsewhere(path);
  const opening = openDatabase(path);
  await turns();
  letGo();
  await (await opening).close();
});

test('a database that is never let go is given up on in one line', async () => {
  const path = await temporaryFile('chain-1.db');
  const holder = new DatabaseSync(path);
  holder.exec('begin exclusive');
  await expect(openDatabase(path)).rejects.toMatchObject({
    code: 'busy',
    message: 'chain-1.db is in use by another program; close it, or choose another database file',
  });
  holder.close();
});
