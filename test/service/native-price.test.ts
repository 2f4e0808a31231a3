import { expect, test } from 'vitest';
import type { PriceFeed, UsdPrice } from '../../src/chain/price-feed.ts';
import { NativePrice } from '../../src/service/native-price.ts';

async function run(feed: PriceFeed, judge: (price: NativePrice, clock: { now: number }) => Promise<void>) {
  const clock = { now: 1_000_000 };
  const price = new NativePrice(
    () => feed,
    () => clock.now,
  );
  const stop = new AbortController();
  const running = price.run(stop.signal);
  try {
    await judge(price, clock);
  } finally {
    stop.abort();
    await running;
  }
}

test('a price is shown until its feed says it is old, and not a moment longer while the node is silent', async () => {
  const answers: Promise<UsdPrice | null>[] = [Promise.resolve({ usd: 3_000, validUntil: 2_000_000 })];
  const feed: PriceFeed = { nativeUsd: () => answers.shift() ?? new Promise(() => {}) };
  await run(feed, async (price, clock) => {
    await expect.poll(() => price.usd).toBe(3_000);
    clock.now = 2_000_000;
    expect(price.usd).toBe(3_000);
    clock.now = 2_000_001;
    expect(price.usd).toBeNull();
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('%s is no price', async (usd) => {
  const asked = Promise.withResolvers<void>();
  const feed: PriceFeed = {
    nativeUsd: async () => {
      asked.resolve();
      return { usd, validUntil: Number.POSITIVE_INFINITY };
    },
  };
  await run(feed, async (price) => {
    await asked.promise;
    expect(price.usd).toBeNull();
  });
});
