import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANES } from '../../../src/core/advice.ts';
import type { StoredAutoTx } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { isDue } from '../../../src/core/auto-txs/target.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import type { Database } from '../../../src/store/database.ts';
import { OPERATOR } from '../../../src/store/tables.ts';
import { ENGINES, openOn } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { rounds } from '../../helpers/rounds.ts';
import { flat } from '../alerts/priced-blocks.ts';
import { bytesOf, GWEI, includedIn, NOW, sender, storedAutoTx } from './stored-auto-txs.ts';

describe.each(ENGINES)('on %s', (engine) => {
  const NO_CAP = Number.POSITIVE_INFINITY;
  const AT = { now: NOW, limit: 100 };

  async function storeOf(...autoTxs: readonly StoredAutoTx[]): Promise<AutoTxStore> {
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

  const ids = (autoTxs: readonly StoredAutoTx[]) => autoTxs.map(({ id }) => id);

  test('reached auto-txs they come by sender and nonce, as many as are asked for', async () => {
    const one = (id: string, from: number, nonce: number) =>
      storedAutoTx(id, { signed: { from: sender(from), nonce }, order: { isStrict: nonce % 2 === 0 } });
    const store = await storeOf(
      one('b9', 2, 9),
      one('a10', 1, 10),
      one('b2', 2, 2),
      one('a9', 1, 9),
      one('a8', 1, 8),
    );
    expect(ids(await store.mayBeDue(at(5), AT))).toEqual(['a8', 'a9', 'a10', 'b2', 'b9']);
    expect(ids(await store.mayBeDue(at(5), { ...AT, limit: 2 }))).toEqual(['a8', 'a9']);
  });

  test.runIf(engine === 'SQLite')('what is due is reached, whatever is signed, asked, offered', async () => {
    const fee = fc.integer({ min: 0, max: 12 }).map((amount) => BigInt(amount));
    const bid = fc.oneof(
      fc.record({
        gasPrice: fee,
        maxFeePerGas: fc.constant(null),
        maxPriorityFeePerGas: fc.constant(null),
      }),
      fc.record({ gasPrice: fc.constant(null), maxFeePerGas: fee, maxPriorityFeePerGas: fee }),
    );
    const order = fc.record({
      target: fee,
      lane: fc.constantFrom(...LANES),
      isStrict: fc.boolean(),
      costLimit: fc.constant(null),
    });
    const next = fc.record({
      prices: fc.record({ slow: fee, average: fee, fast: fee }),
      nextBaseFee: fee,
    });
    const offers = fc.array(next, { minLength: 1, maxLength: 5 });
    const waiting = fc.array(fc.record({ bid, order }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(waiting, offers, async (given, prices) => {
        const autoTxs = given.map((each, place) =>
          storedAutoTx(`${place}`, { order: each.order, signed: { ...each.bid, nonce: place } }),
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
          expect(ids(await store.mayBeDue(offered, AT))).toEqual(due);
        }
      }),
      { numRuns: rounds(60) },
    );
  });

  async function openDisposable(): Promise<Database & AsyncDisposable> {
    const database = await openDatabase(':memory:');
    return { ...database, [Symbol.asyncDispose]: () => database.close() };
  }

  test('follows every auto-tx that a node may have, by sender and nonce', async () => {
    const store = await storeOf(
      storedAutoTx('sent', {
        signed: { from: sender(3), nonce: 1 },
        state: { status: 'SUBMITTED', mayBeOut: true },
      }),
      storedAutoTx('dropped', { signed: { from: sender(2), nonce: 7 }, state: { mayBeOut: true } }),
      storedAutoTx('cancelled', {
        signed: { from: sender(2), nonce: 3 },
        state: { status: 'CANCELLED', mayBeOut: true },
      }),
      storedAutoTx('waiting', { signed: { from: sender(1), nonce: 3 } }),
      storedAutoTx('mined', {
        signed: { from: sender(1), nonce: 2 },
        state: { status: 'EXECUTED', inclusion: includedIn(3) },
      }),
    );
    expect(await store.submittedSenders()).toEqual([sender(2), sender(3)]);
    expect(ids(await store.submittedOf(sender(2)))).toEqual(['cancelled', 'dropped']);
    expect(ids(await store.submittedOf(sender(1)))).toEqual([]);
  });

  test('one expires while it waits or is disabled, at its time and not before', async () => {
    const until = (
      id: string,
      expiresAt: number | null,
      status: 'PENDING' | 'DISABLED' | 'SUBMITTED' = 'PENDING',
    ) => storedAutoTx(id, { order: { expiresAt }, state: { status } });
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
      storedAutoTx('a5', { owner: 'a', signed: { from, nonce: 5 } }),
      storedAutoTx('b4', { owner: 'b', signed: { from, nonce: 4 } }),
      storedAutoTx('a3', { owner: 'a', signed: { from, nonce: 3 }, state: { status: 'DISABLED' } }),
      storedAutoTx('gone', { owner: 'a', signed: { from, nonce: 2 }, state: { status: 'EXPIRED' } }),
      storedAutoTx('other', { owner: 'a', signed: { from: sender(2), nonce: 1 } }),
    );
    expect(ids(await store.liveOf('a', from))).toEqual(['a3', 'a5']);
    // PostgreSQL compares bytes; whoever asks it has capitals where the checksum has them.
    if (engine === 'PostgreSQL') return;
    expect(ids(await store.liveOf(OPERATOR, from.toUpperCase().replace('0X', '0x')))).toEqual([
      'a3',
      'b4',
      'a5',
    ]);
    expect(ids(await store.liveOf(OPERATOR, from.toLowerCase()))).toEqual(['a3', 'b4', 'a5']);
  });

  test('orders executed auto-txs by their blocks, and keeps the newest beyond the limit', async () => {
    const executed = (id: string, block: number, owner = '') =>
      storedAutoTx(id, { owner, state: { status: 'EXECUTED', inclusion: includedIn(block) } });
    const store = await storeOf(
      executed('first', 1),
      executed('third', 3, 'a'),
      executed('second', 2),
      storedAutoTx('reverted', {
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
});
