import { beforeEach, describe, expect, test } from 'vitest';
import { BlockStore } from '../../src/store/blocks.ts';
import { coinPriceAt } from '../../src/store/coin-prices.ts';
import { HistoryStore } from '../../src/store/history.ts';
import { BLOCK_ZERO_TIME, makeBlock } from '../helpers/chain-blocks.ts';
import { ENGINES, openOn } from '../helpers/databases.ts';
import { priced, runOf } from './alerts/priced-blocks.ts';

describe.each(ENGINES)('on %s the price of the coin', (engine) => {
  let store: BlockStore;
  let history: HistoryStore;
  const at = (number: number) => makeBlock(number).timestamp;
  const save = (number: number, nativeUsd: number | null, isInTime = true) => {
    const nativeUsdAt = isInTime ? at(number) : null;
    return store.saveBlocks(
      [makeBlock(number)],
      null,
      runOf([priced(number, 5)], { nativeUsd, nativeUsdAt }),
    );
  };
  const all = async (from = 0, to = 100_000) => {
    const rows = await history.coinPrices({ from: at(from), to: at(to) });
    return rows.map(({ since, native_usd }) => [(since - BLOCK_ZERO_TIME) / 12, native_usd]);
  };

  beforeEach(async () => {
    const database = await openOn(engine);
    store = new BlockStore(database, undefined, () => (BLOCK_ZERO_TIME + 31 * 86_400) * 1_000);
    history = new HistoryStore(database);
  });

  test('is noted where it changes, once a minute at most, and when it gets unknown', async () => {
    for (const [number, usd] of [
      ...([
        [1, null],
        [2, 2_000],
        [3, 2_000],
        [4, 2_010],
        [7, 2_010.5],
        [8, 2_011],
      ] as const),
      ...([
        [20, null],
        [40, 1_990],
      ] as const),
    ])
      await save(number, usd);
    expect(await all()).toEqual([
      [2, 2_000],
      [7, 2_010.5],
      [20, null],
      [40, 1_990],
    ]);
    const prices = await history.coinPrices({ from: at(0), to: at(100) });
    expect([1, 2, 6, 7, 19, 20, 39, 40].map((number) => coinPriceAt(prices, at(number)))).toEqual([
      ...[null, 2_000, 2_000, 2_010.5, 2_010.5, null, null, 1_990],
    ]);
  });

  test('is noted again every ten minutes, and is unknown where nothing followed the chain', async () => {
    for (const number of [1, 30, 60, 90, 120]) await save(number, 2_000);
    expect(await all()).toEqual([
      [1, 2_000],
      [60, 2_000],
      [120, 2_000],
    ]);
    const prices = await history.coinPrices({ from: at(0), to: at(10_000) });
    expect([120, 220, 221].map((number) => coinPriceAt(prices, at(number)))).toEqual([2_000, 2_000, null]);
    // A window begins with the price that held then.
    expect(await all(100, 110)).toEqual([
      [1, 2_000],
      [60, 2_000],
    ]);
  });

  test('of now is no price of blocks that came too late, and follows a chain that goes back', async () => {
    await save(50, 2_000, false);
    expect(await all()).toEqual([]);
    for (const [number, usd] of [
      [100, 2_000],
      [200, 2_100],
      [150, 1_900],
    ] as const)
      await save(number, usd);
    expect(await all()).toEqual([
      [100, 2_000],
      [150, 1_900],
    ]);
  });

  test('is dropped with the blocks of its time', async () => {
    await save(1, 2_000);
    await save(31 * 7_200, 2_100);
    await store.prune(at(31 * 7_200));
    expect(await all(0, 32 * 7_200)).toEqual([[31 * 7_200, 2_100]]);
  });
});
