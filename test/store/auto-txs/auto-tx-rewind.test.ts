import { beforeEach, describe, expect, test } from 'vitest';
import type { AutoTxEvent } from '../../../src/core/auto-txs/state-machine.ts';
import type { StoredAutoTx } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import type { Database } from '../../../src/store/database.ts';
import { blockHash, makeBlock, makeBlocks } from '../../helpers/chain-blocks.ts';
import { ENGINES, openOn } from '../../helpers/databases.ts';
import { bytesOf, GWEI, includedIn, NOW, stepped, storedAutoTx } from './stored-auto-txs.ts';

describe.each(ENGINES)('on %s', (engine) => {
  const LATER = NOW + 60_000;
  const NO_CAP = Number.POSITIVE_INFINITY;

  let database: Database;
  let store: AutoTxStore;
  let blocks: BlockStore;
  let nonce = 0;

  beforeEach(async () => {
    database = await openOn(engine);
    store = new AutoTxStore(database);
    blocks = new BlockStore(database, undefined, () => LATER);
    await blocks.saveBlocks(makeBlocks(0, 10));
  });

  async function make(id: string, confirmations: number, ...events: readonly AutoTxEvent[]) {
    nonce += 1;
    const kept = storedAutoTx(id, { priceAtCreation: 10n * GWEI, nativeUsd: 1_000, signed: { nonce } });
    await store.create(kept, bytesOf(id), NO_CAP);
    for (const event of events) {
      await store.change({ owner: '', id }, (now) => stepped(now, event, { confirmations }), 'leader');
    }
  }

  const SENT: readonly AutoTxEvent[] = [{ type: 'submit' }, { type: 'sent' }];
  const minedIn = (number: number, outcome: 'success' | 'reverted' = 'success'): AutoTxEvent => ({
    type: 'observe',
    observation: {
      head: Math.max(10, number),
      inclusion: includedIn(number, { outcome }),
      isKnown: true,
      nextNonce: 0,
    },
  });
  const replacedAt = (head: number): AutoTxEvent => ({
    type: 'observe',
    observation: { head, inclusion: null, isKnown: false, nextNonce: 1_000 },
  });

  const state = async (id: string) => (await store.find('', id))?.state;
  const words = async (id: string) => (await store.timeline(id))[0];

  test('a reorg cancels an auto-tx again that was cancelled and mined all the same', async () => {
    const lost = (head: number): AutoTxEvent => ({
      type: 'observe',
      observation: { head, inclusion: null, isKnown: false, nextNonce: 0 },
    });
    const refused: AutoTxEvent = {
      type: 'decline',
      obstacle: { code: 'pool_full', message: 'full' },
      retryAt: 0,
    };
    await make('cancelled', 9, { type: 'submit' }, refused, { type: 'cancel' }, minedIn(10));
    expect(await state('cancelled')).toMatchObject({ status: 'SUBMITTED', returnsTo: 'CANCELLED' });
    await blocks.saveBlocks([makeBlock(10, { hash: blockHash(99) })]);
    for (const at of [NOW, NOW + 60_000]) {
      const look = (kept: StoredAutoTx) => stepped(kept, lost(10), { at });
      await store.change({ owner: '', id: 'cancelled' }, look, 'leader');
    }
    expect(await state('cancelled')).toMatchObject({ status: 'CANCELLED', mayBeOut: true, returnsTo: null });
    expect(await store.signedBytes('cancelled')).toBeNull();
  });

  test('a reorg returns the auto-txs mined in its blocks to waiting, once', async () => {
    await make('below', 99, ...SENT, minedIn(7));
    await make('waits', 99, ...SENT, minedIn(8));
    await make('untouched', 99);
    await blocks.rewindTo(7);
    expect(await state('waits')).toMatchObject({ status: 'SUBMITTED', inclusion: null, mayBeOut: true });
    expect(await words('waits')).toMatchObject({ at: LATER, kind: 'REORGED', blockNumber: 7 });
    expect(await store.signedBytes('waits')).toEqual(bytesOf('waits'));
    expect((await state('below'))?.inclusion).toEqual(includedIn(7));
    expect(await state('untouched')).toEqual(storedAutoTx('untouched').state);
    const timeline = await store.timeline('waits');
    await blocks.rewindTo(6);
    expect(await store.timeline('waits')).toEqual(timeline);
    expect((await state('below'))?.inclusion).toBeNull();
  });

  test('a reorg changes no final auto-tx and none of its savings', async () => {
    await make('done', 1, ...SENT, minedIn(10));
    await make('reverted', 1, ...SENT, minedIn(10, 'reverted'));
    const [done, reverted] = [await state('done'), await state('reverted')];
    const saved = { executed: 1, savedWei: 21_000n * GWEI, savedUsd: expect.closeTo(0.021, 9) };
    expect(await store.totals('')).toMatchObject(saved);
    await blocks.rewindTo(6);
    expect([await state('done'), await state('reverted')]).toEqual([done, reverted]);
    expect(done?.status).toBe('EXECUTED');
    expect(reverted?.status).toBe('FAILED');
    expect(await store.totals('')).toMatchObject(saved);
  });

  test('a nonce that was taken in a block that is gone is free again', async () => {
    await make('taken', 99, ...SENT, replacedAt(9));
    expect((await state('taken'))?.takenSince).toBe(9);
    await blocks.rewindTo(9);
    expect((await state('taken'))?.takenSince).toBe(9);
    await blocks.rewindTo(8);
    expect(await state('taken')).toMatchObject({ status: 'SUBMITTED', takenSince: null });
  });

  test('replacing blocks undoes what was mined in them', async () => {
    await make('waits', 99, ...SENT, minedIn(9));
    await blocks.saveBlocks([makeBlock(9), makeBlock(10)]);
    expect((await state('waits'))?.inclusion).toEqual(includedIn(9));
    await blocks.saveBlocks([makeBlock(9, { hash: blockHash(9, 1) })]);
    expect(await state('waits')).toMatchObject({ status: 'SUBMITTED', inclusion: null });
  });

  test('a restarted chain disables auto-txs that are not final, with a reason, and leaves the others', async () => {
    await make('pending', 99);
    await make('waits', 99, ...SENT, minedIn(8));
    await make('taken', 99, ...SENT, replacedAt(9));
    await make('done', 1, ...SENT, minedIn(8));
    await make('reverted', 1, ...SENT, minedIn(8, 'reverted'));
    await blocks.beginAnew(undefined);
    for (const id of ['pending', 'waits', 'taken']) {
      expect(await state(id)).toMatchObject({
        status: 'DISABLED',
        inclusion: null,
        mayBeOut: false,
        takenSince: null,
        hold: { code: 'chain_restarted' },
      });
      expect(await words(id)).toMatchObject({
        kind: 'DISABLED',
        message: expect.stringContaining('began anew'),
      });
    }
    expect(await blocks.head()).toBeNull();
    expect(await state('done')).toMatchObject({ status: 'EXECUTED', inclusion: includedIn(8) });
    // Its blocks have other numbers now: none of them is the one that has it.
    await blocks.saveBlocks(makeBlocks(0, 3));
    await blocks.rewindTo(1);
    expect((await state('done'))?.status).toBe('EXECUTED');
    expect((await state('reverted'))?.status).toBe('FAILED');
    expect(await store.signedBytes('done')).toBeNull();
    expect(await store.signedBytes('waits')).toEqual(bytesOf('waits'));
    expect((await store.totals('')).executed).toBe(1);
  });

  test.runIf(engine === 'SQLite')('a block that cannot be written takes nothing back', async () => {
    await make('done', 1, ...SENT, minedIn(9));
    await database.queries.schema.dropTable('alert_events').execute();
    await database.queries.schema.dropTable('advice').execute();
    await expect(blocks.rewindTo(8)).rejects.toMatchObject({ code: 'failed' });
    expect((await state('done'))?.status).toBe('EXECUTED');
    expect((await blocks.head())?.number).toBe(10);
  });

  test('an ended auto-tx that is mined after all coexists with the one that took its nonce, and does not continue on a new chain', async () => {
    const ended = { status: 'CANCELLED', mayBeOut: true } as const;
    await store.create(storedAutoTx('was', { signed: { nonce: 77 }, state: ended }), bytesOf('was'), NO_CAP);
    await store.create(storedAutoTx('is', { signed: { nonce: 77 } }), bytesOf('is'), NO_CAP);
    const look = (now: StoredAutoTx) => stepped(now, minedIn(9), { confirmations: 5 });
    await store.change({ owner: '', id: 'was' }, look, 'leader');
    expect([(await state('was'))?.status, (await state('is'))?.status]).toEqual(['SUBMITTED', 'PENDING']);
    await blocks.beginAnew(undefined);
    expect([(await state('was'))?.status, (await state('is'))?.status]).toEqual(['CANCELLED', 'DISABLED']);
  });
});
