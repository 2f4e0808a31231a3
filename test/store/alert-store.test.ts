import { describe, expect, test } from 'vitest';
import { ARMED, DISABLED, switchedAlert } from '../../src/core/alerts/alert-rule.ts';
import { AlertStore } from '../../src/store/alerts.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import type { Database } from '../../src/store/database.ts';
import { tallyFirings } from '../../src/store/firing-tallies.ts';
import type { AlertEventRow } from '../../src/store/outbox.ts';
import { OutboxStore } from '../../src/store/outbox.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { ENGINES, openOn, testOn } from '../helpers/databases.ts';
import { FIRED_AT, fire, storedAlert } from '../helpers/fired-alert.ts';

describe.each(ENGINES)('on %s', (engine) => {
  async function open(): Promise<{ database: Database; store: AlertStore }> {
    const database = await openOn(engine);
    return { database, store: new AlertStore(database) };
  }

  const NO_CAP = Number.POSITIVE_INFINITY;
  let count = 0;
  async function addFiring({ queries }: Database, event: Partial<AlertEventRow>): Promise<void> {
    count += 1;
    const row: AlertEventRow = {
      id: `alr_1.${count}`,
      alert_id: 'alr_1',
      owner: '',
      block_number: count,
      block_hash: null,
      triggered_at: FIRED_AT + count * 1_000,
      condition: 'LESS_THAN',
      price: 5_000_000_000,
      reference_price: 7_000_000_000,
      native_usd: 2_000,
      ...event,
    };
    await queries.insertInto('alert_events').values(row).execute();
    await tallyFirings(queries, [row]);
  }

  test('a page holds its part, newest first; those made at once have an order, too', async () => {
    const { store } = await open();
    for (const id of ['alr_1', 'alr_2', 'alr_3'])
      await store.create(storedAlert(id, { createdAt: 5 }), NO_CAP);
    await store.create(storedAlert('alr_0', { createdAt: 6 }), NO_CAP);
    const pages = [0, 2, 4].map((offset) => store.list('', { offset, limit: 2 }));
    const ids = (await Promise.all(pages)).map(({ alerts, total }) => [total, ...alerts.map(({ id }) => id)]);
    expect(ids).toEqual([[4, 'alr_0', 'alr_3'], [4, 'alr_2', 'alr_1'], [4]]);
  });

  test('enabling continues a running cooldown and clears the reason; an enabled alert is unchanged', async () => {
    const { database, store } = await open();
    const mine = (ms: number) =>
      new BlockStore(database).saveBlocks([makeBlock(ms, { timestamp: (FIRED_AT + ms) / 1_000 })]);
    const switched = async (id: string, isEnabled: boolean, now: number) => {
      const changed = await store.change('', id, (stored, headTime) =>
        switchedAlert(stored, isEnabled, { headTime, now }),
      );
      return changed?.after ?? null;
    };
    await mine(0);
    const cooling = { kind: 'cooling', cooldownUntil: FIRED_AT + 3_600_000, mustLeave: false } as const;
    await store.create(storedAlert('alr_1', { phase: cooling }), NO_CAP);
    const before = await store.find('', 'alr_1');
    expect(await switched('alr_1', true, FIRED_AT + 1)).toEqual(before);
    expect(await switched('alr_1', false, FIRED_AT + 2)).toMatchObject({
      phase: DISABLED,
      updatedAt: FIRED_AT + 2,
    });
    const wakes = await database.queries
      .selectFrom('alerts')
      .select(['wake_at_most', 'wake_at_least', 'wake_block', 'wake_ms', 'cooldown_until'])
      .executeTakeFirstOrThrow();
    expect(Object.values(wakes)).toEqual([null, null, null, null, null]);
    await database.queries.updateTable('alerts').set({ disabled_reason: 'the recipient is gone' }).execute();
    expect((await switched('alr_1', false, FIRED_AT + 3))?.disabledReason).toBe('the recipient is gone');
    const enabled = await switched('alr_1', true, FIRED_AT + 4);
    expect(enabled).toMatchObject({
      phase: cooling,
      disabledReason: null,
      updatedAt: FIRED_AT + 4,
      triggerCount: 1,
    });
    expect(await store.find('', 'alr_1')).toEqual(enabled);
    await switched('alr_1', false, FIRED_AT + 5);
    await mine(3_600_000);
    expect((await switched('alr_1', true, FIRED_AT + 6))?.phase).toEqual(ARMED);
    expect(await switched('none', true, FIRED_AT + 1)).toBeNull();
  });

  testOn(engine)('with an alert goes what was or was to be sent for it; others keep theirs', async () => {
    const { database, store } = await open();
    const outbox = new OutboxStore(database);
    await fire(database, 'alr_1', { triggerCount: 2 });
    const underWay = await fire(database, 'alr_1', { target: 'https://receiver.test/s3cret' });
    for (let n = 3; n <= 510; n += 1) await fire(database, 'alr_1', { triggerCount: n });
    const sent = await outbox.take(underWay, Number.MAX_SAFE_INTEGER);
    if (sent === null) throw new Error('nothing is pending');
    const attempt = { at: FIRED_AT, latencyMs: 1, ok: false, answer: '500' };
    await outbox.record(sent, attempt, { kind: 'again', at: FIRED_AT });
    const others = await fire(database, 'alr_2');
    expect(await store.remove('', 'alr_1')).toBe(true);
    await outbox.record(sent, attempt, { kind: 'delivered' });
    const { queries } = database;
    const left = await queries.selectFrom('deliveries').select('id').execute();
    expect(left).toEqual([{ id: others }]);
    expect(await queries.selectFrom('delivery_attempts').selectAll().execute()).toEqual([]);
    expect(await outbox.take(others, Number.MAX_SAFE_INTEGER)).not.toBeNull();
  });

  test('savings are exact, and in dollars only where all that saved have a price', async () => {
    const { database, store } = await open();
    expect(await store.savings('alr_1')).toEqual({
      firings: [],
      sum: { firings: 0, savedPerGas: 0n, usdPerGas: 0 },
    });
    const most = 9_007_199_254_740_991;
    for (let at = 0; at < 3; at += 1) await addFiring(database, { price: 0, reference_price: most });
    await addFiring(database, { price: 9, reference_price: 5 });
    await addFiring(database, { reference_price: null, native_usd: null });
    await addFiring(database, { condition: 'GREATER_THAN', price: 5, reference_price: 9 });
    await addFiring(database, { alert_id: 'alr_2', owner: 'b' });
    const { firings, sum } = await store.savings('alr_1');
    expect(sum).toMatchObject({ firings: 6, savedPerGas: 3n * BigInt(most) });
    expect(sum.usdPerGas).toBeCloseTo(3 * most * 2_000, -6);
    expect(firings.at(-1)).toMatchObject({ price: 0n, savedPerGas: BigInt(most) });
    expect(firings.slice(0, 3).map(({ savedPerGas }) => savedPerGas)).toEqual([0n, 0n, 0n]);
    await addFiring(database, { native_usd: null });
    expect((await store.savings('alr_1')).sum.usdPerGas).toBeNull();
    expect((await store.totals('b', 0)).sum).toMatchObject({ firings: 1, savedPerGas: 2_000_000_000n });
    expect((await store.totals('', 0)).sum.firings).toBe(8);
  });

  test('firings of a window are the newest of it, oldest first, of the owner alone', async () => {
    const { database, store } = await open();
    for (let at = 1; at <= 5; at += 1) await addFiring(database, { owner: 'a', triggered_at: FIRED_AT + at });
    await addFiring(database, { owner: 'b', alert_id: 'alr_b', triggered_at: FIRED_AT + 3 });
    const window = { from: FIRED_AT + 2, to: FIRED_AT + 4, limit: 2 };
    const timesOf = async (owner: string) =>
      (await store.firingsBetween(owner, window)).map(({ triggeredAt }) => triggeredAt - FIRED_AT);
    expect(await timesOf('a')).toEqual([3, 4]);
    expect(await timesOf('b')).toEqual([3]);
    expect((await store.totals('a', FIRED_AT + 4)).fired).toBe(2);
    expect((await store.totals('', FIRED_AT + 3)).fired).toBe(4);
  });

  test('an owner’s firings are tallied, and the tally outlasts them', async () => {
    const { database, store } = await open();
    for (const owner of ['a', 'a', 'b']) await addFiring(database, { owner, native_usd: 3_000 });
    // As earlier versions tallied them, by the hour.
    const { hour: _, ...tally } = await database.queries
      .selectFrom('firing_tallies')
      .selectAll()
      .where('owner', '=', 'a')
      .executeTakeFirstOrThrow();
    await database.queries
      .insertInto('firing_tallies')
      .values({ ...tally, hour: 3_600_000 })
      .execute();
    const before = (await store.totals('a', 0)).sum;
    expect(before).toEqual({ firings: 4, savedPerGas: 8_000_000_000n, usdPerGas: 4 * 2e9 * 3_000 });
    await database.queries.deleteFrom('alert_events').execute();
    expect((await store.totals('a', 0)).sum).toEqual(before);
  });
});
