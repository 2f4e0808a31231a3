import { describe, expect, test } from 'vitest';
import { AlertDetails, AlertList, CreatedAlert } from '../../src/contract/alerts.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { unknownDataFees } from '../../src/core/data-fee.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import {
  type RunningService,
  refused,
  runService,
  shareService,
  type TestServiceOptions,
  temporaryFile,
} from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { l1Fees } from '../store/alerts/dollar-basis.ts';

/** Two hours, and a block. */
const HEAD = 600;
const RULE = { gasSpeed: 'AVERAGE', condition: 'LESS_THAN', channels: ['TERMINAL'] };
const NOW = makeBlock(HEAD).timestamp * 1_000;

const sourceOf = (head: number) => new ScriptedSource(makeBlocks(0, head));

async function prepare(
  run: (options: TestServiceOptions) => Promise<RunningService>,
  options: TestServiceOptions,
): Promise<RunningService> {
  const service = await run(options);
  await service.ready;
  await service.filled();
  // What was there before is stored.
  await service.read(PATHS.statsChart);
  return service;
}

/** At $2,000. */
const shared = shareService((run) =>
  prepare(run, { source: sourceOf(HEAD), wallNow: () => NOW, priceFeed: fixedPrice(2_000) }),
);
const unpriced = shareService((run) => prepare(run, { source: sourceOf(HEAD), wallNow: () => NOW }));

async function create(service: RunningService, threshold: object, more: object = {}) {
  const response = await service.ask(PATHS.alerts, { method: 'POST', body: { ...RULE, threshold, ...more } });
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(201);
  return CreatedAlert.parse(answer);
}

const details = async (service: RunningService, id: string) =>
  AlertDetails.parse(await service.read(`/alerts/${id}`));

describe('an alert with a rule', () => {
  test.each([
    [{ usd: 0.4, action: 'swap' }, 1.978_337_207],
    [{ usd: 2, gas: 200_000 }, 5],
    [{ shareRatio: 0.02, ofUsd: 35, action: 'swap' }, 3.462_090_113],
    [{ percentile: 20, windowSec: 3_600 }, expect.closeTo(1, 0)],
    [{ belowMedianRatio: 0.25, windowSec: 3_600 }, expect.closeTo(1, 0)],
  ])('%j says the price that it stands for, in every response', async (threshold, gwei) => {
    const service = shared();
    const { signingSecret: _, ...made } = await create(service, threshold);
    const said = { threshold, effectiveThresholdGwei: gwei, thresholdGwei: gwei, thresholdReason: null };
    expect(made).toMatchObject({ ...said, warnings: [], status: 'PENDING' });
    expect(made.effectiveSince).not.toBeNull();
    expect(await details(service, made.id)).toMatchObject(made);
    expect(AlertList.parse(await service.read(PATHS.alerts)).items).toContainEqual(made);
    const put = await service.ask(`/alerts/${made.id}`, {
      method: 'PUT',
      body: { ...RULE, thresholdGwei: 5 },
    });
    expect(await put.json()).toMatchObject({
      threshold: null,
      thresholdGwei: 5,
      effectiveThresholdGwei: null,
    });
    const back = await service.ask(`/alerts/${made.id}`, { method: 'PUT', body: { ...RULE, threshold } });
    expect(await back.json()).toMatchObject(said);
  });

  test.each([
    [{ usd: 0.4, action: 'swap' }, unpriced, 'no dollar price of ETH'],
    [{ shareRatio: 0.02, ofUsd: 35, gas: 21_000 }, unpriced, 'no dollar price of ETH'],
    [{ percentile: 20, windowSec: 604_800 }, shared, 'only 2h of 7d are stored'],
    [{ belowMedianRatio: 0.2, windowSec: 30 * 86_400 }, unpriced, 'only 2h of 30d are stored'],
    [{ usd: 1e-9, gas: 1_000_000_000 }, shared, 'it stands for less than 1 wei'],
  ])('%j waits where its basis is missing, and says why', async (threshold, service, reason) => {
    const { id, ...made } = await create(service(), threshold);
    const said = {
      ...{ threshold, thresholdReason: reason, thresholdGwei: null, effectiveThresholdGwei: null },
      warnings: [{ path: 'threshold', message: `it waits: ${reason}` }],
    };
    expect(made).toMatchObject(said);
    expect(await details(service(), id)).toMatchObject({ ...said, status: 'PENDING' });
  });

  test.each([
    [{ threshold: { usd: 0.4 } }, 'threshold', /must be one of/],
    [{ threshold: { usd: 0, action: 'swap' } }, 'threshold.usd', /at least 0\.000000001/],
    [{ threshold: { usd: 1, action: 'lunch' } }, 'threshold', /must be one of/],
    [{ threshold: { percentile: 0, windowSec: 3_600 } }, 'threshold.percentile', /at least 1/],
    [{ threshold: { belowMedianRatio: 0.2, windowSec: 60 } }, 'threshold.windowSec', /at least 3,600/],
    [{ threshold: { percentile: 20, windowSec: 31 * 86_400 } }, 'threshold.windowSec', /at most 2,592,000/],
    [{ threshold: { usd: 1, gas: 21_000 }, thresholdGwei: 5 }, 'threshold', /give one of the two/],
    [{ threshold: { usd: 1, action: 'swap' }, gasSpeed: 'BLOB' }, 'threshold', /131072 for each/],
    [{}, 'thresholdGwei', /is missing: a price in gwei; or give threshold/],
    [{ threshold: null, thresholdGwei: null }, 'thresholdGwei', /is missing/],
  ])('%j is refused', async (body, path, message) => {
    const answer = await refused(
      await shared().ask(PATHS.alerts, { method: 'POST', body: { ...RULE, ...body } }),
      400,
    );
    expect(answer.details).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test('fires at the block that reaches its price, and sends the rule and the gwei', async () => {
    const receiver = await startReceiver();
    const source = sourceOf(30);
    const service = await prepare(runService, {
      source,
      wallNow: () => makeBlock(31).timestamp * 1_000,
      priceFeed: fixedPrice(2_000),
      delivery: { allowPrivateTargets: true },
    });
    const sent = { channels: ['WEBHOOK'], to: receiver.url };
    const { id } = await create(service, { usd: 0.4, action: 'swap' }, sent);
    source.mine(makeBlock(31));
    await waitFor(async () => (await details(service, id)).triggerCount === 1);
    await waitFor(() => receiver.received.length === 1);
    const body: unknown = JSON.parse(receiver.received[0]?.body ?? '');
    expect(body).toMatchObject({ rule: '$0.40/swap', thresholdGwei: 1.978_337_207 });
  });

  test('waits once the price of the coin is outdated, and goes on when there is another', async () => {
    const source = sourceOf(30);
    let now = makeBlock(31).timestamp * 1_000;
    const validUntil = now + 3_600_000;
    const service = await prepare(runService, {
      source,
      wallNow: () => now,
      priceFeed: { nativeUsd: async () => ({ usd: 2_000, validUntil }) },
    });
    const { id } = await create(service, { usd: 0.01, action: 'swap' });
    const reason = async () => (await details(service, id)).thresholdReason;
    now = validUntil + 1;
    source.mine(makeBlock(31));
    const outdated = `the dollar price is outdated since ${new Date(validUntil).toISOString()}`;
    await waitFor(async () => (await reason()) === outdated);
    now = validUntil;
    source.mine(makeBlock(32));
    await waitFor(async () => (await reason()) === null);
  });

  test('keeps its price through a restart, however late the coin’s price is read', async () => {
    const database = await temporaryFile('chain-1.db');
    const options = { database, wallNow: () => makeBlock(33).timestamp * 1_000 };
    const first = await prepare(runService, {
      ...options,
      source: sourceOf(30),
      priceFeed: fixedPrice(2_000),
    });
    const { id } = await create(first, { usd: 0.4, action: 'swap' }, { confirmBlocks: 2 });
    await first.stop();
    const source = sourceOf(30);
    const price = Promise.withResolvers<{ usd: number; validUntil: number }>();
    const late = { nativeUsd: () => price.promise };
    const second = await prepare(runService, { ...options, source, priceFeed: late });
    source.mine(makeBlock(31));
    source.mine(makeBlock(32));
    expect(await details(second, id)).toMatchObject({ thresholdReason: null, triggerCount: 0 });
    price.resolve({ usd: 2_000, validUntil: Number.POSITIVE_INFINITY });
    await waitFor(async () => (await details(second, id)).triggerCount === 1);
    expect(await details(second, id)).toMatchObject({ thresholdReason: null });
  });

  test.each([
    ['Base', l1Fees(10n ** 17n), { usd: 0.4, action: 'swap' }, null],
    ['OP Mainnet', l1Fees(10n ** 17n), { usd: 0.4, gas: 200_000 }, /name an action, such as swap/],
    [
      'Base',
      unknownDataFees('the node does not tell it'),
      { usd: 0.4, action: 'swap' },
      /L1 data fee is unknown/,
    ],
  ])('on %s counts what L1 takes', async (_, fees, threshold, reason) => {
    const source = Object.assign(sourceOf(30), {
      chain: async () => chainProfile(8_453),
      dataFees: async () => fees,
    });
    const service = await prepare(runService, { source, priceFeed: fixedPrice(2_000) });
    const made = await create(service, threshold);
    if (reason !== null) expect(made.thresholdReason).toMatch(reason);
    else {
      expect(made.effectiveThresholdGwei).toBeLessThan(1.978_337_207);
      expect(made.effectiveThresholdGwei).toBeGreaterThan(1.5);
    }
  });
});
