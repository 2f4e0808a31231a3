import { describe, expect, onTestFinished, test } from 'vitest';
import { DISABLED } from '../../src/core/alerts/alert-rule.ts';
import { toStoredAlert } from '../../src/store/alert-rows.ts';
import { AlertStore } from '../../src/store/alerts.ts';
import type { Database } from '../../src/store/database.ts';
import {
  KEEP_FIRINGS_MS,
  OutboxStore,
  type StoredAttempt,
  type TakenDelivery,
} from '../../src/store/outbox.ts';
import { ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { FIRED_AT, fire } from '../helpers/fired-alert.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { rounds } from '../helpers/rounds.ts';

describe.each(ENGINES)('on %s', (engine) => {
  async function open(place?: string): Promise<{ database: Database; store: OutboxStore }> {
    const database = await openDatabase(place ?? (await emptyDatabase(engine)));
    onTestFinished(() => database.close().catch(() => {}));
    return { database, store: new OutboxStore(database) };
  }

  const attempt = (at: number, ok = false, answer = '500'): StoredAttempt => ({
    at,
    latencyMs: 12,
    ok,
    answer,
  });

  async function pendingOf(store: OutboxStore, id: string): Promise<TakenDelivery> {
    const found = await store.take(id, Number.MAX_SAFE_INTEGER);
    if (found === null) throw new Error(`${id} is not pending`);
    return found;
  }

  const statuses = async (store: OutboxStore, alertId: string) =>
    Object.fromEntries((await store.deliveries(alertId)).map(({ id, status }) => [id, status]));

  async function alertOf({ queries }: Database, id: string) {
    return toStoredAlert(
      await queries.selectFrom('alerts').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
  }

  test('due deliveries come page by page, the longest due first, without waiting and completed ones', async () => {
    const { database, store } = await open();
    await fire(database, 'b', { row: { next_attempt_at: FIRED_AT + 5 } });
    await fire(database, 'c', { row: { next_attempt_at: FIRED_AT + 5 } });
    await fire(database, 'a', { row: { next_attempt_at: FIRED_AT + 6 } });
    await database.queries.updateTable('alerts').set({ owner: 'key1' }).where('id', '=', 'a').execute();
    await fire(database, 'later', { row: { next_attempt_at: FIRED_AT + 11 } });
    await fire(database, 'done', { row: { next_attempt_at: null, status: 'DELIVERED' } });
    const now = FIRED_AT + 10;
    const first = await store.due(now, 2);
    expect(first.map(({ id }) => id)).toEqual(['b.1.webhook', 'c.1.webhook']);
    const second = await store.due(now, 2, first[1]);
    expect(second).toEqual([
      {
        id: 'a.1.webhook',
        owner: 'key1',
        channel: 'WEBHOOK',
        target: 'https://receiver.test/hook',
        dueAt: FIRED_AT + 6,
      },
    ]);
    expect(await store.due(now, 2, second[0])).toEqual([]);
    expect(await store.nextDueAt(now)).toBe(FIRED_AT + 11);
    expect(await store.nextDueAt(FIRED_AT + 11)).toBeNull();
  });

  test('a recipient that is gone disables the alert and cancels its deliveries there, but not elsewhere', async () => {
    const { database, store } = await open();
    const first = await fire(database, 'a');
    const second = await fire(database, 'a', { triggerCount: 2 });
    const email = await fire(database, 'a', { channel: 'EMAIL', triggerCount: 2 });
    const other = await fire(database, 'b');
    const reason = 'the webhook answered 410 Gone';
    await store.record(await pendingOf(store, first), attempt(FIRED_AT + 7, false, '410'), {
      kind: 'gone',
      reason,
    });
    expect(await statuses(store, 'a')).toEqual({
      [first]: 'FAILED',
      [second]: 'CANCELLED',
      [email]: 'PENDING',
    });
    expect(await statuses(store, 'b')).toEqual({ [other]: 'PENDING' });
    expect(await alertOf(database, 'a')).toMatchObject({
      phase: { kind: 'disabled' },
      disabledReason: reason,
      updatedAt: FIRED_AT + 7,
    });
    const row = await database.queries
      .selectFrom('alerts')
      .selectAll()
      .where('id', '=', 'a')
      .executeTakeFirstOrThrow();
    expect([row.wake_at_most, row.wake_at_least, row.wake_block, row.wake_ms]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(await alertOf(database, 'b')).toMatchObject({ phase: { kind: 'armed' }, disabledReason: null });
  });

  test('a disabled alert keeps its reason', async () => {
    const { database, store } = await open();
    const id = await fire(database, 'a', { phase: DISABLED });
    await store.record(await pendingOf(store, id), attempt(FIRED_AT), { kind: 'gone', reason: 'gone' });
    expect(await alertOf(database, 'a')).toMatchObject({
      disabledReason: null,
      updatedAt: FIRED_AT - 60_000,
    });
  });

  test('a retry requested during an attempt is made, whatever the attempt’s result', async () => {
    const { database, store } = await open();
    const id = await fire(database, 'a');
    const underWay = await pendingOf(store, id);
    await store.redeliver('a', id, FIRED_AT + 1);
    await store.record(underWay, attempt(FIRED_AT, true, '200'), { kind: 'delivered' });
    expect(await store.deliveries('a')).toMatchObject([
      { status: 'PENDING', nextAttemptAt: FIRED_AT + 1, attempts: [{ ok: true }] },
    ]);
  });

  test('an alert tells its newest 50 deliveries, newest first', async () => {
    const { database, store } = await open();
    for (let n = 1; n <= 53; n += 1) {
      await fire(database, 'a', { triggerCount: n, row: { created_at: FIRED_AT + n } });
    }
    const told = await store.deliveries('a');
    expect(told.map(({ createdAt }) => createdAt - FIRED_AT)).toEqual(
      Array.from({ length: 50 }, (_, index) => 53 - index),
    );
    expect(await store.deliveries('nobody')).toEqual([]);
  });

  test('a recipient that is gone disables no alert that notifies another one by now', async () => {
    const { database, store } = await open();
    const id = await fire(database, 'a');
    const alerts = new AlertStore(database);
    const alert = await alerts.find('', 'a');
    if (alert === null) throw new Error('there is no alert');
    const targets = { ...alert.targets, WEBHOOK: 'https://elsewhere.example.org/hook' };
    await alerts.change('', 'a', (stored) => ({ ...stored, targets }));
    await store.record(await pendingOf(store, id), attempt(FIRED_AT), { kind: 'gone', reason: 'gone' });
    expect(await statuses(store, 'a')).toEqual({ [id]: 'FAILED' });
    expect(await alerts.find('', 'a')).toMatchObject({ disabledReason: null, targets });
  });

  test('old completed deliveries are deleted with their attempts; pending ones stay', async () => {
    const { database, store } = await open();
    const old = await fire(database, 'a');
    await store.record(await pendingOf(store, old), attempt(FIRED_AT), { kind: 'delivered' });
    const waiting = await fire(database, 'a', { triggerCount: 2 });
    await store.prune(FIRED_AT + KEEP_FIRINGS_MS);
    expect(await statuses(store, 'a')).toEqual({ [old]: 'DELIVERED', [waiting]: 'PENDING' });
    await store.prune(FIRED_AT + KEEP_FIRINGS_MS + 1);
    expect(await statuses(store, 'a')).toEqual({ [waiting]: 'PENDING' });
    expect(await database.queries.selectFrom('delivery_attempts').selectAll().execute()).toEqual([]);
  });

  test.runIf(engine === 'PostgreSQL')(
    'of all processes that send one takes each delivery, until it must be gone',
    async () => {
      const place = await emptyDatabase(engine);
      const { database, store } = await open(place);
      const { store: elsewhere } = await open(place);
      for (let round = 0; round < rounds(10); round += 1) {
        const ids = await Promise.all(
          Array.from({ length: 20 }, (_, n) => fire(database, `alr_${round}_${n}`)),
        );
        const taken = await Promise.all(
          ids.flatMap((id) => [store.take(id, FIRED_AT + 10), elsewhere.take(id, FIRED_AT + 10)]),
        );
        expect(taken.flatMap((each) => each?.id ?? []).sort()).toEqual(ids.toSorted());
      }
      // One that starts now has a notifier for all, and takes none away.
      await elsewhere.wakeWaiting(['WEBHOOK'], FIRED_AT + 20);
      expect(await elsewhere.due(FIRED_AT + 20, 999)).toEqual([]);
      expect(await elsewhere.due(FIRED_AT + 100_000, 999)).toHaveLength(20 * rounds(10));
    },
  );
});
