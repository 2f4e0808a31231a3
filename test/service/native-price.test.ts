import { expect, onTestFinished, test } from 'vitest';
import type { UsdPrice } from '../../src/chain/price-feed.ts';
import { createNativePrice } from '../../src/service/service.ts';

test('a price is shown until its feed says it is old, and not a moment longer while the node is silent', async () => {
  const answers: Promise<UsdPrice | null>[] = [Promise.resolve({ usd: 3_000, validUntil: 2_000_000 })];
  const feed = { nativeUsd: () => answers.shift() ?? new Promise<null>(() => {}) };
  let now = 1_000_000;
  const price = createNativePrice(
    () => feed,
    () => now,
  );
  const stop = new AbortController();
  const running = price.run(stop.signal);
  onTestFinished(() => {
    stop.abort();
    return running;
  });
  await expect.poll(() => price.usd).toBe(3_000);
  now = 2_000_000;
  expect(price.usd).toBe(3_000);
  now = 2_000_001;
  expect(price.usd).toBeNull();
});
