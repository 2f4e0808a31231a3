import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AutoTxEvent } from '../../../src/core/auto-txs/state-machine.ts';
import type { StoredAutoTx } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { forgetFinal } from '../../../src/store/auto-tx-writes.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import type { Database } from '../../../src/store/database.ts';
import { StoreError } from '../../../src/store/errors.ts';
import { LeaseStore, type WriteRight } from '../../../src/store/lease.ts';
import { makeBlock } from '../../helpers/chain-blocks.ts';
import { ENGINES, openOn, testOn } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { temporaryFolder } from '../../helpers/service.ts';
import {
  bytesOf,
  draftAutoTx,
  GWEI,
  includedIn,
  NOW,
  sender,
  stepped,
  storedAutoTx,
} from './stored-auto-txs.ts';

/** Without the counts. */
async function savingsOf(store: AutoTxStore, owner: string) {
  const { byStatus: _, ...saved } = await store.totals(owner);
  return saved;
}

describe.each(ENGINES)('on %s', (engine) => {
  async function open(right?: () => WriteRight): Promise<{ database: Database; store: AutoTxStore }> {
    const database = await openOn(engine);
    return { database, store: new AutoTxStore(database, right) };
  }

  const NO_CAP = Number.POSITIVE_INFINITY;
  const ALL = { offset: 0, limit: 100 };

  const keep = (store: AutoTxStore, kept: StoredAutoTx) =>
    store.create(kept, kept.signed === null ? null : bytesOf(kept.id), NO_CAP);

  async function happen(store: AutoTxStore, id: string, ...events: readonly AutoTxEvent[]) {
    for (const event of events) {
      const done = await store.change({ owner: '', id }, (kept) => stepped(kept, event), 'leader');
      if (done === null) throw new Error(`${event.type} may not happen to ${id}`);
    }
    return store.find('', id);
  }

  const mined = (number: number, more: Parameters<typeof includedIn>[1] = {}): AutoTxEvent => ({
    type: 'observe',
    observation: { head: number, inclusion: includedIn(number, more), isKnown: true, nextNonce: 1 },
  });

  test('returns an auto-tx unchanged, with any note and amounts', async () => {
    const { store } = await open();
    const kept = storedAutoTx('atx_1', {
      // PostgreSQL has no NUL.
      note: `🚀 \u001b[31m '; drop table auto_txs; -- \r\nBcc: x \u202e <b>${engine === 'SQLite' ? '\0' : ''}end`,
      value: 2n ** 256n - 1n,
      data: `0x${'ab'.repeat(60_000)}`,
      order: { isStrict: true, lane: 'fast', expiresAt: NOW + 1 },
      signed: { type: 3, maxFeePerBlobGas: 7n, blobCount: 6, maxFeePerGas: 2n ** 53n - 1n, nonce: 12 },
      state: { hold: { code: 'low', message: 'too little', retryAt: NOW + 9, times: 3 } },
      checks: [
        { name: 'balance', result: 'unknown', ok: null, code: null, message: 'unknown' },
        { name: 'cap', result: 'wait', ok: true, code: 'cap_below_base', message: 'it waits' },
      ],
      checkedAt: NOW - 5,
      priceAtCreation: 11n * GWEI,
      dayMeanPrice: 12n * GWEI,
      nativeUsd: 3_012.345678901,
    });
    expect(await keep(store, kept)).toEqual({ kind: 'created' });
    expect(await store.find('', 'atx_1')).toEqual(kept);
    expect(await store.signedBytes('atx_1')).toEqual(bytesOf('atx_1'));
    const anywhere = storedAutoTx('atx_3', { signed: { type: 0, chainId: null, gasPrice: GWEI, nonce: 13 } });
    expect(await keep(store, anywhere)).toEqual({ kind: 'created' });
    expect(await store.find('', 'atx_3')).toEqual(anywhere);
    const draft = draftAutoTx('atx_2', { to: null });
    expect(await keep(store, draft)).toEqual({ kind: 'created' });
    expect(await store.find('', 'atx_2')).toEqual(draft);
    expect(await store.signedBytes('atx_2')).toBeNull();
  });

  test('rethrows errors of a decision, and writes nothing', async () => {
    const { store } = await open();
    await keep(store, storedAutoTx('atx_1'));
    const failure = new TypeError('no such field');
    const change = store.change(
      { owner: '', id: 'atx_1' },
      () => {
        throw failure;
      },
      'owner',
    );
    await expect(change).rejects.toBe(failure);
    expect(await store.timeline('atx_1')).toHaveLength(1);
  });

  test('a draft that is signed, and one that is signed anew, may not take the nonce of another one either', async () => {
    const { store } = await open();
    await keep(store, storedAutoTx('atx_1', { signed: { nonce: 4 } }));
    await keep(store, storedAutoTx('atx_2', { signed: { nonce: 5 } }));
    await keep(store, draftAutoTx('atx_3'));
    const sign = (id: string, nonce: number) =>
      store.change(
        { owner: '', id },
        (kept) => ({
          autoTx: { ...storedAutoTx(`${id} signed ${nonce}`, { signed: { nonce } }), id, owner: kept.owner },
          notes: [{ kind: 'SIGNED', blockNumber: null, message: 'it was signed' }],
          at: NOW,
          signedBytes: bytesOf(`${id} signed ${nonce}`),
        }),
        'owner',
      );
    expect(await sign('atx_3', 4)).toEqual({ rival: 'atx_1' });
    expect(await sign('atx_2', 4)).toEqual({ rival: 'atx_1' });
    expect(await store.signedBytes('atx_3')).toBeNull();
    expect(await store.signedBytes('atx_2')).toEqual(bytesOf('atx_2'));
    expect(await sign('atx_3', 6)).toMatchObject({ signed: { nonce: 6 } });
    expect(await store.signedBytes('atx_3')).toEqual(bytesOf('atx_3 signed 6'));
    // Its own nonce is no other's.
    await sign('atx_2', 5);
    expect(await store.signedBytes('atx_2')).toEqual(bytesOf('atx_2 signed 5'));
  });

  test('changes a signed transaction only with its bytes', async () => {
    const { store } = await open();
    await keep(store, storedAutoTx('atx_1'));
    const other = store.change(
      { owner: '', id: 'atx_1' },
      (kept) => ({ autoTx: { ...storedAutoTx('atx_2'), id: kept.id }, notes: [], at: NOW }),
      'owner',
    );
    await expect(other).rejects.toThrow(StoreError);
    await expect(store.create(storedAutoTx('atx_3'), null, NO_CAP)).rejects.toThrow(StoreError);
    await expect(store.create(draftAutoTx('atx_3'), bytesOf('x'), NO_CAP)).rejects.toThrow(StoreError);
    expect((await store.list('', ALL)).autoTxs).toEqual([storedAutoTx('atx_1')]);
  });

  test('refuses values that no integer column can hold', async () => {
    const { store } = await open();
    const huge = storedAutoTx('atx_1', { signed: { maxFeePerGas: 2n ** 53n } });
    await expect(keep(store, huge)).rejects.toThrow(/above 2\^53 − 1/);
    expect((await store.list('', ALL)).total).toBe(0);
  });

  test('the engine writes only where it holds the lease; owners write wherever they are', async () => {
    let right: WriteRight = { kind: 'holder', holder: 'one' };
    const { database, store } = await open(() => right);
    const lease = new LeaseStore(database);
    const held = { holder: 'one', process: 'gastop serve, process 1', since: NOW, heartbeatAt: NOW };
    await lease.take(held, null);
    await keep(store, storedAutoTx('atx_1'));
    await happen(store, 'atx_1', { type: 'disable' }, { type: 'enable' });
    await lease.take({ ...held, holder: 'two', process: 'gastop serve, process 2' }, await lease.read());
    const rights: readonly WriteRight[] = [right, { kind: 'one-shot', now: NOW + 60_000 }, { kind: 'none' }];
    for (const each of rights) {
      right = each;
      await expect(happen(store, 'atx_1', { type: 'submit' })).rejects.toMatchObject({ code: 'not-holder' });
    }
    const asked: StoredAutoTx[] = [];
    const look = (kept: StoredAutoTx) => {
      asked.push(kept);
      return null;
    };
    await store.change({ owner: '', id: 'atx_1' }, look, 'leader').catch(() => {});
    expect(asked).toEqual([]);
    const cancelled = await store.change(
      { owner: '', id: 'atx_1' },
      (kept) => stepped(kept, { type: 'cancel' }),
      'owner',
    );
    expect(cancelled).toMatchObject({ state: { status: 'CANCELLED' } });
  });

  const ENDS: readonly (readonly [string, readonly AutoTxEvent[]])[] = [
    ['cancelled', [{ type: 'cancel' }]],
    ['cancelled while disabled', [{ type: 'disable' }, { type: 'cancel' }]],
    ['expired', [{ type: 'expire' }]],
    ['refused', [{ type: 'refuse', obstacle: { code: 'nonce_used', message: 'its nonce is used' } }]],
    [
      'refused by every node',
      [{ type: 'submit' }, { type: 'refuse', obstacle: { code: 'x', message: 'x' } }],
    ],
  ];

  const DAY = 86_400_000;
  const sealed = async ({ queries }: Database) =>
    (await queries.selectFrom('signed_transactions').select('auto_tx_id').execute()).map(
      (row) => row.auto_tx_id,
    );

  test.each(ENDS)('nothing gets the bytes of one that was %s, and a day later they go', async (_, events) => {
    const { database, store } = await open();
    await keep(store, storedAutoTx('atx_1'));
    await keep(store, storedAutoTx('waits', { signed: { nonce: 9 } }));
    await happen(store, 'atx_1', ...events);
    expect(await store.signedBytes('atx_1')).toBeNull();
    await store.forgetSigned(NOW + DAY - 1);
    expect(await sealed(database)).toContain('atx_1');
    await store.forgetSigned(NOW + DAY);
    expect(await sealed(database)).toEqual(['waits']);
  });

  test('keeps the bytes of waiting, disabled and submitted auto-txs, and returns them with no query', async () => {
    const { store } = await open();
    await keep(store, storedAutoTx('atx_1'));
    for (const event of [{ type: 'disable' }, { type: 'enable' }, { type: 'submit' }] as const) {
      await happen(store, 'atx_1', event);
      expect(await store.signedBytes('atx_1')).toEqual(bytesOf('atx_1'));
    }
    const answers = [
      await store.find('', 'atx_1'),
      await store.list('', ALL),
      await store.submittedOf(sender(1)),
      await store.timeline('atx_1'),
    ];
    const said = JSON.stringify(answers, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(said).not.toContain('do not repeat them');
    expect(said).not.toContain(Buffer.from(bytesOf('atx_1')).toString('hex'));
  });

  test.runIf(engine === 'SQLite')(
    'signed bytes are in no file of the database, and those that have gone not even sealed',
    async () => {
      const folder = await temporaryFolder();
      const database = await openDatabase(join(folder, 'chain-1.db'));
      const store = new AutoTxStore(database);
      // Longer than a page: the rest of it lies in pages of its own.
      const long = new TextEncoder().encode('signed bytes of atx_long '.repeat(4_000));
      await keep(store, storedAutoTx('atx_stays', { signed: { nonce: 7 } }));
      await keep(store, storedAutoTx('atx_1', { signed: { nonce: 8 } }));
      await store.create(storedAutoTx('atx_long'), long, NO_CAP);
      await happen(store, 'atx_long', { type: 'cancel' });
      await happen(store, 'atx_1', { type: 'expire' });
      const { bytes } = await database.queries
        .selectFrom('signed_transactions')
        .select('bytes')
        .where('auto_tx_id', '=', 'atx_long')
        .executeTakeFirstOrThrow();
      await store.forgetSigned(NOW + DAY);
      await database.close();
      const files = await readdir(folder);
      const held = (await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))).join('');
      expect(held).not.toContain(Buffer.from(bytes.subarray(-1_000)).toString('latin1'));
      expect(held).not.toContain('signed bytes of atx_stays');
      expect(held).not.toContain('signed bytes of atx_long');
      expect(held).not.toContain('signed bytes of atx_1');
    },
  );

  test('deletes drafts and ended auto-txs with all their data, but none that may be sent', async () => {
    const { database, store } = await open();
    await keep(store, draftAutoTx('draft'));
    await keep(store, storedAutoTx('waits', { signed: { nonce: 1 } }));
    await keep(store, storedAutoTx('done', { signed: { nonce: 2 } }));
    await happen(store, 'done', { type: 'submit' }, { type: 'sent' }, mined(5));
    expect(await store.remove('', 'waits')).toBe('not-final');
    await happen(store, 'waits', { type: 'disable' });
    expect(await store.remove('', 'waits')).toBe('not-final');
    await happen(store, 'waits', { type: 'enable' }, { type: 'submit' });
    expect(await store.remove('', 'waits')).toBe('not-final');
    expect(await store.remove('', 'draft')).toBe('removed');
    expect(await store.remove('', 'done')).toBe('removed');
    expect(await store.remove('', 'done')).toBeNull();
    expect((await store.list('', ALL)).autoTxs.map(({ id }) => id)).toEqual(['waits']);
    const left = async (table: 'signed_transactions' | 'auto_tx_events') =>
      (await database.queries.selectFrom(table).select('auto_tx_id').distinct().execute()).map(
        (row) => row.auto_tx_id,
      );
    expect(await left('signed_transactions')).toEqual(['waits']);
    expect(await left('auto_tx_events')).toEqual(['waits']);
  });

  testOn(engine)(
    'the timeline keeps its first twenty lines and the newest, two hundred in all, in their order',
    async () => {
      const { database, store } = await open();
      await keep(store, storedAutoTx('atx_1'));
      for (let round = 0; round < 120; round += 1) {
        await happen(store, 'atx_1', { type: 'disable' }, { type: 'enable' });
      }
      const timeline = await store.timeline('atx_1');
      expect(timeline).toHaveLength(200);
      expect(timeline[0]?.kind).toBe('ENABLED');
      const kinds = timeline.map(({ kind }) => kind).reverse();
      expect(kinds.slice(0, 3)).toEqual(['CREATED', 'DISABLED', 'ENABLED']);
      expect(new Set(kinds.slice(1))).toEqual(new Set(['DISABLED', 'ENABLED']));
      expect(await database.queries.selectFrom('auto_tx_events').select('seq').execute()).toHaveLength(200);
    },
  );

  test('a note that only repeats the newest one is not added', async () => {
    const { store } = await open();
    await keep(store, storedAutoTx('atx_1'));
    const decline: AutoTxEvent = { type: 'decline', obstacle: { code: 'x', message: 'no' }, retryAt: 0 };
    const unseen: AutoTxEvent = {
      type: 'observe',
      observation: { head: 9, inclusion: null, isKnown: false, nextNonce: 0 },
    };
    await happen(store, 'atx_1', { type: 'submit' }, { type: 'sent' }, unseen, decline, decline, decline);
    const kinds = (await store.timeline('atx_1')).map(({ kind }) => kind).reverse();
    expect(kinds).toEqual(['CREATED', 'SUBMITTED', 'SENT', 'DECLINED']);
  });

  test('sums savings to the wei beyond safe integers, against the price at creation', async () => {
    const { store } = await open();
    const fee = 2n ** 53n - 1n;
    const execute = async (id: string, more: Partial<StoredAutoTx>, gasUsed: bigint, price: bigint) => {
      await keep(store, storedAutoTx(id, { ...more, signed: { nonce: Number(id) } }));
      await happen(store, id, { type: 'submit' }, mined(5, { gasUsed, effectiveGasPrice: price }));
    };
    expect(await savingsOf(store, 'a')).toEqual({ executed: 0, savedWei: 0n, savedUsd: 0 });
    await execute('1', { owner: 'a', priceAtCreation: fee, nativeUsd: 2_000 }, 30_000_000n, 1n);
    await execute('2', { owner: 'a', priceAtCreation: fee, nativeUsd: 1_000 }, 3n, 2n);
    // What nobody can compare is no saving and no loss.
    await execute('3', { owner: 'a', priceAtCreation: 5n, nativeUsd: 1 }, 21_000n, 7n);
    await execute('4', { owner: 'a', priceAtCreation: null, nativeUsd: null }, 21_000n, 7n);
    await execute('5', { owner: 'b', priceAtCreation: 9n, nativeUsd: null }, 10n, 7n);
    const savedWei = (fee - 1n) * 30_000_000n + (fee - 2n) * 3n - 42_000n;
    const savedUsd = (Number(fee - 1n) * 3e7 * 2_000 + Number(fee - 2n) * 3 * 1_000) / 1e18;
    expect(await savingsOf(store, 'a')).toEqual({
      executed: 4,
      savedWei,
      savedUsd: expect.closeTo(savedUsd, 0),
    });
    expect(await savingsOf(store, 'b')).toEqual({ executed: 1, savedWei: 20n, savedUsd: null });
    expect(await savingsOf(store, '')).toEqual({ executed: 5, savedWei: savedWei + 20n, savedUsd: null });
    await store.remove('', '2');
    expect((await savingsOf(store, 'a')).savedWei).toBe(savedWei);
  });

  test('sums later changes of an executed auto-tx too', async () => {
    const { store } = await open();
    await keep(store, storedAutoTx('atx_1', { priceAtCreation: 10n * GWEI }));
    await happen(store, 'atx_1', { type: 'submit' }, mined(5));
    expect(await savingsOf(store, '')).toEqual({ executed: 1, savedWei: 21_000n * GWEI, savedUsd: null });
    await store.change(
      { owner: '', id: 'atx_1' },
      (kept) => ({ autoTx: { ...kept, nativeUsd: 2_000 }, notes: [], at: NOW }),
      'leader',
    );
    expect(await savingsOf(store, '')).toEqual({
      executed: 1,
      savedWei: 21_000n * GWEI,
      savedUsd: expect.closeTo(0.042, 9),
    });
  });

  test('the oldest final auto-txs of an owner go, but none that may be mined and none that waits', async () => {
    const database = await openOn(engine);
    const store = new AutoTxStore(database);
    await new BlockStore(database).saveBlocks([makeBlock(1_000)]);
    const states = [
      ['out', { status: 'CANCELLED', mayBeOut: true }],
      ['near', { status: 'EXECUTED', inclusion: includedIn(990) }],
      ['waits', {}],
      ['deep', { status: 'EXECUTED', inclusion: includedIn(900) }],
      ['expired', { status: 'EXPIRED' }],
      ['cancelled', { status: 'CANCELLED' }],
      ['failed', { status: 'FAILED', failure: { code: 'x', message: 'x' } }],
    ] as const;
    for (const owner of ['a', 'b']) {
      for (const [place, [name, state]] of states.entries()) {
        const id = `${owner} ${name}`;
        const signed = { nonce: place };
        await store.create(
          storedAutoTx(id, { owner, createdAt: NOW + place, state, signed }),
          bytesOf(id),
          NO_CAP,
        );
      }
    }
    await database.transaction((trx) => forgetFinal(trx, 'a', 4));
    const ids = async (owner: string) =>
      (await store.list(owner, { offset: 0, limit: 100 })).autoTxs.map(({ id }) => id.slice(2)).reverse();
    expect(await ids('a')).toEqual(['out', 'waits', 'expired', 'cancelled', 'failed']);
    expect(await store.timeline('a deep')).toEqual([]);
    expect(await store.signedBytes('a deep')).toBeNull();
    expect(await ids('b')).toHaveLength(7);
  });
});
