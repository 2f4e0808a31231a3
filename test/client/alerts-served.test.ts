import { expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { alertChoices } from '../../src/client/openapi.ts';
import type { NewAlert } from '../../src/client/views/alerts.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { serveService } from '../helpers/served-service.ts';
import { runService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { failureOf } from './answering.ts';

const HEAD = 99;
/** Blocks cost about a gwei, so that it fires with the next. */
const CHEAP: NewAlert = {
  thresholdGwei: 100,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['WEBHOOK', 'TERMINAL'],
  to: 'https://receiver.example.org/hook',
  note: 'deploy 🚀 "now" \\ \u0007',
};

it('an alert lives its whole life over a real socket', async () => {
  const source = new ScriptedSource(makeBlocks(0, HEAD));
  const served = await serveService({ source });
  const client = createGasClient({ url: served.origin, apiKey: served.key });
  await waitFor(async () => (await client.gasCurrent()).blockNumber === HEAD, { what: 'the head' });
  // What was there before is stored: it fires by no block of it.
  await client.statsChart('24h');
  expect(await client.alerts()).toEqual({ items: [], total: 0, unreadable: 0 });

  const extras = { hysteresisGwei: 0.5, confirmBlocks: 1, targets: {} };
  const { signingSecret, ...made } = await client.createAlert({ ...CHEAP, ...extras });
  expect(signingSecret).toMatch(/^whsec_/);
  expect(made).toMatchObject({
    status: 'PENDING',
    gasSpeed: 'AVERAGE',
    condition: 'LESS_THAN',
    threshold: 100_000_000_000n,
    hysteresis: 500_000_000n,
    confirmBlocks: 1,
    cooldownMs: 3_600_000,
    disableOnce: false,
    method: 'WEBHOOK',
    channels: ['WEBHOOK', 'TERMINAL'],
    to: 'https://receiver.example.org/hook',
    targets: {},
    note: 'deploy 🚀 "now" \\ ',
    triggerCount: 0,
    lastTriggeredAt: null,
    missed: null,
  });
  expect((await client.alerts()).items).toEqual([made]);
  expect(await client.alert(made.id)).toEqual({ ...made, deliveries: [] });
  expect(await client.alertSavings(made.id)).toMatchObject({ events: 0, savedWei: 0n, entries: [] });

  source.mine(makeBlock(HEAD + 1));
  await waitFor(async () => (await client.alert(made.id)).triggerCount === 1);
  const fired = await client.alert(made.id);
  expect(fired.cooldownUntil).toBe((fired.lastTriggeredAt ?? 0) + 3_600_000);
  expect(fired.deliveries?.map(({ channel }) => channel).toSorted()).toEqual(['TERMINAL', 'WEBHOOK']);
  const told = fired.deliveries?.find(({ channel }) => channel === 'TERMINAL');
  expect(told).toMatchObject({ id: `${made.id}.1.terminal`, eventId: `${made.id}.1`, status: 'DELIVERED' });
  expect(told?.attempts).toHaveLength(1);
  const savings = await client.alertSavings(made.id, { gasAmount: 21_000 });
  expect(savings).toMatchObject({ events: 1, gasAmount: 21_000 });
  expect(savings.entries[0]).toMatchObject({ blockNumber: HEAD + 1, triggeredAt: fired.lastTriggeredAt });

  const disabled = await client.setAlertStatus(made.id, 'DISABLED');
  expect(disabled).toMatchObject({ id: made.id, status: 'DISABLED', triggerCount: 1 });
  expect(await client.setAlertStatus(made.id, 'DISABLED')).toMatchObject({ status: 'DISABLED' });
  expect(await client.setAlertStatus(made.id, 'PENDING')).toMatchObject({ status: 'PENDING' });
  await client.redeliver(made.id, `${made.id}.1.webhook`);
  await client.deleteAlert(made.id);
  expect((await client.alerts()).items).toEqual([]);
  for (const call of [
    () => client.alert(made.id),
    () => client.deleteAlert(made.id),
    () => client.setAlertStatus(made.id, 'PENDING'),
    () => client.alertSavings(made.id),
  ]) {
    expect(await failureOf(call())).toMatchObject({ code: 'not-found', status: 404, errorCode: 'not_found' });
  }
});

it('what a real service refuses says why, field by field, and nothing is made', async () => {
  const served = await serveService({ source: new ScriptedSource(makeBlocks(0, 20)) });
  const client = createGasClient({ url: served.origin, apiKey: served.key });
  const failure = await failureOf(
    client.createAlert({
      ...CHEAP,
      thresholdGwei: -1,
      gasSpeed: 'TURBO',
      cooldownMs: -5,
      note: 'n'.repeat(501),
      to: 'ftp://nowhere',
    }),
  );
  expect(failure).toMatchObject({
    code: 'invalid',
    status: 400,
    errorCode: 'validation_failed',
    mayBeDone: false,
  });
  expect(failure.details.map(({ path }) => path).toSorted()).toEqual([
    'cooldownMs',
    'gasSpeed',
    'note',
    'thresholdGwei',
    'to',
  ]);
  for (const { message } of failure.details) expect(message).not.toBe('');
  const large = await failureOf(client.createAlert({ ...CHEAP, note: 'n'.repeat(2_000_000) }));
  expect(large).toMatchObject({ code: 'invalid', status: 413 });
  expect(large.message).toContain('more than the service takes at once');
  expect(await failureOf(client.setAlertStatus('alr_0000000000000000', 'PAUSED'))).toMatchObject({
    code: 'invalid',
  });
  expect((await client.alerts()).total).toBe(0);

  const stranger = createGasClient({ url: served.origin, apiKey: 'gst_wrong' });
  expect(await failureOf(stranger.createAlert(CHEAP))).toMatchObject({ code: 'key', mayBeDone: false });
});

it('an alert is made, changed and deleted without a socket too', async () => {
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, 20)) });
  const client = createGasClient({ url: 'http://gastop.internal', fetch: service.fetch });
  const never = { ...CHEAP, thresholdGwei: 0.000000001 };
  const { id } = await client.createAlert({ ...never, confirmBlocks: 3, hysteresisGwei: 0.25 });
  expect(await client.alert(id)).toMatchObject({
    confirmBlocks: 3,
    hysteresis: 250_000_000n,
    deliveries: [],
  });
  expect((await client.setAlertStatus(id, 'DISABLED'))?.status).toBe('DISABLED');
  expect(await failureOf(client.redeliver(id, `${id}.9.email`))).toMatchObject({ code: 'not-found' });
  await client.deleteAlert(id);
  expect((await client.alerts()).items).toEqual([]);
});

it('a real service describes what an alert may be made of', async () => {
  const served = await serveService({ source: new ScriptedSource(makeBlocks(0, 20)) });
  const client = createGasClient({ url: served.origin, apiKey: served.key, timeoutMs: 60_000 });
  const description = await client.description();
  expect(description).not.toBeNull();
  expect(alertChoices(description, false)).toEqual(alertChoices(undefined, true));
  expect(
    description?.routes.find(({ method, path }) => method === 'post' && path === '/alerts')?.body,
  ).toContainEqual({
    name: 'channels',
    values: ['EMAIL', 'WEBHOOK', 'SLACK', 'TELEGRAM', 'TERMINAL'],
  });
});

it.runIf(isSlowRun)('a long list of a real service is read whole', async () => {
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, 20)) });
  const client = createGasClient({ url: 'http://gastop.internal', fetch: service.fetch });
  const made = [];
  for (let count = 0; count < 520; count += 1) {
    made.push(
      (await client.createAlert({ ...CHEAP, thresholdGwei: 0.000000001, channels: ['TERMINAL'], to: '' })).id,
    );
  }
  const { items, total, unreadable } = await client.alerts();
  expect({ total, unreadable }).toEqual({ total: 520, unreadable: 0 });
  expect(new Set(items.map(({ id }) => id))).toEqual(new Set(made));
  expect(items.map(({ createdAt }) => createdAt)).toEqual(
    items
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .toReversed(),
  );
});
