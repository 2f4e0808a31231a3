import { expect, test } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import type { Queries } from '../../src/store/schema.ts';
import { StoreError } from '../../src/store/store-error.ts';

async function open() {
  const database = await openDatabase(':memory:');
  const commits: number[] = [];
  const group = new GroupCommit(async (work) => {
    const at = commits.push(0) - 1;
    await database.durably(work);
    commits[at] = 1;
  });
  const note = (id: string, fails = false) =>
    group.run(async (trx: Queries) => {
      const values = { auto_tx_id: id, seq: 1, at: 1, kind: 'SENT', block_number: null, message: id };
      await trx.insertInto('auto_tx_events').values(values).execute();
      if (fails) throw new RangeError(`${id} fails`);
      return id;
    });
  const kept = async () =>
    (
      await database.queries.selectFrom('auto_tx_events').select('auto_tx_id').orderBy('auto_tx_id').execute()
    ).map((row) => row.auto_tx_id);
  return { note, kept, commits, group, close: () => database.close() };
}

test('what comes at once shares a transaction, in its order', async () => {
  const { note, kept, commits, close } = await open();
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((id) => note(id)))).toEqual(['a', 'b', 'c', 'd']);
  expect(commits).toEqual([1]);
  expect(await kept()).toEqual(['a', 'b', 'c', 'd']);
  await close();
});

test('one that fails takes back what it wrote, and the others are kept', async () => {
  const { note, kept, close } = await open();
  const ended = await Promise.allSettled([note('a'), note('b'), note('c', true), note('d')]);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(ended[2]).toMatchObject({ reason: { message: 'c fails' } });
  expect(await kept()).toEqual(['a', 'b', 'd']);
  await close();
});

test('while another program has the file all are told so at once', async () => {
  let tries = 0;
  const group = new GroupCommit(() => {
    tries++;
    return Promise.reject(new StoreError('busy', 'another program has it'));
  });
  const ended = await Promise.allSettled([1, 2, 3].map((each) => group.run(async () => each)));
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(tries).toBe(1);
});
