import { expect, onTestFinished, test } from 'vitest';
import type { UsdPrice } from '../../src/chain/price-feed.ts';
import { createCoinPrice } from '../../src/service/coin-price.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { readyService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

test('a price is shown until its feed says it is old, and not a moment longer while the node is silent', async () => {
  const answers: Promise<UsdPrice | null>[] = [Promise.resolve({ usd: 3_000, validUntil: 2_000_000 })];
  const feed = { nativeUsd: () => answers.shift() ?? new Promise<null>(() => {}) };
  let now = 1_000_000;
  const price = createCoinPrice({
    source: new ScriptedSource(makeBlocks(0, 9)),
    lease: { mayWrite: true, state: 'leads', leaderReport: null },
    profile: () => null,
    given: feed,
    wallNow: () => now,
  });
  const stop = new AbortController();
  const running = price.run(stop.signal);
  onTestFinished(() => {
    stop.abort();
    return running;
  });
  await expect.poll(() => price.read().nativeUsd).toBe(3_000);
  now = 2_000_000;
  expect(price.read().nativeUsd).toBe(3_000);
  now = 2_000_001;
  expect(price.read().nativeUsd).toBeNull();
});

test('the current prices say why there is none in dollars, and since when it is outdated', async () => {
  let wallNow = 1_800_000_000_000;
  const priceFeed = { nativeUsd: async () => ({ usd: 3_000, validUntil: 1_800_000_060_000 }) };
  const source = new ScriptedSource(makeBlocks(0, 9));
  const service = await readyService({ source, priceFeed, wallNow: () => wallNow });
  await waitFor(async () => (await service.current()).nativeUsd === 3_000);
  expect(await service.current()).not.toHaveProperty('nativeUsdReason');
  wallNow += 60_001;
  expect(await service.current()).toMatchObject({
    nativeUsd: null,
    nativeUsdReason: 'the dollar price is outdated since 2027-01-15T08:01:00.000Z',
  });
  const without = await readyService({
    source: new ScriptedSource(makeBlocks(0, 9)),
    priceFeed: fixedPrice(null),
  });
  expect(await without.current()).toMatchObject({
    nativeUsd: null,
    nativeUsdReason: 'no dollar price of ETH',
  });
});
