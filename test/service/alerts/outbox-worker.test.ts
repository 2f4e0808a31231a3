import { describe, expect, it, onTestFinished } from 'vitest';
import { CHANNELS } from '../../../src/contract/alert-channels.ts';
import type { Notifier, Notifiers } from '../../../src/service/alerts/notifiers/notifier.ts';
import { createNotifiers, type NotifierSettings } from '../../../src/service/alerts/notifiers/notifiers.ts';
import { DeliveryQueue, nextTryAt, OutboxWorker } from '../../../src/service/alerts/outbox-worker.ts';
import type { Database } from '../../../src/store/database.ts';
import { cancelDeliveries, type DueDelivery, OutboxStore } from '../../../src/store/outbox.ts';
import { SigningSecretStore } from '../../../src/store/signing-secrets.ts';
import { FIRED_AT, type Firing, fire } from '../../helpers/fired-alert.ts';
import { smtpSettings, startMailServer } from '../../helpers/mail-server.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { answering, closedPort, startReceiver } from '../../helpers/receiver.ts';
import { temporaryFile } from '../../helpers/service.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const SETTINGS: NotifierSettings = { smtp: null, telegram: null, allowPrivateTargets: true };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Time that passes when a test says so: `sleepers` wait for it. */
function fakeClock() {
  let now = FIRED_AT;
  const sleepers = new Map<() => void, number>();
  return {
    sleepers,
    now: () => now,
    elapsed: () => now - FIRED_AT,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted || ms <= 0) return resolve();
        const wake = () => {
          if (sleepers.delete(wake)) resolve();
        };
        sleepers.set(wake, now + ms);
        signal?.addEventListener('abort', wake, { once: true });
      }),
    advance: (ms: number) => {
      now += ms;
      for (const [wake, until] of [...sleepers]) if (until <= now) wake();
    },
  };
}

interface Posting {
  readonly settings?: NotifierSettings;
  readonly path?: string;
  readonly clock?: ReturnType<typeof fakeClock>;
  readonly makeStore?: (database: Database) => OutboxStore;
}

async function open(posting: Posting = {}) {
  const { settings = SETTINGS, path = ':memory:', clock = fakeClock() } = posting;
  const database = await openDatabase(path);
  const store = posting.makeStore?.(database) ?? new OutboxStore(database);
  const abort = new AbortController();
  const errors: unknown[] = [];
  let underWay = 0;
  const watched = (notifier: Notifier): Notifier => ({
    ...notifier,
    async deliver(notification, signal) {
      underWay += 1;
      try {
        return await notifier.deliver(notification, signal);
      } finally {
        underWay -= 1;
      }
    },
  });
  const notifiers: Notifiers = Object.fromEntries(
    Object.entries(createNotifiers(settings, { now: () => clock.now() })).flatMap(([channel, notifier]) =>
      notifier === undefined ? [] : [[channel, watched(notifier)]],
    ),
  );
  const secrets = new SigningSecretStore(database);
  const worker = new OutboxWorker({
    store,
    secrets,
    notifiers,
    process: 'gastop, process 4711',
    signal: abort.signal,
    onError: (error) => errors.push(error),
    clock,
    random: () => 0.5,
  });
  const running = worker.run();
  const stop = async () => {
    abort.abort();
    await running;
  };
  onTestFinished(async () => {
    await stop();
    await database.close();
  });
  const idle = () =>
    waitFor(() => underWay === 0 && clock.sleepers.size === 1, { what: 'the worker at rest' });
  const firing = async (alertId: string, how: Firing) => {
    const now = clock.now();
    const id = await fire(database, alertId, {
      ...how,
      row: { created_at: now, tries_since: now, next_attempt_at: now, ...how.row },
    });
    worker.wake();
    return id;
  };
  /** Lets time pass until the next try is due, and the try take place. */
  const nextTry = async () => {
    const next = await store.nextDueAt(clock.now());
    if (next === null) throw new Error('nothing waits for another try');
    clock.advance(next - clock.now());
    await new Promise((resolve) => setImmediate(resolve));
    await idle();
  };
  const delivery = async (alertId: string) => {
    const [newest] = await store.deliveries(alertId);
    if (newest === undefined) throw new Error(`${alertId} has sent nothing`);
    return newest;
  };
  return { database, store, secrets, clock, worker, errors, stop, idle, fire: firing, nextTry, delivery };
}

const ended = async (office: Awaited<ReturnType<typeof open>>, alertId: string, status: string) =>
  waitFor(async () => (await office.delivery(alertId)).status === status, { what: `${alertId} ${status}` });

describe('what fired', () => {
  it('is signed with the secret before as well, for a day after a rotation', async () => {
    const receiver = await startReceiver();
    const office = await open();
    const signatures = async (alertId: string) => {
      await office.fire(alertId, { target: receiver.url });
      await ended(office, alertId, 'DELIVERED');
      const { headers } = receiver.received.at(-1) ?? {};
      return String(headers?.['x-gastop-signature']).match(/v1=[0-9a-f]{64}/g)?.length;
    };
    expect(await signatures('before')).toBe(1);
    await office.secrets.rotate('', office.clock.now());
    expect(await signatures('rotated')).toBe(2);
    office.clock.advance(24 * HOUR);
    expect(await signatures('later')).toBe(1);
  });

  it('is sent at once where the worker is told, and by the clock where it is not', async () => {
    const receiver = await startReceiver();
    const office = await open();
    await office.idle();
    await office.fire('told', { target: receiver.url });
    await ended(office, 'told', 'DELIVERED');
    await office.idle();
    await fire(office.database, 'untold', { target: receiver.url });
    office.clock.advance(2 * SECOND);
    await ended(office, 'untold', 'DELIVERED');
    expect(await office.delivery('untold')).toMatchObject({
      nextAttemptAt: null,
      attempts: [{ at: FIRED_AT + 2 * SECOND, ok: true, answer: '200 OK: ok' }],
    });
    expect(office.errors).toEqual([]);
  });

  it('is no longer sent once its alert was deleted', async () => {
    const receiver = await startReceiver(answering(500));
    const office = await open();
    await office.fire('a', { target: receiver.url });
    await waitFor(async () => (await office.delivery('a')).attempts.length === 1);
    await office.database.queries
      .transaction()
      .execute((trx) => cancelDeliveries(trx).where('alert_id', '=', 'a').execute());
    await office.idle();
    office.clock.advance(HOUR);
    await office.idle();
    expect(receiver.received).toHaveLength(1);
    expect(await office.delivery('a')).toMatchObject({ status: 'CANCELLED' });
  });

  it('waits where the process that sends is not set up for its channel, and goes out once another one sends', async () => {
    const path = await temporaryFile('chain.db');
    const clock = fakeClock();
    const office = await open({ path, clock });
    await office.fire('a', { channel: 'EMAIL', target: 'me@receiver.test' });
    await waitFor(async () => (await office.delivery('a')).attempts.length === 1);
    await office.idle();
    for (let hour = 0; hour < 3; hour += 1) {
      clock.advance(HOUR);
      await waitFor(async () => (await office.delivery('a')).attempts[0]?.at === clock.now());
      await office.idle();
    }
    expect(await office.delivery('a')).toMatchObject({
      status: 'PENDING',
      attempts: [
        {
          ok: false,
          answer:
            'EMAIL is not set up in the process that sends (gastop, process 4711); ' +
            'its operator sets smtp in the config file, or GASTOP_SMTP_URL and GASTOP_SMTP_FROM',
        },
      ],
    });
    expect(await office.store.take('a.1.email', Number.MAX_SAFE_INTEGER)).toMatchObject({ tries: 0 });
    await office.stop();
    const server = await startMailServer({});
    const smtp = smtpSettings(server.port);
    const second = await open({ path, clock, settings: { ...SETTINGS, smtp } });
    await ended(second, 'a', 'DELIVERED');
    expect(server.taken).toHaveLength(1);
  });

  it('of an older firing is cancelled where the channel is not set up: only the newest one waits', async () => {
    const office = await open();
    for (const [event, createdAt] of [
      [1, FIRED_AT],
      [2, FIRED_AT + 1],
      [3, FIRED_AT + 2],
    ] as const) {
      await office.fire('a', {
        channel: 'EMAIL',
        target: 'me@receiver.test',
        row: { id: `a.${event}.email`, event_id: `a.${event}`, created_at: createdAt },
      });
    }
    const statuses = async () => (await office.store.deliveries('a')).map(({ status }) => status).join(' ');
    await waitFor(async () => (await statuses()) === 'PENDING CANCELLED CANCELLED', { what: 'the newest' });
    const [, older] = await office.store.deliveries('a');
    expect(older?.attempts[0]?.answer).toContain('channel was not set up');
  });

  it('is cancelled where its channel is not set up for a day', async () => {
    const office = await open();
    await office.fire('a', { channel: 'EMAIL', target: 'me@receiver.test' });
    await waitFor(async () => (await office.delivery('a')).attempts.length === 1);
    await office.idle();
    office.clock.advance(23 * HOUR);
    await waitFor(async () => (await office.delivery('a')).attempts[0]?.at === FIRED_AT + 23 * HOUR);
    await office.idle();
    expect(await office.delivery('a')).toMatchObject({ status: 'PENDING' });
    office.clock.advance(HOUR);
    await ended(office, 'a', 'CANCELLED');
    expect((await office.delivery('a')).attempts[0]?.answer).toContain('channel was not set up');
  });

  it('and was put off by a clock that has been set back since is due', async () => {
    const receiver = await startReceiver();
    const office = await open();
    await office.idle();
    const ahead = FIRED_AT + 400 * 24 * HOUR;
    await office.fire('a', {
      target: receiver.url,
      row: { tries: 3, tries_since: ahead, next_attempt_at: ahead },
    });
    await ended(office, 'a', 'DELIVERED');
    await office.fire('b', { target: receiver.url, row: { tries: 3, next_attempt_at: FIRED_AT + 6 * HOUR } });
    await office.idle();
    expect(await office.delivery('b')).toMatchObject({ status: 'PENDING', attempts: [] });
  });
});

describe('a receiver', () => {
  it('that is down for ten minutes gets it when it is back, once; others get theirs meanwhile', async () => {
    const port = await closedPort();
    const other = await startReceiver();
    const office = await open();
    await office.fire('down', { target: `http://127.0.0.1:${port}/hook` });
    await office.fire('up', { target: other.url });
    await ended(office, 'up', 'DELIVERED');
    await office.idle();
    const back = FIRED_AT + 10 * MINUTE;
    while (((await office.store.nextDueAt(office.clock.now())) ?? back) < back) await office.nextTry();
    const receiver = await startReceiver(undefined, { port });
    await office.nextTry();
    const sent = await office.delivery('down');
    expect(sent).toMatchObject({ status: 'DELIVERED' });
    expect(sent.attempts.map(({ at, answer }) => [(at - FIRED_AT) / SECOND, answer]).reverse()).toEqual([
      [0, 'connection refused'],
      [5, 'connection refused'],
      [20, 'connection refused'],
      [80, 'connection refused'],
      [380, 'connection refused'],
      [1_280, '200 OK: ok'],
    ]);
    expect(receiver.received).toHaveLength(1);
    expect(other.received).toHaveLength(1);
  });

  it('that fails all day is given up after it, and has been tried with the same key each time', async () => {
    const receiver = await startReceiver(answering(500));
    const office = await open();
    const id = await office.fire('a', { target: receiver.url });
    await waitFor(async () => (await office.delivery('a')).attempts.length === 1);
    await office.idle();
    while ((await office.delivery('a')).status === 'PENDING') await office.nextTry();
    expect(office.clock.now() - FIRED_AT).toBe(24 * HOUR);
    expect(await office.delivery('a')).toMatchObject({ status: 'FAILED', nextAttemptAt: null });
    expect((await office.delivery('a')).attempts).toHaveLength(20);
    expect(receiver.received).toHaveLength(31);
    expect(new Set(receiver.received.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([id]),
    );
  });

  it('that asks for time is left alone for it', async () => {
    const receiver = await startReceiver(answering(429, '', { 'Retry-After': '90' }));
    const office = await open();
    await office.fire('a', { target: receiver.url });
    await waitFor(async () => (await office.delivery('a')).nextAttemptAt === FIRED_AT + 90 * SECOND);
  });

  it.each([
    ['up to a fifth sooner by chance', 1, null, 0, 4],
    ['or later', 1, null, 1, 6],
    ['as late as it asks', 3, 120, 0.5, 120],
    ['but never sooner than it would be', 1, 1, 0.5, 5],
    ['nor after more than six hours', 1, 1e12, 0.5, 21_600],
  ])('that fails is tried again %s', (_, tries, retryAfterSec, random, pauseSec) => {
    const failed = { tries, triesSince: FIRED_AT, now: FIRED_AT, retryAfterSec, random };
    expect(nextTryAt(failed)).toBe(FIRED_AT + pauseSec * SECOND);
  });

  it('that never answers holds up nobody else, and gets two at a time', async () => {
    const hanging = await startReceiver(() => {});
    const other = await startReceiver();
    const office = await open();
    for (let n = 0; n < 5; n += 1) await office.fire(`hang${n}`, { target: hanging.url });
    for (let n = 0; n < 20; n += 1) await office.fire(`fine${n}`, { target: other.url });
    await waitFor(() => other.received.length === 20 && hanging.received.length === 2);
    for (let n = 0; n < 20; n += 1) await ended(office, `fine${n}`, 'DELIVERED');
    expect(hanging.received).toHaveLength(2);
    office.clock.advance(10 * SECOND);
    await waitFor(async () => (await office.delivery('hang0')).attempts.length === 1);
    expect(await office.delivery('hang0')).toMatchObject({
      status: 'PENDING',
      nextAttemptAt: FIRED_AT + 15 * SECOND,
      attempts: [{ latencyMs: 10 * SECOND, ok: false, answer: 'no response in time' }],
    });
    await waitFor(() => hanging.received.length === 4);
  });

  it('that is gone disables its alert; what goes elsewhere for it is still sent', async () => {
    const gone = await startReceiver(answering(410));
    const slack = await startReceiver(answering(500));
    const office = await open();
    const targets = { SLACK: slack.url, WEBHOOK: gone.url };
    await office.fire('a', { channel: 'SLACK', target: slack.url, targets });
    await waitFor(() => slack.received.length === 1);
    await office.fire('a', { target: gone.url });
    await office.fire('b', { target: slack.url });
    const alert = async (id: string) =>
      office.database.queries
        .selectFrom('alerts')
        .select(['phase', 'disabled_reason'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    await waitFor(async () => (await alert('a')).phase === 'disabled');
    expect((await alert('a')).disabled_reason).toBe('WEBHOOK recipient is gone: it answered 410 Gone');
    expect(await alert('b')).toEqual({ phase: 'armed', disabled_reason: null });
    await office.idle();
    slack.behave(answering(200, 'ok'));
    await office.nextTry();
    expect((await office.store.deliveries('a')).map(({ id, status }) => [id, status]).sort()).toEqual([
      ['a.1.slack', 'DELIVERED'],
      ['a.1.webhook', 'FAILED'],
    ]);
  });

  it('is sent the same again under the same key when somebody asks for that', async () => {
    const receiver = await startReceiver();
    const office = await open();
    const id = await office.fire('a', { target: receiver.url });
    await ended(office, 'a', 'DELIVERED');
    await office.store.redeliver('a', id, office.clock.now());
    office.worker.wake();
    await waitFor(() => receiver.received.length === 2);
    await ended(office, 'a', 'DELIVERED');
    const [first, second] = receiver.received;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toBe(first?.body);
  });
});

describe('the end of the process', () => {
  it('leaves what is under way pending; the next process sends it again under the same key', async () => {
    const receiver = await startReceiver(() => {});
    const path = await temporaryFile('chain.db');
    const first = await open({ path });
    const id = await first.fire('a', { target: receiver.url });
    await waitFor(() => receiver.received.length === 1);
    await first.stop();
    expect(await first.delivery('a')).toMatchObject({ status: 'PENDING', attempts: [] });
    receiver.behave(answering(200));
    const second = await open({ path });
    await ended(second, 'a', 'DELIVERED');
    expect(receiver.received.map(({ headers }) => headers['idempotency-key'])).toEqual([id, id]);
    expect(first.errors).toEqual([]);
  });

  it('takes down what arrived all the same', async () => {
    const office = await open();
    await office.stop();
    await fire(office.database, 'a');
    const abort = new AbortController();
    const worker = new OutboxWorker({
      store: office.store,
      secrets: office.secrets,
      notifiers: {
        WEBHOOK: {
          deliver: async (_notification, signal) => {
            abort.abort();
            return { kind: signal.aborted ? 'delivered' : 'never', answer: '200 OK', retryAfterSec: null };
          },
        },
      },
      process: 'gastop',
      signal: abort.signal,
      onError: () => {},
      clock: office.clock,
    });
    const running = worker.run();
    await running;
    expect(await office.delivery('a')).toMatchObject({ status: 'DELIVERED', attempts: [{ ok: true }] });
  });
});

class FullDisk extends OutboxStore {
  isFull = true;
  refused = 0;

  override async record(...attempt: Parameters<OutboxStore['record']>): Promise<void> {
    if (!this.isFull) return super.record(...attempt);
    this.refused += 1;
    throw new Error('the disk is full');
  }
}

it('a database that cannot be written has nothing sent twice: what came of an attempt is taken down once there is room', async () => {
  const receiver = await startReceiver();
  const disks: FullDisk[] = [];
  const office = await open({
    makeStore: (database) => {
      const store = new FullDisk(database);
      disks.push(store);
      return store;
    },
  });
  const [disk] = disks;
  if (disk === undefined) throw new Error('no store');
  await office.fire('a', { target: receiver.url });
  for (let tries = 1; tries <= 3; tries += 1) {
    await waitFor(() => disk.refused === tries);
    office.clock.advance(5 * SECOND);
  }
  disk.isFull = false;
  await waitFor(async () => {
    office.clock.advance(5 * SECOND);
    return (await office.delivery('a')).status === 'DELIVERED';
  });
  expect(receiver.received).toHaveLength(1);
  expect(office.errors).toHaveLength(1);
});

describe('what is under way', () => {
  const due = (id: string, host: string, owner = ''): DueDelivery => ({
    id,
    owner,
    channel: 'WEBHOOK',
    target: `https://${host}/hook/${id}`,
    dueAt: 0,
  });

  function takeAll(queue: DeliveryQueue): DueDelivery[] {
    const taken: DueDelivery[] = [];
    for (let next = queue.take(); next !== null; next = queue.take()) taken.push(next);
    return taken;
  }

  const ids = (deliveries: readonly DueDelivery[]) => deliveries.map(({ id }) => id);

  it('a key has at most 8 under way, however many recipients it names; another key is sent at once', () => {
    const queue = new DeliveryQueue();
    for (let n = 0; n < 1_000; n += 1) queue.add(due(`much${n}`, `s${n}.much.test`, 'much'));
    const first = takeAll(queue);
    expect(first).toHaveLength(8);
    queue.add(due('other', 'other.test', 'other'));
    expect(ids(takeAll(queue))).toEqual(['other']);
    const [ended] = first;
    if (ended !== undefined) queue.end(ended);
    expect(ids(takeAll(queue))).toEqual(['much8']);
  });

  it.each(CHANNELS)('a recipient of $name, the host where its target is a URL, has two at a time', (row) => {
    const queue = new DeliveryQueue();
    const { name: channel, target } = row;
    for (let n = 0; n < 9; n += 1) queue.add({ ...due(`${n}`, `s${n % 3}.test`), channel });
    expect(takeAll(queue)).toHaveLength(target?.refuse === 'unless-url' ? 6 : 2);
  });

  it('at most 32 are under way', () => {
    const queue = new DeliveryQueue();
    for (let n = 0; n < 40; n += 1) queue.add(due(`w${n}`, `w${n}.test`));
    expect(takeAll(queue)).toHaveLength(32);
  });

  it('what is known is not taken in again, until it has ended: nothing is sent twice at once', () => {
    const queue = new DeliveryQueue();
    const only = due('a', 'one.test');
    queue.add(only);
    queue.add(only);
    expect(ids(takeAll(queue))).toEqual(['a']);
    queue.add(only);
    expect(takeAll(queue)).toEqual([]);
    queue.end(only);
    queue.add(only);
    expect(ids(takeAll(queue))).toEqual(['a']);
  });
});
