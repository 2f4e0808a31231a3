import { readFileSync } from 'node:fs';
import { isAddress } from 'viem/utils';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/chain/async.ts';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import { createPriceFeed } from '../../src/chain/price-feed.ts';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import type { Hex } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { feedCode, round, word } from '../helpers/price-feed.ts';

interface Recorded {
  recorded_eth_calls: {
    response: { result: Hex };
    decoded_by_us: { answer: string; updatedAt: number };
  }[];
}
const calls = (
  JSON.parse(
    readFileSync(new URL('../fixtures/rpc/chainlink/latest-round-data.json', import.meta.url), 'utf8'),
  ) as Recorded
).recorded_eth_calls;

const ethereum = chainProfile(1);
const updatedAt = 1_783_026_455;

function feed(latest: () => Hex | Promise<Hex>, options: { decimals?: Hex; chainId?: number } = {}) {
  const state = { nowMs: updatedAt * 1_000, asked: 0 };
  const source: Pick<ChainSource, 'call'> = {
    call: async ({ to, data }) => {
      expect(to).toBe(ethereum.usdFeed?.address);
      if (data === '0x313ce567') return options.decimals ?? `0x${word(8n)}`;
      expect(data).toBe('0xfeaf968c');
      state.asked++;
      return latest();
    },
  };
  const prices = createPriceFeed(source, chainProfile(options.chainId ?? 1), () => state.nowMs);
  return { state, prices };
}

test('the price of a recorded answer is that with the feed’s own decimals', async () => {
  for (const { response, decoded_by_us: decoded } of calls) {
    const { state, prices } = feed(() => response.result);
    state.nowMs = decoded.updatedAt * 1_000;
    expect((await prices.nativeUsd())?.usd).toBeCloseTo(Number(decoded.answer) / 1e8, 8);
  }
  const recorded = calls[0]?.response.result ?? '0x';
  const other = await feed(() => recorded, { decimals: `0x${word(18n)}` }).prices.nativeUsd();
  expect(other?.usd).toBeCloseTo(6.147917292489e-6);
});

test('there is none where the chain has no feed', async () => {
  expect(await feed(() => round(1n, updatedAt), { chainId: 31_337 }).prices.nativeUsd()).toBeNull();
});

test('it holds for its heartbeat and two minutes in which the next one is included, and then there is none', async () => {
  const { state, prices } = feed(() => round(300_000_000_000n, updatedAt));
  const validUntil = (updatedAt + 3_600 + 120) * 1_000;
  state.nowMs = validUntil;
  expect(await prices.nativeUsd()).toEqual({ usd: 3_000, validUntil });
  // Within the minute for which an answer is kept.
  state.nowMs += 1_000;
  expect(await prices.nativeUsd()).toBeNull();
});

test.each<[string, () => Hex | Promise<Hex>]>([
  ['the call fails', () => Promise.reject(new Error('down'))],
  ['nothing is deployed there', () => '0x'],
  ['the answer is cut short', () => `0x${word(1n).repeat(4)}`],
  ['the price is zero', () => round(0n, updatedAt)],
  ['the price is negative', () => round(-5n, updatedAt)],
  ['the time is absurd', () => `0x${[1n, 5n, 1n, 2n ** 200n, 1n].map(word).join('')}`],
])('there is none when %s', async (_, latest) => {
  expect(await feed(latest).prices.nativeUsd()).toBeNull();
});

test.each([6n, 10n, 18n])(
  'its 8 decimals may become %i, and while they do there is none',
  async (decimals) => {
    const options: { decimals: Hex } = { decimals: `0x${word(8n)}` };
    let isReplaced = false;
    const { state, prices } = feed(() => {
      const scale = options.decimals === `0x${word(8n)}` ? 8n : decimals;
      if (isReplaced) options.decimals = `0x${word(decimals)}`;
      return round(3_000n * 10n ** scale, updatedAt);
    }, options);
    const next = async () => {
      state.nowMs += 60_000;
      return (await prices.nativeUsd())?.usd ?? null;
    };
    expect(await next()).toBe(3_000);
    isReplaced = true;
    expect(await next()).toBeNull();
    expect(await next()).toBe(3_000);
  },
);

test('it is read once a minute, however often it is asked for', async () => {
  const { state, prices } = feed(() => round(300_000_000_000n, updatedAt));
  await Promise.all([prices.nativeUsd(), prices.nativeUsd(), prices.nativeUsd()]);
  state.nowMs += 59_000;
  await prices.nativeUsd();
  expect(state.asked).toBe(1);
  state.nowMs += 1_000;
  await prices.nativeUsd();
  expect(state.asked).toBe(2);
});

test.each([1, 10, 56, 137, 8_453, 42_161, 43_114, 59_144])('the feed of chain %i is no misprint', (id) => {
  const { usdFeed } = chainProfile(id);
  // EIP-55: the case of the letters is a checksum.
  expect(isAddress(usdFeed?.address ?? '', { strict: true })).toBe(true);
  expect(usdFeed?.address).toMatch(/[A-F]/);
  expect(usdFeed?.heartbeatSec).toBeGreaterThan(0);
});

test.each([1, 8, 4_294_967_295])(
  'the simulated chain with seed %i has one, whose price moves',
  async (seed) => {
    const prices = new Set<number>();
    for (const hour of [0, 1, 2, 500]) {
      const now = Date.UTC(2026, 10, 29, 12, 0, 7) + hour * 3_600_000;
      const source = createSimulatedSource({ seed, clock: { ...systemClock, now: () => now } });
      const { usd, validUntil } =
        (await createPriceFeed(source, await source.chain(), () => now).nativeUsd()) ?? {};
      expect(usd).toBeGreaterThan(1_000);
      expect(usd).toBeLessThan(10_000);
      expect(usd).toBe(source.nativeUsdAt((await source.head()).number));
      expect(validUntil).toBeGreaterThan(now);
      prices.add(usd ?? 0);
    }
    expect(prices.size).toBe(4);
  },
);

test('a feed deployed on a real node is read through it', async () => {
  const anvil = await startAnvil({ chainId: 1 });
  const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
  try {
    const now = Math.floor(source.now() / 1_000);
    const code = feedCode(314_159_000_000n, now - 60);
    await anvil.rpc('anvil_setCode', [ethereum.usdFeed?.address, code]);
    const prices = createPriceFeed(source, await source.chain(), () => source.now());
    expect(await prices.nativeUsd()).toEqual({ usd: 3_141.59, validUntil: (now - 60 + 3_720) * 1_000 });
  } finally {
    source.close();
    await anvil.stop();
  }
});
