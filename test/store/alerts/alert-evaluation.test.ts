import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { AlertMessage, StoredAlert } from '../../../src/core/alerts/alert-rule.ts';
import { toAlertRow } from '../../../src/store/alert-rows.ts';
import { AlertStore } from '../../../src/store/alerts.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { blockHash, makeBlock, makeBlocks } from '../../helpers/chain-blocks.ts';
import { ENGINES, openOn, testOn } from '../../helpers/databases.ts';
import { flat, priced, runOf, savePriced, savePrices, WALL_NOW } from './priced-blocks.ts';
import { insertAlerts, readAlert, readEvents, storedAlert } from './stored-alerts.ts';

describe.each(ENGINES)('on %s', (engine) => {
  async function open(...alerts: readonly StoredAlert[]) {
    const database = await openOn(engine);
    await insertAlerts(database, ...alerts);
    return { database, store: new BlockStore(database) };
  }

  const timeOf = (number: number) => makeBlock(number).timestamp * 1_000;

  describe('a firing', () => {
    test('is an event, a message for each channel, and a new state of the alert', async () => {
      const { database, store } = await open(
        storedAlert(
          'a',
          { cooldownMs: 60_000 },
          {
            owner: 'gk_1',
            method: 'WEBHOOK',
            channels: ['WEBHOOK', 'EMAIL', 'TERMINAL'],
            targets: { WEBHOOK: 'https://receiver.example/hook', EMAIL: 'me@example.com' },
            note: 'cheap',
          },
        ),
      );
      const block = makeBlock(7);
      const prices = { slow: 101n, average: 99n, fast: 102n };
      const run = runOf([{ block, prices, isMissed: false }], { nativeUsd: 2_500 });
      expect(await store.saveBlocks([block], null, run)).toBe(1);
      expect(await database.queries.selectFrom('alert_events').selectAll().execute()).toEqual([
        {
          id: 'a.1',
          alert_id: 'a',
          owner: 'gk_1',
          block_number: 7,
          block_hash: block.hash,
          triggered_at: timeOf(7),
          condition: 'LESS_THAN',
          price: 99,
          reference_price: null,
          native_usd: 2_500,
        },
      ]);
      const deliveries = await database.queries.selectFrom('deliveries').selectAll().orderBy('id').execute();
      expect(deliveries.map(({ message, ...row }) => row)).toEqual([
        {
          id: 'a.1.email',
          event_id: 'a.1',
          alert_id: 'a',
          channel: 'EMAIL',
          target: 'me@example.com',
          status: 'PENDING',
          created_at: WALL_NOW,
          tries: 0,
          tries_since: WALL_NOW,
          next_attempt_at: WALL_NOW,
        },
        expect.objectContaining({
          id: 'a.1.terminal',
          target: '',
          status: 'DELIVERED',
          next_attempt_at: null,
        }),
        expect.objectContaining({
          id: 'a.1.webhook',
          target: 'https://receiver.example/hook',
          status: 'PENDING',
        }),
      ]);
      const expected: AlertMessage = {
        eventId: 'a.1',
        alertId: 'a',
        owner: 'gk_1',
        chainId: 1,
        chainName: 'Ethereum',
        sourceKind: 'rpc',
        lane: 'average',
        condition: 'LESS_THAN',
        threshold: '100',
        price: '99',
        blockNumber: 7,
        blockTimestamp: block.timestamp,
        note: 'cheap',
        triggerCount: 1,
      };
      for (const { message } of deliveries) expect(JSON.parse(message)).toEqual(expected);
      expect(await database.queries.selectFrom('delivery_attempts').selectAll().execute()).toEqual([
        {
          delivery_id: 'a.1.terminal',
          at: WALL_NOW,
          latency_ms: 0,
          ok: 1,
          answer: 'shown by every running monitor',
        },
      ]);
      expect(await readAlert(database, 'a')).toMatchObject({
        phase: { kind: 'cooling', cooldownUntil: timeOf(7) + 60_000, mustLeave: false },
        triggerCount: 1,
        lastTriggeredAt: timeOf(7),
        updatedAt: WALL_NOW,
        missedCount: 0,
      });
    });

    test('on the blob base fee comes by that alone, without a mean of the day, and where there is one', async () => {
      const { database, store } = await open(
        storedAlert('below', { lane: 'blob' }),
        storedAlert('above', { lane: 'blob', condition: 'GREATER_THAN' }),
        storedAlert('gas', { lane: 'average' }),
      );
      const blobs = (number: number, blobPrice: bigint | null) => ({ ...priced(number, 100), blobPrice });
      const prices = [100n, 99n, null, 101n, 1n];
      await savePriced(store, ...prices.map((price, place) => blobs(place, price)));
      const events = await database.queries.selectFrom('alert_events').selectAll().orderBy('id').execute();
      expect(events.map(({ id, block_number, price }) => [id, block_number, price])).toEqual([
        ['above.1', 3, 101],
        ['below.1', 1, 99],
        ['below.2', 4, 1],
      ]);
      expect(events.map((event) => event.reference_price)).toEqual([null, null, null]);
    });

    testOn(engine)('a thousand times at one block lets others in, and is one transaction still', async () => {
      const ids = Array.from({ length: 1_100 }, (_, place) => `a${String(place).padStart(4, '0')}`);
      const { database, store } = await open();
      const rows = ids.map((id) => toAlertRow(storedAlert(id)));
      for (let at = 0; at < rows.length; at += 100)
        await database.queries
          .insertInto('alerts')
          .values(rows.slice(at, at + 100))
          .execute();
      let isWritten = false;
      const write = savePrices(store, 0, 99).finally(() => {
        isWritten = true;
      });
      let turns = 0;
      for (; !isWritten; turns += 1) await setImmediate();
      expect(await write).toBe(1_100);
      expect(turns).toBeGreaterThanOrEqual(4);
      expect(await readEvents(database)).toEqual(ids.map((id) => `${id}.1`));
      if (engine === 'PostgreSQL') return;
      await sql`create trigger broken before insert on deliveries when new.alert_id = 'a1000'
      begin select raise(abort, 'no'); end`.execute(database.queries);
      await savePrices(store, 1, 101);
      await expect(savePrices(store, 2, 99)).rejects.toThrow();
      expect((await readEvents(database)).length).toBe(1_100);
    });

    testOn(engine)('is compared with what its lane cost on the average in the 24 h before', async () => {
      const { database, store } = await open(storedAlert('a', { lane: 'slow' }), storedAlert('b'));
      // From a time within five minutes on, more than a day of blocks, some of them without tips.
      const blocks = makeBlocks(13, 7_700).map((block) =>
        block.number % 3 === 0 ? { ...block, tips: null } : block,
      );
      await store.saveBlocks(blocks);
      const fired = makeBlock(7_701);
      await savePriced(store, priced(7_701, 99));
      const day = blocks.filter(({ timestamp }) => timestamp >= fired.timestamp - 86_400);
      expect(day.length).toBeLessThan(blocks.length);
      const mean = (values: readonly bigint[]) =>
        values.reduce((sum, value) => sum + Number(value), 0) / values.length;
      const base = mean(day.map(({ baseFeePerGas }) => baseFeePerGas));
      const tip = (place: 1 | 2) => mean(day.flatMap(({ tips }) => tips?.[place] ?? []));
      const rows = await database.queries
        .selectFrom('alert_events')
        .select(['alert_id', 'reference_price'])
        .orderBy('alert_id')
        .execute();
      expect(rows).toEqual([
        { alert_id: 'a', reference_price: Math.round(base + tip(1)) },
        { alert_id: 'b', reference_price: Math.round(base + tip(2)) },
      ]);
    });

    test('is added to its owner’s tally once', async () => {
      const { database, store } = await open(storedAlert('a', {}, { owner: 'gk_1' }));
      await database.queries
        .insertInto('alert_events')
        .values({
          id: 'a.1',
          alert_id: 'a',
          owner: 'gk_1',
          block_number: 0,
          block_hash: null,
          triggered_at: timeOf(0),
          condition: 'LESS_THAN',
          price: 99,
          reference_price: null,
          native_usd: null,
        })
        .execute();
      // The first is there already and was counted then.
      expect(await savePrices(store, 1, 99, 101, 99)).toBe(2);
      const tallies = await database.queries.selectFrom('firing_tallies').selectAll().execute();
      expect(tallies).toMatchObject([{ owner: 'gk_1', firings: 1 }]);
    });

    test('is forgotten after 90 days a page at a time, and of one alert all but the last thousand', async () => {
      const often = { method: 'WEBHOOK', channels: ['WEBHOOK', 'TERMINAL'], triggerCount: 1_000 };
      const { database, store } = await open(
        storedAlert('old'),
        storedAlert('often', { lane: 'fast' }, often),
      );
      const prices = { slow: 100n, average: 99n, fast: 100n };
      await savePriced(store, { block: makeBlock(0), prices, isMissed: false });
      const { queries } = database;
      const old = await queries.selectFrom('alert_events').selectAll().executeTakeFirstOrThrow();
      const firings = (from: number, to: number, triggered_at: number) =>
        Array.from({ length: to - from + 1 }, (_, place) => ({
          ...old,
          id: `often.${from + place}`,
          triggered_at,
        }));
      await queries
        .insertInto('alert_events')
        .values(firings(1, 600, old.triggered_at))
        .execute();
      await queries
        .insertInto('alert_events')
        .values(firings(601, 1_000, timeOf(1_000)))
        .execute();
      const sent = await queries.selectFrom('deliveries').selectAll().executeTakeFirstOrThrow();
      const row = { ...sent, event_id: 'often.1' };
      const waiting = { ...row, id: 'often.1.webhook', status: 'PENDING' };
      await queries
        .insertInto('deliveries')
        .values([{ ...row, id: 'often.1.terminal' }, waiting])
        .execute();
      await savePriced(store, { block: makeBlock(1), prices: { ...prices, fast: 99n }, isMissed: false });
      const kept = await queries
        .selectFrom('deliveries')
        .select('id')
        .where('event_id', '=', 'often.1')
        .execute();
      expect(kept).toEqual([{ id: 'often.1.webhook' }]);
      expect(await readEvents(database)).not.toContain('often.1');
      expect(await readEvents(database)).toContain('often.1001');
      expect((await readEvents(database)).length).toBe(1_001);
      const pruned = store.prune(makeBlock(500).timestamp + 90 * 86_400);
      const between: number[] = [];
      for (let isDone = false; !isDone; ) {
        isDone = await Promise.race([pruned.then(() => true), setImmediate(false)]);
        between.push((await readEvents(database)).length);
      }
      expect([1_001, 501, 400]).toEqual(expect.arrayContaining(between));
      expect(between.at(-1)).toBe(400);
      // A server writes on while it is asked: how much is between two looks is its own affair.
      if (engine === 'SQLite') expect(between).toContain(501);
    });
  });

  describe.runIf(engine === 'SQLite')('an alert that cannot be read', () => {
    test.each([
      { phase: 'asleep' },
      { channels: '["TERMINAL"' },
      { channels: '5' },
      { targets: 'null' },
      { targets: '{"WEBHOOK":5}' },
      { threshold: 1.5 },
      { confirm_blocks: 2, hysteresis: 0.5 },
    ])('(%j) is left out, and the block is written; others fire; it can be deleted', async (damage) => {
      const { database, store } = await open(storedAlert('a'), storedAlert('broken'));
      await database.queries.updateTable('alerts').set(damage).where('id', '=', 'broken').execute();
      expect(await savePrices(store, 1, 99)).toBe(1);
      expect((await store.head())?.number).toBe(1);
      expect(await readEvents(database)).toEqual(['a.1']);
      const shown = await new AlertStore(database).list('', { offset: 0, limit: 9 });
      expect(shown.alerts.map(({ id }) => id)).toEqual(['a']);
      expect(await savePrices(store, 2, 99)).toBe(0);
      await store.rewindTo(0);
      expect(await store.head()).toBeNull();
      const removed = ['stranger', '', ''].map((owner) => new AlertStore(database).remove(owner, 'broken'));
      expect(await Promise.all(removed)).toEqual([false, true, false]);
    });
  });

  // A chain that mines by the millisecond may do so 0.999 s after the time that its block states.
  test.each([
    ['0.001 s before the block', -1, 1],
    ['at its time', 0, 1],
    ['in the same second', 400, 1],
    ['at the end of that second', 999, 1],
    ['in the second after', 1_000, 0],
  ])(
    'counts a firing at a past block as missed, unless the alert is younger: made %s',
    async (_, laterMs, missed) => {
      const { database, store } = await open(storedAlert('a', {}, { createdAt: timeOf(3) + laterMs }));
      const past = [99, 98, 101, 99, 98].map((price, place) => priced(place, price, { isMissed: true }));
      await savePriced(store, ...past);
      const lastMissedAt = missed === 0 ? null : timeOf(3);
      expect(await readAlert(database, 'a')).toMatchObject({ missedCount: missed, lastMissedAt });
    },
  );

  describe('a reorg', () => {
    test('that could not be written when it came is seen by the hashes', async () => {
      const { database, store } = await open(storedAlert('a'));
      await savePrices(store, 0, 100, 100, 100);
      const fork = (number: number, price: number) => priced(number, price, { hash: blockHash(number, 1) });
      expect(await savePriced(store, fork(1, 100), fork(2, 99))).toBe(1);
      expect(await readEvents(database)).toEqual(['a.1']);
    });

    testOn(engine)('of a recording begun again arms what cools down until a time yet to come', async () => {
      const { store } = await open(storedAlert('a', { cooldownMs: 86_400_000 }));
      await savePrices(store, 0, ...Array.from({ length: 400 }, () => 101), 99, 101);
      await store.rewindTo(395);
      expect(await savePrices(store, 396, 101, 99)).toBe(0);
      await store.rewindTo(50);
      expect(await savePrices(store, 51, 101, 99)).toBe(1);
    });

    test('to another chain of the same time ends no cooldown', async () => {
      const { database, store } = await open(storedAlert('a', { cooldownMs: 86_400_000 }));
      await savePrices(store, 50_000, 99);
      await store.beginAnew(undefined);
      const timestamp = makeBlock(50_000).timestamp;
      const at = (number: number, price: number, sec: number) =>
        priced(number, price, { timestamp: timestamp + sec });
      expect(await savePriced(store, at(0, 101, -60), at(1, 99, 60), at(2, 99, 86_399))).toBe(0);
      expect(await savePriced(store, at(3, 99, 86_400))).toBe(1);
      expect(await readEvents(database)).toEqual(['a.2', 'a.1']);
    });

    test('to another chain re-arms alerts whose cooldown lies in that chain’s future', async () => {
      const { database, store } = await open(storedAlert('a', { cooldownMs: 86_400_000 }));
      await savePrices(store, 50_000, 99);
      await store.beginAnew(undefined);
      expect(await savePrices(store, 0, 101, 99)).toBe(1);
      expect(await readEvents(database)).toEqual(['a.2', 'a.1']);
    });
  });

  test('a block with a future time silences no alert once true blocks follow', async () => {
    const { database, store } = await open(storedAlert('a', { cooldownMs: 3_600_000 }));
    const now = WALL_NOW / 1_000;
    const at = (number: number, price: number, sec: number) =>
      savePriced(store, priced(number, price, { timestamp: now + sec }));
    await at(0, 101, -12);
    expect(await at(1, 99, 100 * 365 * 86_400)).toBe(1);
    expect(await at(2, 101, 12)).toBe(0);
    expect(await readAlert(database, 'a')).toMatchObject({ phase: { kind: 'armed' } });
    expect(await at(3, 99, 24)).toBe(1);
    expect(await at(4, 101, 36)).toBe(0);
    expect(await at(5, 99, 3_623)).toBe(0);
    expect(await at(6, 99, 3_624)).toBe(1);
  });

  test.each([
    ['a chain may be ahead of ours', WALL_NOW / 1_000 + 30 * 86_400, 'rpc'],
    ['a recording may be of any time', 2 * (WALL_NOW / 1_000), 'replay'],
  ] as const)('the clock of %s, and runs as it likes', async (_, ahead, sourceKind) => {
    const { store } = await open(storedAlert('a', { cooldownMs: 3_600_000 }));
    const at = (number: number, price: number, sec: number) => {
      const next = priced(number, price, { timestamp: ahead + sec });
      const chain = { chainId: 1, chainName: 'Ethereum', sourceKind };
      return store.saveBlocks([next.block], null, runOf([next], { chain }));
    };
    expect(await at(0, 99, 0)).toBe(1);
    expect(await at(1, 101, 12)).toBe(0);
    expect(await at(2, 99, 3_599)).toBe(0);
    expect(await at(3, 99, 3_600)).toBe(1);
  });

  test('filling the history fires no alerts', async () => {
    const { database, store } = await open(storedAlert('a', { threshold: 10n ** 18n }));
    await store.saveBlocks(makeBlocks(0, 99));
    expect(await readEvents(database)).toEqual([]);
    expect(await savePriced(store, { block: makeBlock(100), prices: flat(1), isMissed: false })).toBe(1);
  });
});
