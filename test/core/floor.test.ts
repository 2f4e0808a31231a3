import { expect, it } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import type { StatedFeeRule } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { engineAfter, makeBlocks } from './support/made-blocks.ts';

const FLOOR = 5_000_000n;
const { feeRule: BASE } = chainProfile(8_453);

/** Base in 2026: nearly empty blocks at the floor, and now and then a run of full ones. */
function baseBlocks(count: number, stated?: Omit<StatedFeeRule, 'meteredGas'>): Block[] {
  const rule = { ...BASE, ...stated };
  const steps = Array.from({ length: count }, (_, index) => ({
    gasUsedRatio: index % 400 > 389 ? 1 : (3 + (index % 7)) / 100,
    lowTip: 1_000,
  }));
  const gasLimit = 400_000_000n;
  return makeBlocks(steps, { rule, firstBaseFee: rule.minBaseFee ?? 0n }).map((block) => {
    const gasUsed = BigInt(Math.round(block.gasUsedRatio * Number(gasLimit)));
    return { ...block, gasUsed, gasLimit, ...(stated && { stated: { ...stated, meteredGas: gasUsed } }) };
  });
}

it('has Fast keep its promise through full blocks, and nothing says to wait', () => {
  const engine = new FeeEngine({ feeRule: BASE });
  const blocks = baseBlocks(2_400);
  let atFloor = 0;
  let rises = 0;
  blocks.forEach((block, index) => {
    engine.push(block);
    const advice = engine.advice();
    const next = blocks.slice(index + 1, index + 3);
    if (advice === null || next.length < 2) return;
    const { fast, slow } = advice.lanes;
    // It survives the dearer of its two blocks, where every block before that one is full.
    for (const { baseFeePerGas } of next) expect(fast.maxFeePerGas).toBeGreaterThan(baseFeePerGas);
    rises += Number((next[1]?.baseFeePerGas ?? 0n) > block.baseFeePerGas);
    expect(slow.maxFeePerGas).toBeGreaterThanOrEqual(FLOOR);
    expect(advice.floor).toBe(FLOOR);
    if (advice.nextBaseFee > FLOOR) return;
    atFloor += 1;
    expect(advice.recommendation).toMatchObject({ action: 'SEND_NOW', expectedSavingRatio: 0 });
    expect(advice.recommendation.reasons[0]).toBe(
      'next base fee is at its floor of 0.00500 gwei and cannot fall',
    );
    for (const { price } of advice.recommendation.alternatives) {
      if (price !== null) expect(price).toBeGreaterThanOrEqual(FLOOR);
    }
  });
  expect(atFloor).toBeGreaterThan(1_000);
  expect(rises).toBeGreaterThan(40);
  expect(engine.advice()?.lanes.fast.probability).toBe(1);
});

it('is not at one that its own base fees disprove', () => {
  const lower = (block: Block) => ({ ...block, baseFeePerGas: block.baseFeePerGas - 1_000_000n });
  const engine = engineAfter(baseBlocks(100).map(lower), { feeRule: BASE });
  expect(engine.advice()?.floor).toBeUndefined();
  expect(engine.advice()?.recommendation.reasons[0]).not.toContain('floor');
});

it('is known by what the blocks state, where that is another rule than the one known here', () => {
  const stated = { denominator: 50, elasticity: 4, minBaseFee: 1_000_000n };
  const engine = engineAfter(baseBlocks(600, stated), { feeRule: BASE });
  expect(engine.advice()).toMatchObject({ floor: 1_000_000n, recommendation: { action: 'SEND_NOW' } });
  expect(engine.advice()?.lanes.fast.probability).toBe(1);
  // A full block raises it by (elasticity − 1) / denominator.
  expect(engine.advice()?.trend.baseFeeFan[1]?.max).toBeLessThanOrEqual(1_060_000n);
});
