import { statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { KeyStore, type UsageRequest } from '../../src/store/api-keys.ts';
import { openDatabase, openKeyDatabase } from '../../src/store/database.ts';
import { ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { rounds } from '../helpers/rounds.ts';
import { temporaryFolder } from '../helpers/service.ts';

const SECRET = { hash: 'ab', at: 1_000 };

async function openStore(path = ':memory:'): Promise<KeyStore> {
  const store = new KeyStore(await openKeyDatabase(path));
  onTestFinished(() => store.close().catch(() => {}));
  return store;
}

const addKey = (store: KeyStore, id: string) => store.add({ id, name: '', plan: 'free' }, SECRET);

test('the file and its folder are private', async () => {
  const path = join(await temporaryFolder(), 'new', 'keys.db');
  const store = await openStore(path);
  await addKey(store, 'a');
  const modes = [join(path, '..'), path, `${path}-wal`].map((each) =>
    (statSync(each).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(['700', '600', '600']);
});

test('keys are no history and a history is no keys', async () => {
  const folder = await temporaryFolder();
  await (await openDatabase(join(folder, 'chain.db'))).close();
  await (await openKeyDatabase(join(folder, 'keys.db'))).close();
  await expect(openKeyDatabase(join(folder, 'chain.db'))).rejects.toMatchObject({
    code: 'foreign-database',
    message: 'chain.db is a database of gastop for something else; choose another database file',
  });
  await expect(openDatabase(join(folder, 'keys.db'))).rejects.toMatchObject({ code: 'foreign-database' });
});

test('grants and counts like a plain counter, while limits change', async () => {
  const wish = fc.record({
    keyId: fc.constantFrom('a', 'b', 'c'),
    count: fc.integer({ min: 1, max: 9 }),
    limit: fc.option(fc.integer({ min: 1, max: 30 })),
  });
  const turn = fc.record({
    day: fc.integer({ min: 7, max: 8 }),
    wishes: fc.uniqueArray(wish, { selector: ({ keyId }) => keyId, minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
      const store = new KeyStore(await openKeyDatabase(':memory:'));
      for (const id of ['a', 'b', 'c']) await addKey(store, id);
      const counts = new Map<string, number>();
      for (const { day, wishes } of turns) {
        const granted = await store.spend(day, wishes);
        for (const { keyId, count, limit } of wishes) {
          const before = counts.get(`${keyId}${day}`) ?? 0;
          const due = limit === null ? count : Math.max(0, Math.min(count, limit - before));
          expect(granted.get(keyId)?.count).toBe(due);
          counts.set(`${keyId}${day}`, before + due);
          expect(await store.usedOn(day, keyId)).toBe(before + due);
        }
      }
      await store.close();
    }),
    { numRuns: rounds(150) },
  );
});

describe.each(ENGINES)('on %s', (engine) => {
  test('a missing key fails the whole batch and counts nothing', async () => {
    const store = await openStore(await emptyDatabase(engine));
    await addKey(store, 'a');
    const wishes = ['a', 'gone'].map((keyId) => ({ keyId, count: 2, limit: 5 }));
    await expect(store.spend(7, wishes)).rejects.toMatchObject({ name: 'StoreError' });
    expect(await store.usedOn(7, 'a')).toBe(0);
  });

  test('usage that is old is forgotten, later usage stays', async () => {
    const store = await openStore(await emptyDatabase(engine));
    await addKey(store, 'a');
    for (const day of [7, 8, 9]) await store.spend(day, [{ keyId: 'a', count: day, limit: null }]);
    await store.forgetUsageBefore(8);
    expect(await Promise.all([7, 8, 9].map((day) => store.usedOn(day, 'a')))).toEqual([0, 8, 9]);
    expect([...(await store.usageOn(9)).values()]).toMatchObject([{ key_id: 'a', used: 9 }]);
  });

  test.runIf(engine === 'PostgreSQL')('a batch within its limits costs one statement', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => query.mockRestore());
    const store = await openStore(await emptyDatabase(engine));
    for (const id of ['a', 'b']) await addKey(store, id);
    query.mockClear();
    const wishes = ['a', 'b'].map((keyId) => ({ keyId, count: 2, limit: 5, perSecond: 9 }));
    await store.spend(7, wishes);
    expect(query).toHaveBeenCalledTimes(1);
  });

  test('several processes together grant no more of a day, and on a server of a second, than the key has', async () => {
    const place = await emptyDatabase(engine, 'shared');
    const stores = await Promise.all([1, 2, 3].map(() => openStore(place)));
    const [one] = stores;
    if (one === undefined) throw new Error('there are three');
    for (const id of ['a', 'b']) await addKey(one, id);
    const spend = async (store: KeyStore, day: number, wish: UsageRequest) =>
      (await store.spend(day, [wish])).get(wish.keyId)?.count ?? 0;
    const few = { keyId: 'a', count: 2, limit: 7, perSecond: null };
    const granted = await Promise.all(
      stores.flatMap((store) => Array.from({ length: rounds(20) }, () => spend(store, 7, few))),
    );
    expect(granted.reduce((sum, count) => sum + count, 0)).toBe(7);
    expect(await one.usedOn(7, 'a')).toBe(7);
    if (engine === 'SQLite') return;
    const flood = await one.spend(7, [{ keyId: 'b', count: 10_000, limit: 1_000_000, perSecond: 5 }]);
    expect(flood.get('b')).toEqual({ count: 5, isTooFast: true });
    const startedAt = performance.now();
    const wish = { keyId: 'b', count: 2, limit: null, perSecond: 5 };
    let through = 0;
    for (let round = 0; round < rounds(10); round += 1) {
      const flood = stores.flatMap((store) => Array.from({ length: 6 }, () => spend(store, 8, wish)));
      for (const count of await Promise.all(flood)) through += count;
    }
    // The seconds are the server's: one had begun, and one may have begun last.
    expect(through).toBeLessThanOrEqual(5 * (2 + (performance.now() - startedAt) / 1_000));
    expect(through).toBeGreaterThanOrEqual(5);
    expect(await one.usedOn(8, 'b')).toBe(through);
  });
});
