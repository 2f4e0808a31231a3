import { expect, onTestFinished, test } from 'vitest';
import type { AutoTxEvent } from '../../../src/core/auto-txs/auto-tx-rule.ts';
import type { KeptAutoTx } from '../../../src/core/auto-txs/kept-auto-tx.ts';
import { AutoTxStore } from '../../../src/store/auto-tx-store.ts';
import type { WriteRight } from '../../../src/store/lease-store.ts';
import { type Database, openDatabase } from '../../../src/store/open-database.ts';
import { bytesOf, draftAutoTx, GWEI, includedIn, keptAutoTx, NOW, stepped } from './kept-auto-txs.ts';

async function open(right?: () => WriteRight): Promise<{ database: Database; store: AutoTxStore }> {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.close());
  return { database, store: new AutoTxStore(database, right) };
}

const NO_CAP = Number.POSITIVE_INFINITY;
const ALL = { offset: 0, limit: 100 };

const keep = (store: AutoTxStore, kept: KeptAutoTx) =>
  store.create(kept, kept.signed === null ? null : bytesOf(kept.id), NO_CAP);

/** Has the events happen to one, as the engine writes them. */
async function happen(store: AutoTxStore, id: string, ...events: readonly AutoTxEvent[]) {
  for (const event of events) {
    const done = await store.change({ owner: '', id }, (kept) => stepped(kept, event), 'engine');
    if (done === null) throw new Error(`${event.type} may not happen to ${id}`);
  }
  return store.find('', id);
}

const mined = (number: number, more: Parameters<typeof includedIn>[1] = {}): AutoTxEvent => ({
  type: 'look',
  look: { head: number, inclusion: includedIn(number, more), isKnown: true, nextNonce: 1 },
});

test('an auto-tx comes back as it was made, whatever its note holds and however large its amounts are', async () => {
  const { store } = await open();
  const kept = keptAutoTx('atx_1', {
    note: "🚀 \u001b[31m '; drop table auto_txs; -- \r\nBcc: x \u202e <b>\u0000end",
    value: 2n ** 256n - 1n,
    data: `0x${'ab'.repeat(60_000)}`,
    order: { isStrict: true, lane: 'fast', expiresAt: NOW + 1 },
    signed: { type: 3, maxFeePerBlobGas: 7n, blobCount: 6, maxFeePerGas: 2n ** 53n - 1n, nonce: 12 },
    state: { hold: { code: 'low', message: 'too little', retryAt: NOW + 9, times: 3 } },
    checks: [
      { name: 'balance', ok: null, message: 'could not be told' },
      { name: 'chain', ok: true, message: 'it is of this chain' },
    ],
    checkedAt: NOW - 5,
    priceAtCreation: 11n * GWEI,
    dayMeanPrice: 12n * GWEI,
    nativeUsd: 3_012.345678901,
  });
  expect(await keep(store, kept)).toEqual({ kind: 'created' });
  expect(await store.find('', 'atx_1')).toEqual(kept);
  expect(await store.signedBytes('atx_1')).toEqual(bytesOf('atx_1'));
  const draft = draftAutoTx('atx_2', { to: null });
  expect(await keep(store, draft)).toEqual({ kind: 'created' });
  expect(await store.find('', 'atx_2')).toEqual(draft);
  expect(await store.signedBytes('atx_2')).toBeNull();
});

test('what became of one comes back too: sent, mined, final, and each is on its timeline', async () => {
  const { store } = await open();
  await keep(store, keptAutoTx('atx_1'));
  const done = await happen(
    store,
    'atx_1',
    { type: 'hold', obstacle: { code: 'balance', message: 'too little' }, retryAt: NOW + 1 },
    { type: 'submit' },
    { type: 'sent' },
    mined(5, { otherFees: 2n ** 70n }),
  );
  expect(done?.state).toMatchObject({
    status: 'EXECUTED',
    inclusion: includedIn(5, { otherFees: 2n ** 70n }),
    executedAt: NOW,
    hold: null,
  });
  const timeline = await store.timeline('atx_1', 100);
  expect(timeline.map(({ kind }) => kind)).toEqual([
    'EXECUTED',
    'MINED',
    'SENT',
    'SUBMITTED',
    'HELD',
    'CREATED',
  ]);
  expect(timeline[0]).toEqual({ at: NOW, kind: 'EXECUTED', blockNumber: 5, message: 'it is final' });
});

test('what a rule or a route throws while it decides is thrown as it is, and nothing is written', async () => {
  const { store } = await open();
  await keep(store, keptAutoTx('atx_1'));
  const failure = new TypeError('no such field');
  const change = store.change(
    { owner: '', id: 'atx_1' },
    () => {
      throw failure;
    },
    'owner',
  );
  await expect(change).rejects.toBe(failure);
  expect(await store.timeline('atx_1', 9)).toHaveLength(1);
});

test('a key sees, changes and deletes its own alone, who runs the service all of them', async () => {
  const { store } = await open();
  for (const [place, owner] of ['a', 'b', ''].entries()) {
    await keep(
      store,
      keptAutoTx(`atx_${owner}`, { owner, createdAt: NOW + place, signed: { nonce: place } }),
    );
  }
  expect((await store.list('a', ALL)).autoTxs.map(({ id }) => id)).toEqual(['atx_a']);
  expect((await store.list('', ALL)).autoTxs.map(({ id }) => id)).toEqual(['atx_', 'atx_b', 'atx_a']);
  expect(await store.list('', { offset: 1, limit: 1 })).toMatchObject({
    autoTxs: [{ id: 'atx_b' }],
    total: 3,
  });
  expect(await store.find('a', 'atx_b')).toBeNull();
  const cancel = (owner: string, id: string) =>
    store.change({ owner, id }, (kept) => stepped(kept, { type: 'cancel' }), 'owner');
  expect(await cancel('a', 'atx_b')).toBeNull();
  expect((await store.find('', 'atx_b'))?.state.status).toBe('PENDING');
  expect((await cancel('b', 'atx_b'))?.after.state.status).toBe('CANCELLED');
  expect(await store.remove('a', 'atx_b')).toBeNull();
  expect(await store.remove('', 'atx_b')).toBe('removed');
  expect(await store.counts('')).toEqual({ PENDING: 2 });
  expect(await store.counts('b')).toEqual({});
});
