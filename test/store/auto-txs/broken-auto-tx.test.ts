import { CompiledQuery } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { AutoTx } from '../../../src/contract/auto-txs.ts';
import { autoTxAnswer } from '../../../src/service/responses/auto-txs.ts';
import { UNREADABLE } from '../../../src/store/auto-tx-queries.ts';
import type { AutoTxRow } from '../../../src/store/auto-tx-rows.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { makeBlocks } from '../../helpers/chain-blocks.ts';
import { flat } from '../alerts/priced-blocks.ts';
import { bytesOf, includedIn, keptAutoTx, NOW, stepped } from './kept-auto-txs.ts';

const NO_CAP = Number.POSITIVE_INFINITY;
const NEXT = { prices: flat(1n), nextBaseFee: 1n };
const AT = { now: NOW + 1, limit: 9 };

const BREAKS: readonly (readonly [string, Partial<Record<keyof AutoTxRow, unknown>>])[] = [
  ['a status that is none', { status: 'ASLEEP' }],
  ['a lane that is none', { lane: 'sideways' }],
  ['a target that is no number', { target: 'dear' }],
  ['a target below nothing', { target: -1 }],
  ['an amount that is none', { value: '1e18' }],
  ['calldata that is no hex', { data: 'transfer(everything)' }],
  ['a sender that is none', { from_address: 'satoshi' }],
  ['a fraction of a nonce', { nonce: 1.5 }],
  ['a type that is none', { type: 9 }],
  ['a signature that is gone', { hash: null }],
  ['a block without a hash', { block_number: 9, block_hash: null }],
  ['an address that is too short', { to_address: '0xab' }],
  ['an amount of more digits than there are', { value: '1'.repeat(5_000) }],
  ['a nonce below nothing', { nonce: -1 }],
  ['a block below nothing', { block_number: -1, block_hash: includedIn(1).blockHash }],
  ['half a byte of calldata', { data: '0xabc' }],
  ['a time that no calendar has', { updated_at: 9_000_000_000_000_000 }],
  ['a beginning that no calendar has', { created_at: 9_000_000_000_000_000 }],
  ['an end that no calendar has', { expires_at: 9_000_000_000_000_000 }],
  ['a hold without an end', { hold_code: 'low', hold_message: 'too little', hold_until: null }],
];

async function openWith(broken: Partial<Record<keyof AutoTxRow, unknown>>) {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.close());
  const store = new AutoTxStore(database);
  const order = { expiresAt: NOW };
  await store.create(keptAutoTx('bad', { order, owner: 'a', signed: { nonce: 1 } }), bytesOf('bad'), NO_CAP);
  await store.create(
    keptAutoTx('good', { order, owner: 'a', signed: { nonce: 2 } }),
    bytesOf('good'),
    NO_CAP,
  );
  for (const [column, value] of Object.entries(broken)) {
    const update = CompiledQuery.raw(`update auto_txs set ${column} = ? where id = 'bad'`, [value]);
    await database.queries.executeQuery(update);
  }
  return { database, store };
}

const ids = (autoTxs: readonly { readonly id: string }[]) => autoTxs.map(({ id }) => id);

test.each(BREAKS)(
  'one with %s is shown as failed in words of v1, says what to do and can be deleted',
  async (_, broken) => {
    const { store } = await openWith(broken);
    const { autoTxs, total } = await store.list('a', { offset: 0, limit: 9 });
    expect(total).toBe(2);
    expect(new Set(ids(autoTxs))).toEqual(new Set(['bad', 'good']));
    const moment = { head: null, chain: null, confirmations: () => 12, hold: () => null, reach: () => null };
    for (const autoTx of autoTxs) {
      expect(AutoTx.safeParse(autoTxAnswer(autoTx, 'a', moment, { isListed: true })).error).toBeUndefined();
    }
    expect((await store.find('a', 'bad'))?.state).toMatchObject({ status: 'FAILED', failure: UNREADABLE });
    expect((await store.find('a', 'good'))?.state.status).toBe('PENDING');
    const cancel = store.change(
      { owner: 'a', id: 'bad' },
      (kept) => stepped(kept, { type: 'cancel' }),
      'owner',
    );
    expect(await cancel).toBeNull();
    expect(await store.remove('a', 'bad')).toBe('removed');
    expect(await store.signedBytes('bad')).toBeNull();
  },
);

test.each(BREAKS)(
  'one with %s holds up nothing else: what can be read is sent, expires and is rewound',
  async (_, broken) => {
    const { database, store } = await openWith(broken);
    expect(ids(await store.reached(NEXT, AT))).toEqual(['good']);
    expect(ids(await store.expiring(NOW, 9))).toEqual(['good']);
    const { autoTxs } = await store.list('a', { offset: 0, limit: 9 });
    const [from = ''] = autoTxs.filter(({ id }) => id === 'good').map(({ signed }) => signed?.from);
    expect(ids(await store.waiting('a', from))).toEqual(['good']);
    const mined = { head: 9, inclusion: includedIn(9), isKnown: true, nextNonce: 3 };
    for (const event of [{ type: 'submit' }, { type: 'look', look: mined }] as const) {
      await store.change(
        { owner: '', id: 'good' },
        (kept) => stepped(kept, event, { confirmations: 2 }),
        'engine',
      );
    }
    const blocks = new BlockStore(database);
    await blocks.saveBlocks(makeBlocks(0, 9));
    await blocks.rewindTo(8);
    expect((await store.find('a', 'good'))?.state.status).toBe('SUBMITTED');
    expect(ids(await store.following({ limit: 9, after: null }))).toEqual(['good']);
  },
);

test('a line of a timeline that nobody of ours wrote is left out', async () => {
  const { database, store } = await openWith({});
  for (const at of [9_000_000_000_000_000, -9_000_000_000_000_000]) {
    const line = [at, 'HELD', -1, 'no line of ours'];
    const insert = CompiledQuery.raw(
      'insert into auto_tx_events (auto_tx_id, seq, at, kind, block_number, message) values (?, ?, ?, ?, ?, ?)',
      ['good', Math.sign(at) + 5, ...line],
    );
    await database.queries.executeQuery(insert);
  }
  expect((await store.timeline('good')).map(({ kind }) => kind)).toEqual(['CREATED']);
});

test('a sum that is no number keeps nothing from being final, and counts again from there', async () => {
  const { database, store } = await openWith({});
  const insert = CompiledQuery.raw(
    "insert into auto_tx_tallies (owner, executed, saved_wei, usd, unpriced) values ('a', 3, 'a lot', 0, 0)",
  );
  await database.queries.executeQuery(insert);
  expect(await store.savingsSum('a')).toMatchObject({ executed: 3, savedWei: 0n });
  const mined = { head: 9, inclusion: includedIn(9), isKnown: true, nextNonce: 3 };
  for (const event of [{ type: 'submit' }, { type: 'look', look: mined }] as const) {
    await store.change({ owner: '', id: 'good' }, (kept) => stepped(kept, event), 'engine');
  }
  expect(await store.savingsSum('a')).toMatchObject({ executed: 4, savedWei: 0n });
});

test('one that cannot be read is looked at once and not at every block', async () => {
  const { database, store } = await openWith({ lane: 'sideways' });
  await store.reached(NEXT, AT);
  const raw = await database.queries.selectFrom('auto_txs').selectAll().where('id', '=', 'bad').execute();
  expect(raw).toMatchObject([
    { status: 'FAILED', failure_code: 'unreadable', wake_price: null, wake_base: null },
  ]);
  expect(await store.signedBytes('bad')).toBeNull();
  expect((await store.timeline('bad'))[0]).toMatchObject({ kind: 'FAILED', message: UNREADABLE.message });
});

test('an owner whose key ended has the others disabled', async () => {
  const { store } = await openWith({ value: 'much' });
  await store.disableAll('a', 'its key was revoked', NOW);
  expect(await store.counts('a')).toEqual({ FAILED: 1, DISABLED: 1 });
  expect(await store.activeOwners()).toEqual([]);
});
