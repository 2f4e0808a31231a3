import { CompiledQuery } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { AutoTxRow } from '../../../src/store/auto-tx-rows.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { makeBlocks } from '../../helpers/chain-blocks.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { flat } from '../alerts/priced-blocks.ts';
import { bytesOf, includedIn, NOW, sender, stepped, storedAutoTx } from './stored-auto-txs.ts';

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
  await store.create(
    storedAutoTx('bad', { order, owner: 'a', signed: { nonce: 1 } }),
    bytesOf('bad'),
    NO_CAP,
  );
  await store.create(
    storedAutoTx('good', { order, owner: 'a', signed: { nonce: 2 } }),
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
  'one with %s is left out and holds up nothing else: what can be read is listed, sent, expires and is rewound',
  async (_, broken) => {
    const { database, store } = await openWith(broken);
    expect(ids(await store.mayBeDue(NEXT, AT))).toEqual(['good']);
    expect(ids(await store.expiring(NOW, 9))).toEqual(['good']);
    const { autoTxs } = await store.list('a', { offset: 0, limit: 9 });
    expect(ids(autoTxs)).toEqual(['good']);
    const from = autoTxs[0]?.signed?.from ?? '';
    expect(await store.find('a', 'bad')).toBeNull();
    expect(ids(await store.liveOf('a', from))).toEqual(['good']);
    const mined = { head: 9, inclusion: includedIn(9), isKnown: true, nextNonce: 3 };
    for (const event of [{ type: 'submit' }, { type: 'observe', observation: mined }] as const) {
      await store.change(
        { owner: '', id: 'good' },
        (kept) => stepped(kept, event, { confirmations: 2 }),
        'leader',
      );
    }
    const blocks = new BlockStore(database);
    await blocks.saveBlocks(makeBlocks(0, 9));
    await blocks.rewindTo(8);
    expect((await store.find('a', 'good'))?.state.status).toBe('SUBMITTED');
    expect(ids(await store.submittedOf(sender(1)))).toEqual(['good']);
  },
);

test('the end of a key disables its other auto-txs', async () => {
  const { store } = await openWith({ value: 'much' });
  await store.disableAll('a', 'its key was revoked', NOW);
  expect((await store.totals('a')).byStatus).toEqual({ PENDING: 1, DISABLED: 1 });
});
