import { expect, test } from 'vitest';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import {
  Alert,
  AlertDelivery,
  AlertDetails,
  AlertList,
  AlertSavings,
  CreatedAlert,
  RotatedSecret,
} from '../../src/contract/alerts.ts';
import { StatsChart, Summary } from '../../src/contract/dashboard.ts';
import { PATHS } from '../../src/contract/routes.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { smtpSettings } from '../helpers/mail-server.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, readyService, refused, runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openTestGate } from './keys/key-service.ts';

const HEAD = 9;
const CHEAP = {
  thresholdGwei: 100,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['WEBHOOK', 'TERMINAL'],
  // It is nobody's, ever (RFC 2606): what fires here reaches no one.
  to: 'https://receiver.invalid/hook',
};
const DEAR = { ...CHEAP, condition: 'GREATER_THAN', channels: ['TERMINAL'], to: '' };

const NOW = Date.UTC(2026, 5, 1, 12);

async function run(options: Partial<ServiceOptions> = {}) {
  const source = new ScriptedSource(makeBlocks(0, HEAD));
  const { signal: _signal, database, ...rest } = options;
  const kept = typeof database === 'string' ? { database } : {};
  const service = await runService({
    source,
    wallNow: () => NOW,
    priceFeed: fixedPrice(2_000),
    ...kept,
    ...rest,
  });
  // What was there before is taken in: no alert of a test fires by it.
  await service.ready;
  if (rest.gate === undefined) await service.read(PATHS.statsChart);
  return { service, source };
}

const create = async (service: RunningService, body: unknown, key?: string) => {
  const response = await service.ask(PATHS.alerts, { method: 'POST', body, key });
  expect(response.status).toBe(201);
  return CreatedAlert.parse(await response.json());
};

const alertPath = (id: string, more = '') => `/alerts/${id}${more}`;

const details = async (service: RunningService, id: string) =>
  AlertDetails.parse(await service.read(alertPath(id)));

async function fire(service: RunningService, source: ScriptedSource, id: string) {
  const before = (await details(service, id)).triggerCount;
  const head = await source.head();
  source.mine(makeBlock(head.number + 1));
  await waitFor(async () => (await details(service, id)).triggerCount === before + 1);
  return details(service, id);
}

test('an alert is made with what was left out filled in, says where it stands, and is listed and found', async () => {
  const { service } = await run();
  const response = await service.ask(PATHS.alerts, { method: 'POST', body: CHEAP });
  expect(response.status).toBe(201);
  const { signingSecret, ...made } = CreatedAlert.parse(await response.json());
  expect(made).toEqual({
    ...CHEAP,
    id: expect.stringMatching(/^alr_[0-9a-f]{16}$/),
    status: 'PENDING',
    ...{ threshold: null, effectiveThresholdGwei: null, effectiveSince: null, thresholdReason: null },
    cooldownMs: 3_600_000,
    disableOnce: false,
    method: 'WEBHOOK',
    targets: {},
    note: '',
    hysteresisGwei: 0,
    confirmBlocks: 1,
    createdAt: new Date(NOW).toISOString(),
    updatedAt: new Date(NOW).toISOString(),
    lastTriggeredAt: null,
    cooldownUntil: null,
    triggerCount: 0,
    disabledReason: null,
    warnings: [],
    keyId: null,
    missed: null,
  });
  expect(signingSecret).toMatch(/^whsec_/);
  const where = new URL(response.headers.get('location') ?? '', 'http://gastop.test/be/api/v1/alerts');
  expect(where.pathname).toBe(`/be/api/v1/alerts/${made.id}`);
  expect(await details(service, made.id)).toEqual({ ...made, deliveries: [] });
  expect(AlertList.parse(await service.read(PATHS.alerts))).toEqual({
    items: [made],
    page: 0,
    size: 100,
    total: 1,
  });
});

test('an alert on the blob base fee fires by it, and is refused on chains without blobs', async () => {
  const { service, source } = await run();
  const blob = {
    ...CHEAP,
    ...{ gasSpeed: 'BLOB', thresholdGwei: 0.000000005, channels: ['TERMINAL'], to: '' },
  };
  const made = await create(service, { ...blob, condition: 'GREATER_THAN' });
  expect(made).toMatchObject({ gasSpeed: 'BLOB', warnings: [] });
  source.mine(makeBlock(HEAD + 1, { blobBaseFee: 5n }), makeBlock(HEAD + 2, { blobBaseFee: 6n }));
  await waitFor(async () => (await details(service, made.id)).triggerCount === 1);
  const savings = AlertSavings.parse(await service.read(alertPath(made.id, '/savings')));
  expect(savings.entries).toMatchObject([{ blockNumber: HEAD + 2, price: 6, referencePrice: null }]);
  expect((await service.current()).blobBasePrice).toBe(6);

  const { thresholdGwei: _, ...priced } = blob;
  const dollars = await create(service, { ...priced, threshold: { usd: 0.02, gas: 131_072 } });
  expect(dollars.effectiveThresholdGwei).toBe(Number(10n ** 13n / 131_072n) / 1e9);
  for (const [threshold, says] of [
    [{ usd: 1, action: 'swap' }, 'pays for gas'],
    [{ shareRatio: 0.02, ofUsd: 35, action: 'mint' }, 'pays for gas'],
  ] as const) {
    const misfit = await service.ask(PATHS.alerts, { method: 'POST', body: { ...priced, threshold } });
    expect((await refused(misfit, 400)).details).toEqual([
      { path: 'threshold', message: expect.stringContaining(says) },
    ]);
  }

  const past = await create(service, { ...priced, threshold: { percentile: 20, windowSec: 604_800 } });
  expect(past).toMatchObject({
    effectiveThresholdGwei: null,
    thresholdReason: expect.stringContaining('no history'),
  });

  const noBlobs = [
    new ScriptedSource(makeBlocks(0, HEAD), { chainId: 8_453 }),
    new ScriptedSource(makeBlocks(0, HEAD), { chainId: 137 }),
    new ScriptedSource([makeBlock(0, { blobBaseFee: null })], { chainId: 31_337 }),
  ];
  for (const without of noBlobs) {
    const other = await readyService({ source: without });
    const { details: problems } = await refused(
      await other.ask(PATHS.alerts, { method: 'POST', body: blob }),
      400,
    );
    expect(problems).toEqual([{ path: 'gasSpeed', message: expect.stringContaining('has no blobs') }]);
    const lane = await create(other, { ...blob, gasSpeed: 'SLOW' });
    const change = await other.ask(alertPath(lane.id), { method: 'PUT', body: blob });
    expect((await refused(change, 400)).message).toContain('has no blobs');
  }
});

test('thresholds are kept to the wei, notes and targets to the letter', async () => {
  const { service } = await run();
  for (const thresholdGwei of [0.000000001, 0.1, 1.000000001, 999_999.999999999, 1_000_000]) {
    const hysteresisGwei = thresholdGwei;
    const made = await create(service, { ...CHEAP, thresholdGwei, hysteresisGwei });
    expect((await details(service, made.id)).thresholdGwei).toBe(thresholdGwei);
    expect((await details(service, made.id)).hysteresisGwei).toBe(hysteresisGwei);
  }
  const note = `<b>\u001b[31m\r\nBcc: all\u0000 ${'😀'.repeat(480)}`;
  const to = 'https://receiver.example.org/hook?ü=%20';
  const made = await create(service, { ...CHEAP, note, to });
  expect(made).toMatchObject({ note, to });
  expect(await details(service, made.id)).toMatchObject({ note, to });
  const half = await create(service, { ...CHEAP, note: 'x\ud83d' });
  expect(half.note).toBe('x\ufffd');
  expect((await details(service, half.id)).note).toBe(half.note);
});

test('targets that lead into the private network are refused, unless the operator lets them', async () => {
  const { service } = await run();
  const inside = { ...CHEAP, to: 'https://169.254.169.254/latest' };
  const refusal = await refused(await service.ask(PATHS.alerts, { method: 'POST', body: inside }), 400);
  expect(refusal.details).toEqual([
    { path: 'to', message: expect.stringMatching(/private network.*--allow-private-targets/) },
  ]);
  const open = await run({ delivery: { allowPrivateTargets: true } });
  await create(open.service, { ...CHEAP, to: 'http://127.0.0.1:9/hook' });
});

test('a channel that is not set up refuses no alert: it is warned of, and its deliveries wait', async () => {
  const { service } = await run();
  const given = {
    thresholdGwei: 5,
    gasSpeed: 'AVERAGE',
    condition: 'LESS_THAN',
    cooldownMs: 3_600_000,
    disableOnce: false,
    method: 'EMAIL',
    channels: ['EMAIL'],
    to: 'gas@example.org',
    note: '',
  };
  const mail = { ...CHEAP, channels: ['EMAIL'], to: 'gas@example.org' };
  const waits = (channel: string, at = 0) => ({
    path: `channels.${at}`,
    message: `${channel} is not set up on this service: deliveries wait until it is`,
  });
  const made = await create(service, given);
  expect(made.warnings).toEqual([waits('EMAIL')]);
  expect((await details(service, made.id)).warnings).toEqual([waits('EMAIL')]);
  const chat = { ...CHEAP, channels: ['TERMINAL', 'TELEGRAM'], to: '', targets: { TELEGRAM: '42' } };
  expect((await create(service, chat)).warnings).toEqual([waits('TELEGRAM', 1)]);
  expect((await create(service, { ...CHEAP, channels: ['TERMINAL'], to: '' })).warnings).toEqual([]);
  const set = await run({ delivery: { smtp: smtpSettings(9) } });
  expect(await create(set.service, mail)).toMatchObject({ signingSecret: null, warnings: [] });
});

test('a status it has already changes nothing; disabled and armed again it is as new', async () => {
  const { service } = await run();
  const { signingSecret: _secret, ...made } = await create(service, CHEAP);
  const put = async (status: unknown) => {
    const path = alertPath(made.id, '/status');
    return service.ask(path, { method: 'PUT', body: { status } });
  };
  expect(await (await put('PENDING')).json()).toEqual(made);
  const disabled = Alert.parse(await (await put('DISABLED')).json());
  expect(disabled).toEqual({ ...made, status: 'DISABLED' });
  expect(Alert.parse(await (await put('PENDING')).json()).status).toBe('PENDING');
  expect((await refused(await put('PAUSED'), 400)).details).toEqual([
    { path: 'status', message: 'must be one of PENDING, DISABLED' },
  ]);
  expect((await refused(await put(undefined), 400)).message).toBe(
    'status is missing: one of PENDING, DISABLED',
  );
});

test('a changed alert has all that was sent, and keeps its id, history, savings and running cooldown', async () => {
  const { service, source } = await run();
  const { id } = await create(service, { ...CHEAP, cooldownMs: 60_000, confirmBlocks: 2, note: 'old' });
  source.mine(makeBlock(HEAD + 1));
  const { deliveries, ...fired } = await fire(service, source, id);
  const savings = await service.read(alertPath(id, '/savings'));
  const put = async (body: unknown) => {
    const response = await service.ask(alertPath(id), { method: 'PUT', body });
    expect(response.status).toBe(200);
    return CreatedAlert.parse(await response.json());
  };
  const change = { ...CHEAP, thresholdGwei: 90, cooldownMs: 60_000, note: 'new' };
  const { signingSecret, ...changed } = await put(change);
  expect(signingSecret).toBeNull();
  expect(changed).toEqual({
    ...fired,
    thresholdGwei: 90,
    confirmBlocks: 1,
    note: 'new',
    updatedAt: new Date(NOW).toISOString(),
  });
  expect(changed.cooldownUntil).not.toBeNull();
  expect(await details(service, id)).toEqual({ ...changed, deliveries });
  expect(await service.read(alertPath(id, '/savings'))).toEqual(savings);
  // The cooldown is counted from the notification, however long it was before.
  const until = Date.parse(fired.lastTriggeredAt ?? '') + 3_600_000;
  expect((await put(DEAR)).cooldownUntil).toBe(new Date(until).toISOString());
  expect((await put(CHEAP)).signingSecret).toMatch(/^whsec_/);
  await service.ask(alertPath(id, '/status'), { method: 'PUT', body: { status: 'DISABLED' } });
  expect((await put(change)).status).toBe('DISABLED');
  const wrong = await service.ask(alertPath(id), { method: 'PUT', body: { ...CHEAP, to: '' } });
  expect((await refused(wrong, 400)).details).toEqual([
    { path: 'to', message: expect.stringContaining('is missing') },
  ]);
});

test('each key changes its own signing secret, which is told once and in no listing', async () => {
  const { gate, key } = await openTestGate(':memory:', { open: { dailyLimit: null, perSecond: null } });
  const { service } = await run({ gate });
  const [one, other] = [await key('open'), await key('open')];
  const { id, signingSecret: old } = await create(service, CHEAP, one);
  const { signingSecret: foreign } = await create(service, CHEAP, other);
  const response = await service.ask(PATHS.signingSecret, { method: 'POST', key: one });
  expect(response.status).toBe(200);
  const { signingSecret, previousUntil } = RotatedSecret.parse(await response.json());
  expect(signingSecret).not.toBe(old);
  expect(previousUntil).toBe(new Date(NOW + 86_400_000).toISOString());
  expect((await create(service, CHEAP, one)).signingSecret).toBe(signingSecret);
  expect((await create(service, CHEAP, other)).signingSecret).toBe(foreign);
  for (const path of [PATHS.alerts, alertPath(id)]) {
    expect(await (await service.ask(path, { key: one })).text()).not.toContain('whsec_');
  }
});

test('alerts are their key’s own: others do not see, change or count them', async () => {
  const { gate, key } = await openTestGate(':memory:', { open: { dailyLimit: null, perSecond: null } });
  const { service, source } = await run({ gate });
  const [one, other] = [await key('open'), await key('open')];
  const { id, signingSecret } = await create(service, CHEAP, one);
  expect((await create(service, CHEAP, one)).signingSecret).toBe(signingSecret);
  expect((await create(service, CHEAP, other)).signingSecret).not.toBe(signingSecret);
  source.mine(makeBlock(HEAD + 1));
  const read = async (path: string, key: string) => (await service.ask(path, { key })).json();
  await waitFor(async () => AlertDetails.parse(await read(alertPath(id), one)).triggerCount === 1);
  // Now the delivery is there: it is the alert's owner that counts.
  const again = { method: 'POST', body: { deliveryId: `${id}.1.webhook` } };
  const foreign = await refused(
    await service.ask(alertPath(id, '/redeliver'), { ...again, key: other }),
    404,
  );
  expect(foreign.message).toContain('belongs to another key');
  expect((await service.ask(alertPath(id, '/redeliver'), { ...again, key: one })).status).toBe(202);
  const summary = async (key: string) => Summary.parse(await read(PATHS.summary, key));
  const chart = async (key: string) => StatsChart.parse(await read(PATHS.statsChart, key));
  await waitFor(async () => (await summary(one)).alerts.fired24h === 2);
  expect((await summary(one)).alerts).toEqual({ total: 2, pending: 2, disabled: 0, fired24h: 2 });
  expect((await summary(other)).alerts).toEqual({ total: 1, pending: 1, disabled: 0, fired24h: 1 });
  expect((await summary(one)).savings.events).toBe(2);
  expect((await chart(one)).events.map((event) => event.id)).toContain(id);
  expect((await chart(other)).events).toHaveLength(1);
  expect((await chart(other)).events.map((event) => event.id)).not.toContain(id);
});

test('whose key made an alert is told to whoever runs the service, and nobody else', async () => {
  const { gate, key } = await openTestGate(':memory:', { open: { dailyLimit: null, perSecond: null } });
  const path = await temporaryFile('chain.db');
  const { service } = await run({ gate, database: path });
  const one = await key('open');
  const made = await create(service, CHEAP, one);
  expect(made.keyId).toBeNull();
  const own = await runService({ source: new ScriptedSource(makeBlocks(0, HEAD)), database: path });
  const mine = await create(own, CHEAP);
  const list = AlertList.parse(await own.read(PATHS.alerts));
  expect(list.items.map(({ id, keyId }) => [id, keyId]).sort()).toEqual(
    [
      [made.id, one.split('_')[1]],
      [mine.id, null],
    ].sort(),
  );
  const disable = { method: 'PUT', body: { status: 'DISABLED' } };
  expect((await own.ask(alertPath(made.id, '/status'), disable)).status).toBe(200);
});

test('what one key was answered is no answer for another that has its ETag', async () => {
  const { gate, key } = await openTestGate(':memory:', { open: { dailyLimit: null, perSecond: null } });
  const { service } = await run({ gate });
  const [one, other] = [await key('open'), await key('open')];
  await create(service, CHEAP, one);
  for (const path of [PATHS.alerts, PATHS.summary]) {
    const etag = (await service.ask(path, { key: one })).headers.get('etag') ?? '';
    const again = (by: string) => service.ask(path, { key: by, headers: { 'If-None-Match': etag } });
    expect((await again(one)).status, path).toBe(304);
    expect((await again(other)).status, path).toBe(200);
  }
});

test('a firing is in the alert, in the chart and in the summary, and its savings are against the day before', async () => {
  const { service, source } = await run();
  const { id } = await create(service, { ...CHEAP, cooldownMs: 60_000 });
  const fired = await fire(service, source, id);
  const at = new Date(makeBlock(HEAD + 1).timestamp * 1_000);
  expect(fired).toMatchObject({
    status: 'PENDING',
    lastTriggeredAt: at.toISOString(),
    cooldownUntil: new Date(at.getTime() + 60_000).toISOString(),
    triggerCount: 1,
  });
  expect(
    fired.deliveries.map(({ id: delivery, channel, target, status }) => [delivery, channel, target, status]),
  ).toEqual(
    expect.arrayContaining([
      [`${id}.1.webhook`, 'WEBHOOK', CHEAP.to, 'PENDING'],
      [`${id}.1.terminal`, 'TERMINAL', '', 'DELIVERED'],
    ]),
  );
  const savings = AlertSavings.parse(await service.read(alertPath(id, '/savings?gasAmount=21000')));
  const [entry] = savings.entries;
  expect(savings).toMatchObject({ alertId: id, events: 1, gasAmount: 21_000 });
  expect(entry).toMatchObject({ triggeredAt: at.toISOString(), blockNumber: HEAD + 1 });
  const below = BigInt(entry?.referencePrice ?? 0) - BigInt(entry?.price ?? 0);
  const saved = (below > 0n ? below : 0n) * 21_000n;
  expect(savings.savedWei).toBe(String(saved));
  expect(entry?.savedWei).toBe(savings.savedWei);
  expect(savings.savedUsd).toBeCloseTo((Number(saved) / 1e18) * 2_000, 12);
  expect(AlertSavings.parse(await service.read(alertPath(id, '/savings'))).gasAmount).toBe(101_095);
  const { events } = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=1h`));
  expect(events).toEqual([{ timestamp: at.toISOString(), kind: 'ALERT', id }]);
  const { alerts, savings: all } = Summary.parse(await service.read(PATHS.summary));
  expect(alerts).toEqual({ total: 1, pending: 1, disabled: 0, fired24h: 1 });
  expect(all).toMatchObject({ events: 1, savedWei: String((saved / 21_000n) * 101_095n) });
  // The cooldown is over by the chain's clock, not by ours.
  source.clock = at.getTime() + 59_999;
  expect((await details(service, id)).cooldownUntil).toBe(fired.cooldownUntil);
  source.clock = at.getTime() + 60_000;
  expect((await details(service, id)).cooldownUntil).toBeNull();
});

test('a delivery is sent once more under its own id; TERMINAL has nothing to send', async () => {
  let now = NOW;
  const { service, source } = await run({ wallNow: () => now });
  const { id } = await create(service, CHEAP);
  await fire(service, source, id);
  const again = (body: unknown) => service.ask(alertPath(id, '/redeliver'), { method: 'POST', body });
  const response = await again({ deliveryId: `${id}.1.webhook` });
  expect(response.status).toBe(202);
  expect(AlertDelivery.parse(await response.json())).toMatchObject({
    id: `${id}.1.webhook`,
    status: 'PENDING',
    nextAttemptAt: new Date(NOW).toISOString(),
  });
  const tooSoon = await refused(await again({ deliveryId: `${id}.1.webhook` }), 409);
  expect(tooSoon).toMatchObject({ errorCode: 'conflict', message: expect.stringContaining('wait a minute') });
  expect((await refused(await again({ deliveryId: `${id}.1.terminal` }), 409)).errorCode).toBe('conflict');
  expect((await refused(await again({ deliveryId: `${id}.9.webhook` }), 404)).errorCode).toBe('not_found');
  expect((await refused(await again({ delivery: 1 }), 400)).details).toEqual([
    { path: 'deliveryId', message: 'is missing' },
    { path: 'delivery', message: 'is not a field of this request' },
  ]);
  now += 60_000;
  expect((await again({ deliveryId: `${id}.1.webhook` })).status).toBe(202);
});

test('alerts can be made, read and changed while no node answers', async () => {
  const { service, source } = await run();
  source.isReachable = false;
  const down = await runService({ source: Object.assign(new ScriptedSource([]), { isReachable: false }) });
  for (const each of [service, down]) {
    const { id } = await create(each, CHEAP);
    expect(
      (await each.ask(alertPath(id, '/status'), { method: 'PUT', body: { status: 'DISABLED' } })).status,
    ).toBe(200);
    expect((await details(each, id)).status).toBe('DISABLED');
    await each.read(alertPath(id, '/savings'));
    expect((await each.ask(alertPath(id), { method: 'DELETE' })).status).toBe(204);
  }
  expect((await down.get(PATHS.gasCurrent)).status).toBe(503);
});

test('the payloads of the v1 document are taken as they stand there, and each alert route answers', async () => {
  const { ask, read } = await readyService({ source: createSimulatedSource({ seed: 1 }), historySec: 3_600 });
  const creation = `{
  "thresholdGwei": 5,
  "gasSpeed": "AVERAGE",
  "condition": "LESS_THAN",
  "cooldownMs": 3600000,
  "disableOnce": false,
  "method": "EMAIL",
  "channels": ["EMAIL"],
  "to": "user@example.com",
  "note": "Gas is low"
}`;
  const made = await ask(PATHS.alerts, { method: 'POST', body: creation, key: 'gk_some_key' });
  const { id } = CreatedAlert.parse(await made.json());
  expect(await read(PATHS.alerts)).toMatchObject({ items: [{ id }] });
  expect(await read(alertPath(id))).toMatchObject(JSON.parse(creation));
  const disabled = await ask(alertPath(id, '/status'), { method: 'PUT', body: '{ "status": "DISABLED" }' });
  expect(await disabled.json()).toMatchObject({ id, status: 'DISABLED' });
  expect(await read(alertPath(id, '/savings'))).toMatchObject({ alertId: id });
  expect((await ask(alertPath(id), { method: 'DELETE' })).status).toBe(204);
  expect((await refused(await ask(alertPath(id), { method: 'DELETE' }), 404)).errorCode).toBe('not_found');
});
