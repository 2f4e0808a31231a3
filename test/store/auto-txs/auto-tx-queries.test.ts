import fc from 'fast-check';
import { CompiledQuery, type QueryId, type RootOperationNode } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { LANES } from '../../../src/core/advice.ts';
import type { KeptAutoTx } from '../../../src/core/auto-txs/kept-auto-tx.ts';
import { isDue } from '../../../src/core/auto-txs/target.ts';
import { toAutoTxRow } from '../../../src/store/auto-tx-rows.ts';
import { AutoTxStore, findRival } from '../../../src/store/auto-txs.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Queries } from '../../../src/store/tables.ts';
import { ENGINES, openOn } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { rounds } from '../../helpers/rounds.ts';
import { flat } from '../alerts/priced-blocks.ts';
import { bytesOf, GWEI, includedIn, keptAutoTx, NOW, sender } from './kept-auto-txs.ts';

describe.each(ENGINES)('on %s', (engine) => {
  const NO_CAP = Number.POSITIVE_INFINITY;
  const AT = { now: NOW, limit: 100 };

  async function storeOf(...autoTxs: readonly KeptAutoTx[]): Promise<AutoTxStore> {
    const store = new AutoTxStore(await openOn(engine));
    for (const [place, autoTx] of autoTxs.entries()) {
      // Each of another sender, unless they are of one on purpose.
      const signed = autoTx.signed && { ...autoTx.signed, nonce: autoTx.signed.nonce || place };
      await store.create({ ...autoTx, signed }, bytesOf(autoTx.id), NO_CAP);
    }
    return store;
  }

  const at = (gwei: number, nextBaseFee = gwei) => ({
    prices: flat(BigInt(gwei) * GWEI),
    nextBaseFee: BigInt(nextBaseFee) * GWEI,
  });

  const ids = (autoTxs: readonly KeptAutoTx[]) => autoTxs.map(({ id }) => id);

  describe('reached auto-txs', () => {
    test('they come by sender and nonce, as many as are asked for', async () => {
      const one = (id: string, from: number, nonce: number) =>
        keptAutoTx(id, { signed: { from: sender(from), nonce }, order: { isStrict: nonce % 2 === 0 } });
      const store = await storeOf(
        one('b9', 2, 9),
        one('a10', 1, 10),
        one('b2', 2, 2),
        one('a9', 1, 9),
        one('a8', 1, 8),
      );
      expect(ids(await store.reached(at(5), AT))).toEqual(['a8', 'a9', 'a10', 'b2', 'b9']);
      expect(ids(await store.reached(at(5), { ...AT, limit: 2 }))).toEqual(['a8', 'a9']);
    });
  });

  test.runIf(engine === 'SQLite')(
    'what is reached is what is due, whatever is signed, asked for and offered',
    async () => {
      const fee = fc.integer({ min: 0, max: 12 }).map((amount) => BigInt(amount));
      const bid = fc.oneof(
        fc.record({
          gasPrice: fee,
          maxFeePerGas: fc.constant(null),
          maxPriorityFeePerGas: fc.constant(null),
        }),
        fc.record({ gasPrice: fc.constant(null), maxFeePerGas: fee, maxPriorityFeePerGas: fee }),
      );
      const order = fc.record({ target: fee, lane: fc.constantFrom(...LANES), isStrict: fc.boolean() });
      const next = fc.record({
        prices: fc.record({ slow: fee, average: fee, fast: fee }),
        nextBaseFee: fee,
      });
      const offers = fc.array(next, { minLength: 1, maxLength: 5 });
      const waiting = fc.array(fc.record({ bid, order }), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(waiting, offers, async (given, prices) => {
          const autoTxs = given.map((each, place) =>
            keptAutoTx(`${place}`, { order: each.order, signed: { ...each.bid, nonce: place } }),
          );
          await using database = await openDisposable();
          const store = new AutoTxStore(database);
          for (const autoTx of autoTxs) await store.create(autoTx, bytesOf(autoTx.id), NO_CAP);
          for (const offered of prices) {
            const due = given.flatMap((each, place) => {
              const { nextBaseFee } = offered;
              const lanePrice = offered.prices[each.order.lane];
              return isDue(each.order, each.bid, { nextBaseFee, lanePrice }) ? [`${place}`] : [];
            });
            expect(ids(await store.reached(offered, AT))).toEqual(due);
          }
        }),
        { numRuns: rounds(60) },
      );
    },
  );

  async function openDisposable(): Promise<Database & AsyncDisposable> {
    const database = await openDatabase(':memory:');
    return { ...database, [Symbol.asyncDispose]: () => database.close() };
  }

  test('follows every auto-tx that a node may have, by sender and nonce', async () => {
    const store = await storeOf(
      keptAutoTx('sent', {
        signed: { from: sender(3), nonce: 1 },
        state: { status: 'SUBMITTED', mayBeOut: true },
      }),
      keptAutoTx('dropped', { signed: { from: sender(2), nonce: 7 }, state: { mayBeOut: true } }),
      keptAutoTx('cancelled', {
        signed: { from: sender(2), nonce: 3 },
        state: { status: 'CANCELLED', mayBeOut: true },
      }),
      keptAutoTx('waiting', { signed: { from: sender(1), nonce: 3 } }),
      keptAutoTx('mined', {
        signed: { from: sender(1), nonce: 2 },
        state: { status: 'EXECUTED', inclusion: includedIn(3) },
      }),
    );
    expect(await store.followedSenders()).toEqual([sender(2), sender(3)]);
    expect(ids(await store.following(sender(2)))).toEqual(['cancelled', 'dropped']);
    expect(ids(await store.following(sender(1)))).toEqual([]);
  });

  test('one expires while it waits or is disabled, at its time and not before', async () => {
    const until = (
      id: string,
      expiresAt: number | null,
      status: 'PENDING' | 'DISABLED' | 'SUBMITTED' = 'PENDING',
    ) => keptAutoTx(id, { order: { expiresAt }, state: { status } });
    const store = await storeOf(
      until('now', NOW),
      until('earlier', NOW - 5, 'DISABLED'),
      until('later', NOW + 1),
      until('never', null),
      until('sent', NOW - 9, 'SUBMITTED'),
    );
    expect(ids(await store.expiring(NOW, 9))).toEqual(['earlier', 'now']);
    expect(ids(await store.expiring(NOW, 1))).toEqual(['earlier']);
  });

  test('finds a sender’s waiting auto-txs by nonce in any case of the address: of one owner, or of all', async () => {
    const from = sender(1);
    const store = await storeOf(
      keptAutoTx('a5', { owner: 'a', signed: { from, nonce: 5 } }),
      keptAutoTx('b4', { owner: 'b', signed: { from, nonce: 4 } }),
      keptAutoTx('a3', { owner: 'a', signed: { from, nonce: 3 }, state: { status: 'DISABLED' } }),
      keptAutoTx('gone', { owner: 'a', signed: { from, nonce: 2 }, state: { status: 'EXPIRED' } }),
      keptAutoTx('other', { owner: 'a', signed: { from: sender(2), nonce: 1 } }),
    );
    expect(ids(await store.waiting('a', from))).toEqual(['a3', 'a5']);
    // PostgreSQL compares bytes; whoever asks it has capitals where the checksum has them.
    if (engine === 'PostgreSQL') return;
    expect(ids(await store.waiting('', from.toUpperCase().replace('0X', '0x')))).toEqual(['a3', 'b4', 'a5']);
    expect(ids(await store.waiting('', from.toLowerCase()))).toEqual(['a3', 'b4', 'a5']);
  });

  test('orders executed auto-txs by their blocks, and keeps the newest beyond the limit', async () => {
    const executed = (id: string, block: number, owner = '') =>
      keptAutoTx(id, { owner, state: { status: 'EXECUTED', inclusion: includedIn(block) } });
    const store = await storeOf(
      executed('first', 1),
      executed('third', 3, 'a'),
      executed('second', 2),
      keptAutoTx('reverted', {
        state: { status: 'FAILED', inclusion: includedIn(2, { outcome: 'reverted' }) },
      }),
    );
    const window = { from: NOW + 12_000, to: NOW + 36_000, limit: 9 };
    expect(ids(await store.executedBetween('', window))).toEqual(['first', 'second', 'third']);
    expect(ids(await store.executedBetween('', { ...window, to: window.to - 1 }))).toEqual([
      'first',
      'second',
    ]);
    expect(ids(await store.executedBetween('', { ...window, limit: 2 }))).toEqual(['second', 'third']);
    expect(ids(await store.executedBetween('a', window))).toEqual(['third']);
  });

  describe.runIf(engine === 'SQLite')('with 10,000 waiting of 1,000 senders', () => {
    const WAITING = 10_000;
    let database: Database;

    beforeAll(async () => {
      database = await openDatabase(':memory:');
      const rows = Array.from({ length: WAITING }, (_, place) =>
        toAutoTxRow(
          keptAutoTx(`atx_${place}`, {
            owner: `key_${place % 100}`,
            order: {
              target: BigInt(1 + (place % 9)) * GWEI,
              lane: LANES[place % 3] ?? 'average',
              isStrict: place % 4 === 0,
              expiresAt: place % 2 === 0 ? NOW + place : null,
            },
            signed: { from: sender(place % 1_000), nonce: Math.floor(place / 1_000) },
          }),
        ),
      );
      for (let from = 0; from < rows.length; from += 200) {
        await database.queries
          .insertInto('auto_txs')
          .values(rows.slice(from, from + 200))
          .execute();
      }
      return () => database.close();
    });

    /** The steps of the plan of what `read` asks the database for. */
    async function plan(read: (store: AutoTxStore, queries: Queries) => Promise<unknown>): Promise<string[]> {
      const nodes = new Map<QueryId, RootOperationNode>();
      const asked: QueryId[] = [];
      const queries = database.queries.withPlugin({
        // Called for parts of a query too.
        transformQuery({ node, queryId }) {
          nodes.set(queryId, node);
          return node;
        },
        async transformResult({ result, queryId }) {
          asked.push(queryId);
          return result;
        },
      });
      await read(new AutoTxStore({ ...database, run: (work) => work(queries) }), queries);
      const steps: string[] = [];
      for (const queryId of asked) {
        const node = nodes.get(queryId);
        if (node === undefined) throw new Error('a query without its node');
        const { sql, parameters } = database.queries.getExecutor().compileQuery(node, queryId);
        const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
        const { rows } = await database.queries.executeQuery<{ detail: string }>(explained);
        steps.push(...rows.map(({ detail }) => detail));
      }
      return steps;
    }

    const window = { from: 1, to: 2, limit: 9 };

    test.each<[string, Parameters<typeof plan>[0], string]>([
      ['reached', (store) => store.reached(at(30), AT), 'auto_txs_wake_'],
      ['senders of followed', (store) => store.followedSenders(), 'auto_txs_followed'],
      ['followed of a sender', (store) => store.following(sender(1)), 'auto_txs_followed'],
      ['expiring', (store) => store.expiring(NOW, 9), 'auto_txs_expires'],
      ['live of a sender', (store) => store.waiting('', sender(1)), 'auto_txs_live'],
      ['of the same nonce', (_, queries) => findRival(queries, keptAutoTx('x')), 'auto_txs_live'],
      ['mined in a block', (_, queries) => rewound(queries), 'auto_txs_chain_block'],
      ['executed', (store) => store.executedBetween('', window), 'auto_txs_executed'],
      ["an owner's executed", (store) => store.executedBetween('a', window), 'auto_txs_owner_executed'],
    ])('what is %s is looked up, not searched for', async (_, read, index) => {
      const steps = await plan(read);
      const reads = steps.filter((step) => /\bauto_txs\b/.test(step));
      expect(reads.some((step) => step.includes(index))).toBe(true);
      // A partial index is read from its start where all that it has is asked for.
      for (const step of reads)
        expect(step).toMatch(/^SEARCH auto_txs |^SCAN auto_txs USING INDEX auto_txs_followed/);
    });

    const rewound = (queries: Queries) =>
      queries.selectFrom('auto_txs').selectAll().where('chain_block', '>', 5).execute();

    test('reads only reached rows', async () => {
      const steps = await plan((store) => store.reached(at(30), AT));
      const lookups = steps.filter((step) => step.includes('auto_txs_wake_'));
      expect(lookups).toHaveLength(4);
      for (const step of lookups)
        expect(step).toMatch(/USING COVERING INDEX auto_txs_wake_(?:price|base) \(wake_/);
    });
  });
});
