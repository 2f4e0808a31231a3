import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { EncryptionKey } from '../../../src/store/encryption-key.ts';
import { ENGINES, emptyDatabase } from '../../helpers/databases.ts';
import { migrated, openDatabase } from '../../helpers/open-database.ts';
import { temporaryFolder } from '../../helpers/service.ts';
import { bytesOf, draftAutoTx, olderRow, storedAutoTx } from './stored-auto-txs.ts';

const NO_CAP = Number.POSITIVE_INFINITY;
const SIGNED = 'signed bytes of old';

async function open(target: string, key: Buffer | null = null) {
  const database = await openDatabase(target, key);
  onTestFinished(() => database.close().catch(() => {}));
  return { database, store: new AutoTxStore(database) };
}

async function contents(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((file) => !file.endsWith('.key'));
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))).join('');
}

describe.each(ENGINES)('on %s', (engine) => {
  test('signed bytes are stored encrypted, and read only with the same key', async () => {
    const target = await emptyDatabase(engine, 'shared');
    const [key, other] = [randomBytes(32), randomBytes(32)];
    const { database, store } = await open(target, key);
    await store.create(storedAutoTx('atx_1'), bytesOf('atx_1'), NO_CAP);
    await store.create(storedAutoTx('atx_2', { signed: { nonce: 9 } }), bytesOf('atx_2'), NO_CAP);
    const rows = await database.queries.selectFrom('signed_transactions').selectAll().execute();
    expect(rows.map(({ bytes }) => Buffer.from(bytes).includes(Buffer.from(bytesOf('atx_1'))))).toEqual([
      false,
      false,
    ]);
    expect(await (await open(target, key)).store.signedBytes('atx_1')).toEqual(bytesOf('atx_1'));
    expect(await (await open(target, other)).store.signedBytes('atx_1')).toBe('sealed');
    // Those of one are not those of another, whoever may write the database.
    const [first] = rows;
    await database.queries.updateTable('signed_transactions').set({ bytes: first?.bytes }).execute();
    expect([await store.signedBytes('atx_1'), await store.signedBytes('atx_2')]).toContain('sealed');
  });
});

test.runIf(ENGINES.includes('PostgreSQL'))(
  'a server without a key keeps no signed bytes, and drafts all the same',
  async () => {
    const { store } = await open(await emptyDatabase('PostgreSQL'));
    await expect(store.create(storedAutoTx('atx_1'), bytesOf('atx_1'), NO_CAP)).rejects.toMatchObject({
      code: 'no-key',
      message: expect.stringContaining('GASTOP_ENCRYPTION_KEY'),
    });
    expect(await store.create(draftAutoTx('draft'), null, NO_CAP)).toEqual({
      kind: 'created',
    });
  },
);

test('a file of before is sealed where it lies, with a key beside it for its owner alone; without that key nothing is had', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'chain-1.db');
  const older = await migrated<Record<'auto_txs' | 'signed_transactions', Record<string, unknown>>>(path, 8);
  const bytes = new TextEncoder().encode(SIGNED.repeat(400));
  for (const id of ['old', 'twin']) {
    await older
      .insertInto('auto_txs')
      .values(olderRow(storedAutoTx(id)))
      .execute();
    await older.insertInto('signed_transactions').values({ auto_tx_id: id, bytes }).execute();
  }
  await older.destroy();
  expect(await contents(folder)).toContain(SIGNED);
  const { database, store } = await open(path);
  expect(await contents(folder)).not.toContain(SIGNED);
  expect((await stat(`${path}.key`)).mode & 0o777).toBe(0o600);
  expect(await store.signedBytes('old')).toEqual(bytes);
  // Two for one nonce should never have been: one of them waits on.
  expect((await store.totals('')).byStatus).toEqual({ PENDING: 1, CANCELLED: 1 });
  await database.close();
  await rm(`${path}.key`);
  const found = await open(path);
  expect(await found.store.signedBytes('old')).toBe('sealed');
  const key = new EncryptionKey(found.database);
  expect(await key.problem()).toContain('chain-1.db is missing: put chain-1.db.key back');
  await key.replace();
  expect(await key.problem()).toBeNull();
  await found.store.create(storedAutoTx('new', { signed: { nonce: 8 } }), bytesOf('new'), NO_CAP);
  expect(await found.store.signedBytes('new')).toEqual(bytesOf('new'));
});
