import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/store/open-database.ts';
import { prepared, type Slots } from '../../src/store/prepared.ts';

const MOST = 2;

async function openTable() {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.close());
  const values = ['a', 'b', 'c', 'd'].map((key) => ({ key, value: key.toUpperCase() }));
  await database.queries.insertInto('meta').values(values).execute();
  return database.queries;
}

test('a query that was put together once answers for the values of each time, what is fixed in it stays', async () => {
  const db = await openTable();
  let built = 0;
  const between = prepared((queries, slot: Slots<{ from: string; to: string }>) => {
    built += 1;
    return queries
      .selectFrom('meta')
      .select('value')
      .where('key', '>=', slot('from'))
      .where('key', '<=', slot('to'))
      .where('key', '!=', 'b')
      .orderBy('key')
      .limit(MOST);
  });
  // Whatever the order in which they are named.
  expect(await between(db, { to: 'c', from: 'a' })).toEqual([{ value: 'A' }, { value: 'C' }]);
  expect(await between(db, { from: 'b', to: 'z' })).toEqual([{ value: 'C' }, { value: 'D' }]);
  expect(await between(db, { from: 'x', to: 'z' })).toEqual([]);
  expect(built).toBe(1);
});

test('within a transaction it sees what that wrote, and is taken back with it', async () => {
  const db = await openTable();
  const rename = prepared((queries, slot: Slots<{ key: string; value: string | null }>) =>
    queries
      .updateTable('meta')
      .set((e) => ({ value: e.fn.coalesce(slot('value'), e.val('nothing')) }))
      .where('key', '=', slot('key'))
      .returning('value'),
  );
  const work = db.transaction().execute(async (trx) => {
    expect(await rename(trx, { key: 'a', value: null })).toEqual([{ value: 'nothing' }]);
    throw new Error('taken back');
  });
  await expect(work).rejects.toThrow('taken back');
  expect(await rename(db, { key: 'a', value: 'B' })).toEqual([{ value: 'B' }]);
});
