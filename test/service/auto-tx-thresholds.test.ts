import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, describe, expect, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { describedRoute, readDescription } from '../../src/client/openapi.ts';
import { AutoTxDetails, AutoTxList } from '../../src/contract/auto-txs.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { type RunningService, readyService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const GWEI = 1_000_000_000n;
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const anvil = await startAnvil({ noMining: true, baseFee: 50n * GWEI });
afterAll(() => anvil.stop());

/** At $2,000. */
async function run(usd: number | null = 2_000, wallNow = Date.now): Promise<RunningService> {
  const service = await readyService({
    source: createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 }),
    priceFeed: fixedPrice(usd),
    wallNow,
  });
  await waitFor(
    async () => ((await service.read(PATHS.gasCurrent)) as { nativeUsd: unknown }).nativeUsd === usd,
  );
  return service;
}

let senders = 0;
async function signed(changed: object = {}) {
  senders += 1;
  const account = privateKeyToAccount(`0x${senders.toString(16).padStart(64, '4')}`);
  await anvil.rpc('anvil_setBalance', [account.address, `0x${(10n ** 18n).toString(16)}`]);
  return account.signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, nonce: 0, to: TO, value: 10n ** 16n, gas: 40_000n },
    ...{ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI },
    ...changed,
  } as never);
}

async function post(service: RunningService, body: object) {
  const response = await service.ask(PATHS.autoTxs, { method: 'POST', body });
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(201);
  return AutoTxDetails.parse(answer);
}
async function put(service: RunningService, id: string, body: object) {
  const response = await service.ask(PATHS.autoTx.replace('{id}', id), { method: 'PUT', body });
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return AutoTxDetails.parse(answer);
}

describe('an auto-tx with a threshold of cost', () => {
  test.each([
    // By the node's estimate of 21,000 gas, and not by its limit of 40,000.
    [{ maxCostUsd: 0.42 }, 10],
    [{ maxCostUsd: 0.0021 }, 0.05],
    [{ maxShareOfValueRatio: 0.02 }, 9.523_809_523],
  ])('%j says the price that it stands for, on its own and in the list', async (threshold, gwei) => {
    const service = await run();
    const made = await post(service, { signedTransaction: await signed(), threshold });
    const said = {
      threshold,
      effectiveThresholdGwei: gwei,
      targetGasPriceGwei: gwei,
      thresholdReason: null,
      strictTargetPrice: true,
      warnings: [],
      status: 'PENDING',
    };
    expect(made).toMatchObject(said);
    expect(made.effectiveSince).not.toBeNull();
    const { items } = AutoTxList.parse(await service.read(PATHS.autoTxs));
    expect(items).toEqual([expect.objectContaining(said)]);
    const check = (name: string) => made.checks.find((each) => each.name === name);
    expect(check('reachable')).toMatchObject({ result: 'wait', code: 'target_not_reached' });
    expect(check('cost')?.message).toContain("21,000 gas (the node's estimate)");
  });

  test('waits with the reason where there is no dollar price, and not where its share needs none', async () => {
    const service = await run(null);
    const reason = 'no dollar price of ETH';
    const made = await post(service, { signedTransaction: await signed(), threshold: { maxCostUsd: 3 } });
    expect(made).toMatchObject({
      targetGasPriceGwei: null,
      effectiveThresholdGwei: null,
      thresholdReason: reason,
      warnings: [{ path: 'threshold', message: expect.stringContaining(reason) }],
      reachProbability: null,
    });
    const threshold = { maxShareOfValueRatio: 0.02 };
    const other = await post(service, { signedTransaction: await signed(), threshold });
    expect(other).toMatchObject({ effectiveThresholdGwei: 9.523_809_523, thresholdReason: null });
  });

  test('says since when the dollar price is outdated', async () => {
    const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
    const validUntil = Date.now() - 26 * 3_600_000;
    const service = await readyService({
      source,
      priceFeed: { nativeUsd: async () => ({ usd: 2_000, validUntil }) },
    });
    const threshold = { maxCostUsd: 3 };
    const reason = `the dollar price is outdated since ${new Date(validUntil).toISOString().slice(0, 16)}`;
    await waitFor(async () => {
      const made = await post(service, { signedTransaction: await signed(), threshold });
      return made.thresholdReason?.startsWith(reason);
    });
  });

  test('is priced by the coin where the newest block is old', async () => {
    let ahead = 0;
    const service = await run(2_000, () => Date.now() + ahead);
    ahead = 86_400_000;
    const isStale = async () => ((await service.read(PATHS.gasCurrent)) as { stale: boolean }).stale;
    await waitFor(isStale, { what: 'old prices' });
    const made = await post(service, { signedTransaction: await signed(), threshold: { maxCostUsd: 0.42 } });
    expect(made).toMatchObject({ effectiveThresholdGwei: 10, thresholdReason: null, status: 'PENDING' });
  });

  test('may be a draft, and is priced once that is signed', async () => {
    const service = await run();
    const draft = await post(service, { to: TO, value: String(10n ** 16n), threshold: { maxCostUsd: 0.42 } });
    expect(draft).toMatchObject({
      status: 'DRAFT',
      effectiveThresholdGwei: null,
      thresholdReason: 'it is not signed yet',
    });
    const pending = await put(service, draft.id, { signedTransaction: await signed() });
    expect(pending).toMatchObject({ status: 'PENDING', effectiveThresholdGwei: 10, thresholdReason: null });
  });

  test('takes the place of a target in gwei, another threshold that of this one, and a target in gwei that again', async () => {
    const service = await run();
    const { id } = await post(service, { signedTransaction: await signed(), targetGasPriceGwei: 5 });
    const limited = await put(service, id, { threshold: { maxCostUsd: 0.42 } });
    expect(limited).toMatchObject({ targetGasPriceGwei: 10, strictTargetPrice: true });
    const threshold = { maxShareOfValueRatio: 0.02 };
    expect(await put(service, id, { threshold })).toMatchObject({
      threshold,
      targetGasPriceGwei: 9.523_809_523,
    });
    expect(await put(service, id, { note: 'rent' })).toMatchObject({
      threshold,
      targetGasPriceGwei: 9.523_809_523,
    });
    const fixed = await put(service, id, { targetGasPriceGwei: 7 });
    expect(fixed).toMatchObject({ threshold: null, targetGasPriceGwei: 7, effectiveSince: null });
    expect(fixed.timeline.map(({ message }) => message)).toEqual([
      'target at most 2% of its value → 7.00 gwei',
      'target at most $0.42 in all → at most 2% of its value',
      expect.stringContaining('target 5.00 gwei → at most $0.42 in all'),
      expect.anything(),
    ]);
  });

  test.each<[object, string, string]>([
    [{}, 'targetGasPriceGwei', 'is missing'],
    [{ targetGasPriceGwei: 5, threshold: { maxCostUsd: 3 } }, 'threshold', 'give one of the two'],
    [{ threshold: { maxCostUsd: 0 } }, 'threshold.maxCostUsd', 'above 0'],
    [{ threshold: { maxCostUsd: 2_000_000 } }, 'threshold.maxCostUsd', 'at most 1,000,000'],
    [{ threshold: { maxShareOfValueRatio: 2 } }, 'threshold.maxShareOfValueRatio', 'at most 1'],
    [{ threshold: { maxCostUsd: 3, maxShareOfValueRatio: 0.02 } }, 'threshold', '{"maxCostUsd": 3}'],
    [{ threshold: { usd: 3, action: 'swap' } }, 'threshold', '{"maxCostUsd": 3}'],
    [{ threshold: '$3' }, 'threshold', '{"maxCostUsd": 3}'],
  ])('%j is refused at %s', async (body, path, message) => {
    const service = await run();
    const signedTransaction = await signed();
    const response = await service.ask(PATHS.autoTxs, {
      method: 'POST',
      body: { signedTransaction, ...body },
    });
    expect(response.status).toBe(400);
    const { details } = (await response.json()) as { details: { path: string; message: string }[] };
    expect(details).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  test('is listed by the description of the service, by which clients know that it takes one', async () => {
    const service = await run();
    const response = await service.fetch(new Request('http://gastop.test/api-playground/openapi.json'));
    const route = describedRoute(readDescription(await response.json()), PATHS.autoTxs, 'post');
    expect(route?.body.map(({ name }) => name)).toContain('threshold');
  });

  test('cannot be a share where no coins are sent', async () => {
    const service = await run();
    const body = {
      signedTransaction: await signed({ value: 0n }),
      threshold: { maxShareOfValueRatio: 0.02 },
    };
    const response = await service.ask(PATHS.autoTxs, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('share of nothing');
  });
});
