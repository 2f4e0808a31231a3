import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { marketFigures, marketSeries } from '../../src/service/responses/market.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { HistoryStore } from '../../src/store/history.ts';
import { BLOCK_ZERO_TIME, makeBlock } from '../helpers/chain-blocks.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { rounds } from '../helpers/rounds.ts';

const fee = fc.bigInt({ min: 0n, max: 500_000_000_000n });
const tips = fc.option(
  fc.array(fee, { minLength: 7, maxLength: 7 }).map((ladder): Block['tips'] => {
    const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n] = ladder.toSorted((x, y) => Number(x - y));
    return [a, b, c, d, e, f, g];
  }),
);
const priced = fc.record({ baseFeePerGas: fee, tips });

async function stored(blocks: readonly Block[]): Promise<HistoryStore> {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.close());
  await new BlockStore(database).saveBlocks([...blocks]);
  return new HistoryStore(database);
}

function expectOrdered({ min, p10, median, p90, max, mean, now }: ReturnType<typeof marketFigures>['base']) {
  const ladder = [min, p10, median, p90, max];
  expect(ladder).toEqual(ladder.toSorted((a, b) => a - b));
  for (const value of [mean, now]) {
    expect(value).toBeGreaterThanOrEqual(min);
    expect(value).toBeLessThanOrEqual(max);
  }
}

test('the figures of a time frame do not contradict each other, whatever the blocks, their tips and their parts', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(priced, { minLength: 1, maxLength: 60 }),
      fc.record({ base: fc.nat(1e12), average: fc.nat(1e12) }),
      fc.nat(900),
      fc.constantFrom(1, 3, 8, 100),
      async (made, now, length, mostRows) => {
        const blocks = made.map((block, number) => makeBlock(number, block));
        const history = await stored(blocks);
        const to = (blocks.at(-1)?.timestamp ?? 0) + (length % 30);
        const series = await marketSeries(history, { from: to - length, to }, mostRows);
        // Parts of a minute or more begin within the window; one of them may have a single block.
        const isWhole = blocks.filter(({ timestamp }) => timestamp >= to - length).length <= mostRows;
        const from = isWhole ? to - length : (series[0]?.start ?? to + 1);
        const inside = blocks.filter(({ timestamp }) => timestamp >= from);
        expect(series.reduce((sum, part) => sum + part.blocks, 0)).toBe(inside.length);
        const { base, average } = marketFigures(series, now, () => null);
        expectOrdered(base);
        expectOrdered(average);
        const fees = [...inside.map(({ baseFeePerGas }) => Number(baseFeePerGas)), now.base];
        expect(base).toMatchObject({ min: Math.min(...fees), max: Math.max(...fees) });
      },
    ),
    { numRuns: rounds(60) },
  ));

test('a few blocks of a minute at the edge count as the few they are', async () => {
  // Ten cheap minutes of five blocks, then one dear block that has its minute alone.
  const blocks = Array.from({ length: 51 }, (_, number) =>
    makeBlock(number, { baseFeePerGas: number < 50 ? 10n : 1_010n, tips: null }),
  );
  const history = await stored(blocks);
  const window = { from: BLOCK_ZERO_TIME, to: blocks.at(-1)?.timestamp ?? 0 };
  for (const mostRows of [100, 20]) {
    const { base, volatility } = marketFigures(
      await marketSeries(history, window, mostRows),
      { base: 1_010, average: 1_010 },
      () => null,
    );
    expect(base).toMatchObject({ median: 10, p90: 10, mean: 30, max: 1_010 });
    expect(volatility).toBeCloseTo(Math.sqrt(50 * 20 ** 2 + 980 ** 2) / Math.sqrt(51) / (1_520 / 51), 1);
  }
});
