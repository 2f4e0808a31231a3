import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OutboxWorker } from '../../src/service/alerts/outbox-worker.ts';
import { AlertStore } from '../../src/store/alerts.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { requireWritable } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { OutboxStore } from '../../src/store/outbox.ts';
import { SigningSecretStore } from '../../src/store/signing-secrets.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { ENGINES, openOn } from '../helpers/databases.ts';
import { FIRED_AT, fire, storedAlert } from '../helpers/fired-alert.ts';

describe.each(ENGINES)('once a newer program has updated the database, on %s', (engine) => {
  async function leftBehind() {
    const database = await openOn(engine);
    const id = await fire(database, 'a');
    const outbox = new OutboxStore(database);
    const sent = await outbox.take(id, FIRED_AT);
    if (sent === null) throw new Error('nothing is due');
    const { queries } = database;
    await queries.updateTable('deliveries').set({ next_attempt_at: FIRED_AT }).execute();
    await sql`insert into kysely_migration values ('9999-later', '2030-01-01')`.execute(queries);
    onTestFinished(async () => {
      await sql`delete from kysely_migration where name = '9999-later'`.execute(queries);
    });
    const stored = async () => ({
      blocks: await queries.selectFrom('blocks').selectAll().execute(),
      alerts: await queries.selectFrom('alerts').selectAll().execute(),
      secrets: await queries.selectFrom('signing_secrets').selectAll().execute(),
      deliveries: await queries.selectFrom('deliveries').selectAll().execute(),
      attempts: await queries.selectFrom('delivery_attempts').selectAll().execute(),
      leases: await queries.selectFrom('leases').selectAll().execute(),
    });
    return { database, outbox, sent, stored };
  }

  test('chain, owners, outbox and lease write nothing', async () => {
    const { database, outbox, sent, stored } = await leftBehind();
    const before = await stored();
    const attempt = { at: FIRED_AT, latencyMs: 1, ok: true, answer: '200' };
    const alerts = new AlertStore(database);
    const writes = {
      block: () => new BlockStore(database).saveBlocks([makeBlock(1)]),
      'new alert': () => alerts.create(storedAlert('b'), 10),
      'deleted alert': () => alerts.remove('', 'a'),
      'disabled auto-txs': () => new AutoTxStore(database).disableAll('', 'retired', FIRED_AT),
      'rotated secret': () => new SigningSecretStore(database).rotate('', FIRED_AT),
      'taken delivery': () => outbox.take(sent.id, FIRED_AT),
      'recorded attempt': () => outbox.record(sent, attempt, { kind: 'delivered' }),
      'delivery again': () => outbox.redeliver('a', sent.id, FIRED_AT + 1),
      'clock put right': () => outbox.bringForward(0),
      lease: () =>
        new LeaseStore(database).take({ holder: 'x', process: 'x', since: 0, heartbeatAt: 0 }, null),
    };
    for (const [what, write] of Object.entries(writes))
      await expect(write(), what).rejects.toMatchObject({
        code: 'newer-schema',
        message: 'a newer gastop has updated the database; restart this one updated, too',
      });
    expect(await stored()).toEqual(before);
  });

  test('the worker sends nothing more, and leaves it to the lease to tell', async () => {
    const { database, outbox, stored } = await leftBehind();
    const before = await stored();
    const told: unknown[] = [];
    const worker = new OutboxWorker({
      store: outbox,
      secrets: new SigningSecretStore(database),
      notifiers: { WEBHOOK: { deliver: () => Promise.reject(new Error('it sends')) } },
      process: 'gastop, process 4711',
      signal: new AbortController().signal,
      onError: (error) => told.push(error),
    });
    await worker.run();
    expect(told).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  test('it is still ready: what it reads goes on', async () => {
    const { database } = await leftBehind();
    await requireWritable(database, ['alerts', 'blocks']);
    expect((await new AlertStore(database).list('', { limit: 10, offset: 0 })).total).toBe(1);
  });
});
