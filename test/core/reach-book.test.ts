import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { isSlowRun, rounds } from '../helpers/rounds.ts';
import { engineAfter, makeBlocks, restlessSteps } from './support/made-blocks.ts';
import { simulatedBlocks } from './support/simulated-blocks.ts';

describe('the probability of reaching a price', () => {
  it('is unknown without a block, and says why', () => {
    const { probability, reason } = engineAfter([]).reachProbability(1n, 300);
    expect(probability).toBeNull();
    expect(reason).toBe('no block is known yet');
  });

  it.each([
    [1, '0s'],
    [100, '19m48s'],
  ])('is unknown after %i blocks, and says how much of the past that it takes is known', (count, known) => {
    const { probability, reason } = engineAfter(makeBlocks(restlessSteps(count))).reachProbability(1n, 300);
    expect(probability).toBeNull();
    expect(reason).toBe(`too little history, ${known} of the 35m that it takes`);
  });

  it.each([0, -1, Number.NaN])('is unknown for a time of %s seconds', (withinSec) => {
    const { probability, reason } = engineAfter(makeBlocks(restlessSteps(9))).reachProbability(1n, withinSec);
    expect(probability).toBeNull();
    expect(reason).toMatch(/^a time must be longer/);
  });

  it('is unknown for more than a day: that would take more past than is kept, and it says how much', () => {
    const engine = engineAfter(makeBlocks(restlessSteps(9)));
    expect(engine.reachProbability(1n, 7 * 86_400)).toEqual({
      probability: null,
      reason: 'it takes 49d of blocks to say so, more than is looked back on: up to 1d ahead can be told',
    });
    expect(engine.reachProbability(1n, 86_401).reason).toMatch(/^it takes 7d.* up to 1d ahead can be told$/);
  });

  it('is next to nothing for a free ride and next to certain far above the price of now', () => {
    const engine = engineAfter(makeBlocks(restlessSteps(1_500)));
    const now = engine.advice()?.nextBaseFee ?? 0n;
    expect(engine.reachProbability(1n, 300).probability).toBeLessThan(0.02);
    expect(engine.reachProbability(now * 10n, 300).probability).toBeGreaterThan(0.98);
  });

  it('never falls with the price or with the time', () => {
    const count = isSlowRun ? 2_400 : 700;
    const engine = engineAfter(makeBlocks(restlessSteps(count)), { capacity: count });
    const now = Number(engine.advice()?.nextBaseFee ?? 0n);
    const share = fc.double({ min: 0.3, max: 1.5, noNaN: true });
    const time = fc.integer({ min: 1, max: isSlowRun ? 3_600 : 900 });
    fc.assert(
      fc.property(share, share, time, time, (a, b, s, t) => {
        const probability = (of: number, withinSec: number) =>
          engine.reachProbability(BigInt(Math.round(now * of)), withinSec).probability ?? Number.NaN;
        const least = probability(Math.min(a, b), Math.min(s, t));
        expect(least).toBeLessThanOrEqual(probability(Math.max(a, b), Math.min(s, t)));
        expect(least).toBeLessThanOrEqual(probability(Math.min(a, b), Math.max(s, t)));
      }),
      { numRuns: rounds(60) },
    );
  });
});

it('the probability of one price at one block equals that of its horizon, within the support of independent windows', async () => {
  const blocks = await simulatedBlocks(1, isSlowRun ? 9_000 : 2_000);
  const engine = new FeeEngine({ feeRule: ETHEREUM_FEE_RULE });
  let compared = 0;
  for (const [index, block] of blocks.entries()) {
    engine.push(block);
    if (index % 40 !== 0) continue;
    let shorter: bigint | null = null;
    for (const { horizonSec, price, probability } of engine.advice()?.recommendation.alternatives ?? []) {
      // What a shorter wait reaches at the same price a longer one reaches too, on the shorter one's evidence.
      const isOwn = price !== shorter;
      shorter = price;
      if (price === null || probability === null) continue;
      const reach = engine.reachProbability(price, horizonSec).probability;
      if (reach === null) continue;
      compared += 1;
      const windows = (block.timestamp - (blocks[0]?.timestamp ?? 0)) / horizonSec;
      const most = (windows + 0.5) / (windows + 1);
      if (isOwn) expect(probability).toBeLessThanOrEqual(most);
      expect(reach).toBe(probability);
    }
  }
  expect(compared).toBeGreaterThan(isSlowRun ? 500 : 50);
});
