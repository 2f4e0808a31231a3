import { describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { describeCondition } from '../../src/client/views/alert-texts.ts';
import { payloadOf } from '../../src/client/views/alerts.ts';
import { parseThreshold } from '../../src/core/threshold/threshold.ts';
import { clientOf, failureOf } from './answering.ts';
import { FOREIGN_30, LISTS_ALL } from './foreign-openapi.ts';
import { type HttpServer, sendJson, serve } from './http-server.ts';
import { OWN_ALERT, OWN_ALERT_DETAILS, OWN_SAVINGS, OWN_TIME, WANTED } from './own-answers.ts';

const AT = OWN_TIME;
const ISO = new Date(AT).toISOString();
const ALERT = OWN_ALERT;
const { thresholdGwei, effectiveThresholdGwei: _, hysteresisGwei, ...SAME } = ALERT;
const VIEW = {
  ...SAME,
  ...{ threshold: 40_000_000n, rule: null, hysteresis: 1_000_000n },
  ...{ createdAt: AT, updatedAt: AT, lastTriggeredAt: AT, missed: { count: 2, lastAt: AT } },
};

describe('an alert', () => {
  it.each([
    [{ usd: 0.4, action: 'swap' }, '$0.40/swap'],
    [{ percentile: 20, windowSec: 604_800 }, 'p20/7d'],
    [{ shareRatio: 0.02, ofUsd: 35, gas: 200_000 }, '2% of $35/200000'],
  ])(
    'with the rule %o is read as it is written, with what that stands for now',
    async (threshold, written) => {
      const now = { thresholdGwei: 0.21, effectiveThresholdGwei: 0.21, effectiveSince: ISO };
      const alert = await clientOf({ ...ALERT, threshold, ...now }).alert('alr_1');
      expect(alert).toMatchObject({
        rule: parseThreshold(written),
        threshold: 210_000_000n,
        effectiveSince: AT,
      });
      expect(describeCondition(alert)).toBe(`Average < ${written} (0.21 gwei now)`);
      const unknown = { thresholdGwei: null, thresholdReason: 'no dollar price of ETH' };
      const waiting = await clientOf({ ...ALERT, threshold, ...unknown }).alert('alr_1');
      expect(waiting.threshold).toBeNull();
      expect(describeCondition(waiting)).toBe(`Average < ${written} (no dollar price of ETH)`);
      expect(payloadOf(waiting)).toMatchObject({ threshold });
    },
  );

  it.each([[{ moon: 'full' }], [{ usd: 'much', action: 'swap' }], ['soon'], [[1]]])(
    'with a rule that nobody knows (%o) is read by its price',
    async (threshold) => {
      const alert = await clientOf({ ...ALERT, threshold }).alert('alr_1');
      expect([alert.rule, alert.threshold]).toEqual([null, 40_000_000n]);
    },
  );

  it('of our own service is read whole', async () => {
    expect([thresholdGwei, hysteresisGwei]).toEqual([0.04, 0.001]);
    const attempt = { at: ISO, latencyMs: 12.5, ok: false, answer: '550 \x1b[31mno\x1b[0m such user' };
    const deliveries = OWN_ALERT_DETAILS.deliveries.map((one) => ({ ...one, attempts: [attempt] }));
    const attempts = [{ ...attempt, at: AT, answer: '550 no such user' }];
    expect(await clientOf({ ...ALERT, deliveries }).alert('alr_1')).toEqual({
      ...VIEW,
      deliveries: [{ ...deliveries[0], createdAt: AT, attempts }],
    });
    expect(await clientOf(ALERT).alert('alr_1')).toEqual({ ...VIEW, deliveries: null });
    expect((await clientOf({ ...ALERT, deliveries: [] }).alert('alr_1')).deliveries).toEqual([]);
  });

  it.each([
    [{ thresholdGwei: 12.5 }, 12_500_000_000n],
    [{ thresholdGwei: '0.0412' }, 41_200_000n],
    [{ thresholdGwei: 200_000 }, 200_000_000_000_000n],
    [{ thresholdGwei: 41_200_000 }, 41_200_000n],
    [{ thresholdWei: 7 }, 7n],
    [{ threshold: '41200000' }, 41_200_000n],
    [{ threshold: 41_200_000 }, 41_200_000n],
    [{ threshold: 12.5 }, 12_500_000_000n],
    [{ threshold: 99_999 }, 99_999_000_000_000n],
    [{ threshold: 100_000 }, 100_000n],
    [{ threshold_gwei: 3 }, 3_000_000_000n],
    [{ targetPrice: 3 }, null],
    [{ threshold: 41_200_000, thresholdGwei: 0.0412 }, 41_200_000n],
    [{ threshold: 'low' }, null],
    [{ threshold: -1 }, null],
  ])('may keep its threshold as %j', async (fields, wei) => {
    expect((await clientOf({ id: 1, ...fields }).alert('1')).threshold).toBe(wei);
  });

  it.each([
    ...[{}, { id: null }, { id: '' }, { id: 'a\x1b[2J' }, { id: '\u202ea' }, { id: {} }],
    ...[{ id: 'a'.repeat(1_000) }, '{"id": 12345678901234567890}'],
  ])('without an id that could be asked for, like %j, is not taken for one', async (body) => {
    const failure = await failureOf(clientOf(body).alert('any'));
    expect(failure).toMatchObject({ code: 'unreadable', field: 'id', endpoint: '/alerts/any' });
  });

  it('keeps words that v1 does not have, and knows its own in other spellings', async () => {
    const body = {
      ...{ id: 1, status: 'TRIGGERED\x1b[2J', gasSpeed: 'Slow', condition: 'less than' },
      method: 'Web Push',
      channels: ['Web Push', 'email', null],
      targets: { 'Web Push': 'browser 1', SLACK: 'https://s.example.org', EMAIL: null },
      note: 'a\nb\u202e\x07',
    };
    expect(await clientOf(body).alert('1')).toMatchObject({
      ...{ status: 'TRIGGERED', gasSpeed: 'SLOW', condition: 'LESS_THAN', method: 'Web Push' },
      channels: ['Web Push', 'EMAIL'],
      to: 'browser 1',
      targets: { SLACK: 'https://s.example.org' },
      note: 'a\nb',
    });
  });
});

describe('the list of alerts', () => {
  it.each([
    [[ALERT], null],
    [{ items: [ALERT], page: 0, size: 100, total: 1 }, 1],
    [{ data: [ALERT], total: 1 }, 1],
    [{ data: { items: [ALERT], total: 1 } }, 1],
    [{ result: [ALERT] }, null],
    [{ content: [ALERT], number: 0, last: true }, null],
    [{ code: 'OK', message: 'fine', data: { content: [ALERT], total: '1' } }, 1],
  ])('may come as %j', async (body, total) => {
    expect(await clientOf(body).alerts()).toEqual({ items: [VIEW], total, unreadable: 0 });
  });

  it('is not spoilt by a row that cannot be read', async () => {
    const rows = [ALERT, null, { note: 'no id' }, 'text', { id: 'b' }];
    const { items, unreadable } = await clientOf(rows).alerts();
    expect(items.map(({ id }) => id)).toEqual(['alr_1', 'b']);
    expect(unreadable).toBe(3);
  });

  it('that is none says so', async () => {
    expect(await failureOf(clientOf({ hello: 1 }).alerts())).toMatchObject({
      code: 'unreadable',
      field: 'items',
    });
    expect(await failureOf(clientOf('[{"id": "a').alerts())).toMatchObject({ code: 'unreadable' });
    expect(
      await failureOf(clientOf({ data: [], errorCode: 'boom', message: 'the database is away' }).alerts()),
    ).toMatchObject({ code: 'server', message: 'the service responded with an error: the database is away' });
  });

  it('is newest first', async () => {
    const rows = [10, 30, 20].map((minute) => ({ id: minute, createdAt: AT + minute * 60_000 }));
    expect((await clientOf(rows).alerts()).items.map(({ id }) => id)).toEqual(['30', '20', '10']);
  });
});

describe('a long list of alerts', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, id) => ({ ...ALERT, id: `alr_${id}` }));
  const asked = ({ requests }: HttpServer) =>
    requests.filter(({ path }) => path.startsWith('/be/api/v1')).map(({ path }) => path);
  const paged = (
    all: readonly object[],
    { first = 0, most = 500, total = true }: { first?: number; most?: number; total?: boolean } = {},
  ) =>
    serve((request, response) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const page = Math.max(Number(query.get('page') ?? 0) - first, 0);
      const size = Math.min(Number(query.get('size') ?? 100), most);
      const items = all.slice(page * size, (page + 1) * size);
      sendJson(response, total ? { items, page, size, total: all.length } : { items });
    }, LISTS_ALL);

  it.each([
    ['page by page', {}, 2_600, 7],
    ['page by page, of less than was asked for', { most: 100 }, 1_001, 12],
    ['page by page, counted from 1', { first: 1, most: 100 }, 350, 6],
    ['until a page is empty', { total: false }, 1_000, 4],
    ['until a page is empty, a shorter one before it', { total: false }, 1_203, 5],
    ['at once', {}, 3, 1],
  ])('is read %s', async (_, manner, count, questions) => {
    const server = await paged(ids(count), manner);
    const { items, unreadable } = await createGasClient({ url: server.url }).alerts();
    expect(items).toHaveLength(count);
    expect(new Set(items.map(({ id }) => id)).size).toBe(count);
    expect(unreadable).toBe(0);
    expect(asked(server)).toHaveLength(questions);
  });

  it.each([
    ['a list', () => ids(20), undefined, [1, 1]],
    ['a first page that is not all', () => ({ items: ids(50), total: 80 }), undefined, [1, 1]],
    ['a list where pages are listed', () => ids(20), LISTS_ALL, [4, 4]],
    ['one that is said to go on', () => ({ items: ids(20), hasMore: true }), LISTS_ALL, [4, 4]],
  ])('of a service that knows no pages ends: %s', async (_, body, description, questions) => {
    const server = await serve((__, response) => sendJson(response, body()), description);
    const client = createGasClient({ url: server.url });
    for (const [time, count] of questions.entries()) {
      server.requests.length = 0;
      const { items } = await client.alerts();
      expect(items.length, `time ${time}`).toBeGreaterThanOrEqual(20);
      expect(asked(server), `time ${time}`).toHaveLength(count);
    }
  });
});

const GIVEN = [
  ...['thresholdGwei', 'gasSpeed', 'condition', 'cooldownMs', 'disableOnce'],
  ...['method', 'channels', 'to', 'note'],
].sort();

describe('an alert that is made', () => {
  it('is read with the secret that its webhooks are signed with, which no error shows', async () => {
    const made = { ...ALERT, signingSecret: 'whsec_Zm9v' };
    expect(await clientOf(made).createAlert(WANTED)).toEqual({ ...VIEW, signingSecret: 'whsec_Zm9v' });
    expect((await clientOf(ALERT).createAlert(WANTED)).signingSecret).toBeNull();
    const failure = await failureOf(clientOf({ signingSecret: 'whsec_Zm9v' }).createAlert(WANTED));
    expect(failure).toMatchObject({ code: 'unreadable', field: 'id', mayBeDone: true });
    expect(failure.message).toContain('the alert was made, but the response of');
    expect(failure.raw).toBe('{"signingSecret":"(secret)"}');
  });

  it('is what was asked for where the service says little more than its id', async () => {
    expect(await clientOf({ data: { id: 5, status: 'pending' } }).createAlert(WANTED)).toMatchObject({
      id: '5',
      status: 'PENDING',
      threshold: 40_000_000n,
      channels: ['EMAIL'],
      ...{ to: 'gas@example.org', cooldownMs: 3_600_000, hysteresis: null, triggerCount: null },
    });
    const server = await serve((_, response) => sendJson(response, { id: 'a1' }, 201));
    const own = createGasClient({ url: server.url, isOwn: true });
    const extras = { hysteresisGwei: 0.5, confirmBlocks: 3, targets: { SLACK: 'https://s.example.org' } };
    const { hysteresis, confirmBlocks, targets } = await own.createAlert({ ...WANTED, ...extras });
    expect({ hysteresisGwei: Number(hysteresis) / 1e9, confirmBlocks, targets }).toEqual(extras);
  });

  it('carries what v1 was not given with only where it says anything, and to a service that lists it', async () => {
    const server = await serve((request, response) =>
      request.method === 'POST' ? sendJson(response, OWN_ALERT, 201) : sendJson(response, {}, 404),
    );
    const client = createGasClient({ url: server.url });
    await client.createAlert({ ...WANTED, hysteresisGwei: 0, confirmBlocks: 1, targets: {} });
    expect(server.requests).toHaveLength(1);
    expect(Object.keys(JSON.parse(server.requests[0]?.body ?? '')).sort()).toEqual(GIVEN);
    const extras = { hysteresisGwei: 0.5, confirmBlocks: 3, targets: { SLACK: 'https://s.example.org' } };
    const failure = await failureOf(client.createAlert({ ...WANTED, ...extras }));
    expect(failure.details.map(({ path }) => path)).toEqual(Object.keys(extras));
    const own = createGasClient({ url: server.url, isOwn: true });
    await own.createAlert({ ...WANTED, ...extras });
    expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toMatchObject(extras);
  });

  it('is changed, its secret too, and sent again, only at a service that lists the routes', async () => {
    const server = await serve((_, response) => sendJson(response, OWN_ALERT), FOREIGN_30);
    const client = createGasClient({ url: server.url });
    const failures = [
      await failureOf(client.updateAlert('a1', WANTED)),
      await failureOf(client.rotateSigningSecret()),
      await failureOf(client.redeliver('a1', 'a1.1.email')),
    ];
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ['not-found', 'this service cannot change alerts: it does not list PUT /alerts/{id}'],
      [
        'not-found',
        'this service cannot change the signing secret: it does not list POST /alerts/signing-secret/rotate',
      ],
      [
        'not-found',
        'this service cannot send deliveries again: it does not list POST /alerts/{id}/redeliver',
      ],
    ]);
    expect(server.requests).toEqual([]);
    const listing = { ...FOREIGN_30, paths: { ...FOREIGN_30.paths, '/be/api/v1/alerts/{x}': { put: {} } } };
    const other = await serve((_, response) => sendJson(response, OWN_ALERT), listing);
    const changed = await createGasClient({ url: other.url }).updateAlert('a1', WANTED);
    expect(changed).toMatchObject({ id: OWN_ALERT.id, signingSecret: null });
    expect(other.requests.at(-1)).toMatchObject({ method: 'PUT', path: '/be/api/v1/alerts/a1' });
    expect(Object.keys(JSON.parse(other.requests.at(-1)?.body ?? '')).sort()).toEqual(GIVEN);
  });

  it('is not asked of a service that says it does not know all of it, with a word for each field', async () => {
    const server = await serve((_, response) => sendJson(response, OWN_ALERT, 201), FOREIGN_30);
    const client = createGasClient({ url: server.url });
    const failure = await failureOf(
      client.createAlert({ ...WANTED, hysteresisGwei: 1, targets: { SLACK: 'https://s.example.org' } }),
    );
    expect(failure).toMatchObject({ code: 'invalid', mayBeDone: false });
    expect(failure.details).toEqual([
      { path: 'hysteresisGwei', message: 'this service does not list a re-arm margin; leave it at 0' },
      {
        path: 'targets',
        message: 'this service lists one target, that of the method; leave out the others',
      },
    ]);
    expect(server.requests).toEqual([]);
    await client.createAlert(WANTED);
    expect(server.requests).toHaveLength(1);
  });

  it.each(['', 'created', '{"ok": true}', '[', '<html>'])(
    'and answered with %j was made all the same, which is said',
    async (body) => {
      const failure = await failureOf(clientOf(body).createAlert(WANTED));
      expect(failure).toMatchObject({ code: 'unreadable', mayBeDone: true });
      expect(failure.message).toMatch(/^the alert was made, but .*; the list shows it$/);
    },
  );
});

describe('what a change answers', () => {
  it.each(['', '{}', '"done"', 'ok', 'null', '[]'])('may be %j', async (body) => {
    expect(await clientOf(body).setAlertStatus('a', 'DISABLED')).toBeNull();
    await clientOf(body).deleteAlert('a');
  });

  it('may be the alert, or so little of it that it is no alert', async () => {
    expect(await clientOf({ data: ALERT }).setAlertStatus('alr_1', 'PENDING')).toEqual(VIEW);
    expect(await clientOf({ id: 'alr_1', status: 'PENDING' }).setAlertStatus('alr_1', 'PENDING')).toBeNull();
  });
});

it('what an alert has saved is read whole from our own service, to the last wei', async () => {
  const view = { ...OWN_SAVINGS.best, triggeredAt: AT, price: 7n, referencePrice: 9n, savedWei: 300_000n };
  expect(await clientOf(OWN_SAVINGS).alertSavings('alr_1')).toEqual({
    events: 1,
    savedWei: 300_000n,
    savedUsd: null,
    best: view,
    gasAmount: 150_000,
    entries: [view],
  });
});
