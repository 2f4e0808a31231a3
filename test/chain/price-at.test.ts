import { expect, test } from 'vitest';
import { createPriceFeed } from '../../src/chain/price-feed.ts';
import type { Hex } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';

const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0');
const HOUR = 3_600;
const START = 1_780_000_000;
const PHASE = 7n << 64n;

interface Round {
  readonly updatedAt: number;
  readonly usd: number;
}

/** A feed of mainnet with these rounds in phase 7, and what was asked of it. */
function feedOf(rounds: readonly Round[], nowSec = rounds.at(-1)?.updatedAt ?? 0) {
  const state = { nowMs: nowSec * 1_000, asked: [] as bigint[], isDown: false };
  const encode = (id: bigint, { updatedAt, usd }: Round): Hex =>
    `0x${[id, BigInt(Math.round(usd * 1e8)), BigInt(updatedAt), BigInt(updatedAt), id].map(word).join('')}`;
  const prices = createPriceFeed({
    source: {
      call: async ({ data }) => {
        if (state.isDown) throw new Error('down');
        if (data === '0x313ce567') return `0x${word(8n)}`;
        const last = BigInt(rounds.length);
        const id = data === '0xfeaf968c' ? PHASE + last : BigInt(`0x${data.slice(10)}`);
        if (data !== '0xfeaf968c') {
          expect(data.slice(0, 10)).toBe('0x9a6fc8f5');
          expect(data).toHaveLength(2 + 8 + 64);
          state.asked.push(id - PHASE);
        }
        const round = rounds[Number(id - PHASE) - 1];
        if (!round) throw new Error('execution reverted: No data present');
        return encode(id, round);
      },
    },
    chain: chainProfile(1),
    now: () => state.nowMs,
  });
  return { state, prices };
}

/** A month of rounds, one to sixty minutes apart, of which no two have the same price. */
const month: Round[] = [];
for (let updatedAt = START, i = 0; updatedAt < START + 30 * 24 * HOUR; i++) {
  month.push({ updatedAt, usd: 2_000 + i });
  updatedAt += 60 + ((i * 7_919) % (HOUR - 60));
}
const end = month.at(-1)?.updatedAt ?? 0;
/** What the feed said at a moment, found the slow way. */
const said = (at: number) => month.findLast(({ updatedAt }) => updatedAt <= at)?.usd;

test('any moment has the price of the last round before it, in few calls', async () => {
  for (const backSec of [0, 1, 59, HOUR, 24 * HOUR, 7 * 24 * HOUR, 29.9 * 24 * HOUR, end - START]) {
    const { state, prices } = feedOf(month);
    const at = Math.floor(end - backSec);
    expect(await prices.nativeUsdAt(at)).toBe(said(at));
    expect(state.asked.length).toBeLessThan(20);
    expect(new Set(state.asked).size).toBe(state.asked.length);
  }
});

test('the very second of a round has its price, the second before the one before', async () => {
  const { prices } = feedOf(month);
  for (const index of [1, 17, 500, month.length - 1]) {
    const at = month[index]?.updatedAt ?? 0;
    expect(await prices.nativeUsdAt(at)).toBe(month[index]?.usd);
    expect(await prices.nativeUsdAt(at - 1)).toBe(month[index - 1]?.usd);
  }
});

test('a moment that moves on asks little more, and many who ask at once do not ask more', async () => {
  const { state, prices } = feedOf(month);
  await prices.nativeUsdAt(end - 24 * HOUR);
  const first = state.asked.length;
  await Promise.all(Array.from({ length: 50 }, () => prices.nativeUsdAt(end - 24 * HOUR)));
  expect(state.asked.length).toBe(first);
  for (let later = 0; later < 60; later++) {
    const at = end - 24 * HOUR + later * 60;
    expect(await prices.nativeUsdAt(at)).toBe(said(at));
  }
  expect(state.asked.length - first).toBeLessThan(15);
});

test('there is none before the first round of the phase, and that does not stand in the way of later moments', async () => {
  const { prices } = feedOf(month);
  expect(await prices.nativeUsdAt(START - 1)).toBeNull();
  expect(await prices.nativeUsdAt(START)).toBe(2_000);
});

test('there is none for the future, nor on a chain without a feed', async () => {
  const { prices } = feedOf(month);
  expect(await prices.nativeUsdAt(end + 1)).toBeNull();
  const none = createPriceFeed({
    source: { call: () => Promise.reject(new Error('must not be asked')) },
    chain: chainProfile(31_337),
    now: () => end * 1_000,
  });
  expect(await none.nativeUsdAt(end - 1)).toBeNull();
  expect(await none.nativeUsd()).toBeNull();
});

test('there is none for a moment at which the feed was past its heartbeat', async () => {
  const silent = [
    { updatedAt: START, usd: 1 },
    { updatedAt: START + 10 * HOUR, usd: 2 },
  ];
  const { prices } = feedOf(silent);
  expect(await prices.nativeUsdAt(START + HOUR + 120)).toBe(1);
  expect(await prices.nativeUsdAt(START + HOUR + 121)).toBeNull();
  expect(await prices.nativeUsdAt(START + 10 * HOUR)).toBe(2);
});

test('a round that cannot be read ends the search, and for a minute there is no other', async () => {
  const { state, prices } = feedOf(month);
  await prices.nativeUsd();
  state.isDown = true;
  expect(await prices.nativeUsdAt(end - 24 * HOUR)).toBeNull();
  state.isDown = false;
  expect(await prices.nativeUsdAt(end - 24 * HOUR)).toBeNull();
  expect(state.asked).toEqual([]);
  state.nowMs += 60_000;
  expect(await prices.nativeUsdAt(end - 24 * HOUR)).toBe(said(end - 24 * HOUR));
});

test('rounds whose times make no sense end the search too', async () => {
  // Every round claims to be of the present: the beginning of the phase is soon reached.
  const odd = Array.from({ length: 1_000_000 }, (_, index) => ({ updatedAt: START, usd: index + 1 }));
  const { state, prices } = feedOf(odd);
  expect(await prices.nativeUsdAt(START - HOUR)).toBeNull();
  expect(state.asked.length).toBeLessThanOrEqual(48);
});
