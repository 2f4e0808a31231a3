import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/open-database.ts';
import type { Queries } from '../../src/store/schema.ts';
import { temporaryFolder } from '../helpers/service.ts';

const NAMES = ['a', 'b', 'c'] as const;
const contents = async ({ queries }: Database) =>
  JSON.stringify(await queries.selectFrom('meta').selectAll().orderBy('key').execute());

/** What a process may do with the table; one in a transaction may be taken back. */
const change = fc.record({
  by: fc.constantFrom(0, 1),
  how: fc.constantFrom('put', 'remove', 'empty', 'other', 'put-back', 'slowly'),
  name: fc.constantFrom(...NAMES),
  value: fc.constantFrom('1', '2', '3'),
});
type Change = typeof change extends fc.Arbitrary<infer Of> ? Of : never;

const put = (db: Queries, { name, value }: Change) =>
  db
    .insertInto('meta')
    .values({ key: name, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();

async function apply({ queries, durably }: Database, made: Change): Promise<unknown> {
  switch (made.how) {
    case 'put':
      return put(queries, made);
    case 'remove':
      return queries.deleteFrom('meta').where('key', '=', made.name).execute();
    case 'empty':
      return queries.deleteFrom('meta').execute();
    case 'other':
      return queries
        .insertInto('signing_secrets')
        .values({ owner: made.name, secret: made.value })
        .onConflict((conflict) => conflict.column('owner').doNothing())
        .execute();
    case 'put-back':
      return queries
        .transaction()
        .execute(async (trx) => {
          await put(trx, made);
          throw new Error('taken back');
        })
        .catch(() => {});
    case 'slowly':
      return durably(async (trx) => {
        await put(trx, made);
        await setImmediate();
        await put(trx, { ...made, name: 'c' });
      });
  }
}

test('what was read at a revision is what is there as long as it stays the same, whoever writes meanwhile', async () => {
  const path = join(await temporaryFolder(), 'history.db');
  const both = [await openDatabase(path), await openDatabase(path)] as const;
  const [own] = both;
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.boolean(), async (changes, atOnce) => {
      let known = { revision: own.revision('meta'), text: await contents(own) };
      for (const made of changes) {
        const done = apply(both[made.by], made);
        // In the middle of it, too.
        if (atOnce && made.by === 0) known = { revision: own.revision('meta'), text: await contents(own) };
        await done;
        const text = await contents(own);
        if (own.revision('meta') !== known.revision) known = { revision: own.revision('meta'), text };
        else kept += 1;
        expect(text).toBe(known.text);
      }
    }),
    { numRuns: 150 },
  );
  expect(kept).toBeGreaterThan(0);
  for (const database of both) await database.close();
});
