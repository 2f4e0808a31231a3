import { describe, expect, it } from 'vitest';
import { type Advice, LANES } from '../../src/core/advice.ts';
import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, type FeeRule } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { engineAfter, makeBlocks, restlessSteps } from './support/made-blocks.ts';

function adviceAfter(blocks: readonly Block[], feeRule: FeeRule = ETHEREUM_FEE_RULE): Advice {
  const advice = engineAfter(blocks, { feeRule }).advice();
  if (advice === null) throw new Error('no advice');
  return advice;
}

describe('the order of blocks', () => {
  const [first, second, third] = makeBlocks(restlessSteps(3));

  it('starts anywhere and then takes only the child of the head', () => {
    const engine = new FeeEngine({ feeRule: ETHEREUM_FEE_RULE });
    expect(engine.head).toBeNull();
    expect(engine.advice()).toBeNull();
    if (first === undefined || second === undefined || third === undefined) throw new Error('no blocks');
    engine.push(first);
    expect(() => engine.push(third)).toThrow(/1002 does not follow block 1000/);
    expect(() => engine.push(first)).toThrow(RangeError);
    engine.push(second);
    expect(engine.head).toBe(second);
  });

  it("has the lanes' prices without the rest of the advice", () => {
    const engine = engineAfter(makeBlocks(restlessSteps(200)));
    const { lanes } = engine.advice() ?? expect.fail('no advice');
    for (const lane of LANES) expect(engine.lanePrices()?.[lane]).toBe(lanes[lane].price);
  });

  it.each([1, 150, 1_200])('says the same of lanes and trend for prices alone, after %i blocks', (count) => {
    const blocks = makeBlocks(restlessSteps(count));
    const [all, prices] = [false, true].map((isForPrices) => {
      const engine = new FeeEngine({ feeRule: ETHEREUM_FEE_RULE, isForPrices });
      for (const block of blocks) engine.push(block);
      engine.rewindTo((blocks[0]?.number ?? 0) + Math.floor(count / 2));
      return { engine, advice: engine.advice() ?? expect.fail('no advice') };
    });
    const { recommendation: _, ...rest } = all?.advice ?? expect.fail();
    expect(prices?.advice).toMatchObject(rest);
    expect(prices?.advice.recommendation).toMatchObject({ action: null, alternatives: [] });
    expect(prices?.engine.reachProbability(1n, 60).probability).toBeNull();
  });
});

describe('a rewind', () => {
  const rewound = (total: number, depth: number, capacity: number, again: number) => {
    const blocks = makeBlocks(restlessSteps(total));
    const other = makeBlocks([...restlessSteps(total - depth), ...restlessSteps(again, 99)]);
    const engine = engineAfter(blocks, { capacity });
    const kept = blocks.slice(0, total - depth);
    engine.rewindTo(kept.at(-1)?.number ?? 0);
    expect(engine.head).toBe(kept.at(-1));
    const fresh = engineAfter(kept, { capacity });
    expect(engine.advice()).toEqual(fresh.advice());
    for (const block of other.slice(total - depth)) {
      engine.push(block);
      fresh.push(block);
    }
    expect(engine.advice()).toEqual(fresh.advice());
  };

  it('leaves the engine as if the blocks had never come, and so it goes on', () => {
    for (const [total, depth, again] of isSlowRun
      ? [
          [1_800, 150, 80],
          [700, 40, 9],
        ]
      : [[400, 90, 60]]) {
      rewound(total ?? 0, depth ?? 0, 2_000, again ?? 0);
    }
  });

  it('restores values that a full history had dropped', () => {
    rewound(900, 300, 400, 100);
    if (isSlowRun) rewound(900, 600, 128, 50);
  });

  it('brings back the long horizons too, and the clock with its gaps', () => {
    const steps = restlessSteps(1_100).map((step, index) => ({
      ...step,
      spacingSec: index % 125 === 0 ? 5_000 : 240,
    }));
    const blocks = makeBlocks(steps);
    const engine = engineAfter(blocks);
    const advised = engine.advice()?.recommendation.alternatives.at(-1);
    expect(Number(advised?.price)).not.toBe(Number(engine.advice()?.lanes.average.price));
    for (const depth of isSlowRun ? [1, 100, 900] : [900]) {
      const kept = blocks.slice(0, blocks.length - depth);
      engine.rewindTo(kept.at(-1)?.number ?? 0);
      expect(engine.advice()).toEqual(engineAfter(kept).advice());
    }
  });

  it('to the head or above it changes nothing', () => {
    const engine = engineAfter(makeBlocks(restlessSteps(100)));
    const advice = engine.advice();
    engine.rewindTo(1_099);
    engine.rewindTo(5_000);
    expect(engine.advice()).toBe(advice);
  });

  it('to before the first block, or deeper than can be undone, forgets everything', () => {
    const engine = engineAfter(makeBlocks(restlessSteps(100)));
    engine.rewindTo(999);
    expect(engine.head).toBeNull();
    expect(engine.advice()).toBeNull();
    const [block] = makeBlocks(restlessSteps(1), { firstNumber: 7 });
    if (block !== undefined) engine.push(block);
    expect(engine.head?.number).toBe(7);
    const long = engineAfter(makeBlocks(restlessSteps(1_200)));
    long.rewindTo(1_100);
    expect(long.head).toBeNull();
  });

  it.each([
    [600, 424, true],
    [600, 425, false],
    [1_000, 24, true],
    [1_000, 300, false],
    [300, 1_000, false],
  ])('by %i and then by %i blocks leaves it right or forgets everything', (depth, more, isKnown) => {
    const blocks = makeBlocks(restlessSteps(1_400));
    const engine = engineAfter(blocks, { capacity: 300 });
    const kept = blocks.slice(0, blocks.length - depth - more);
    for (const blocksDown of [depth, depth + more]) engine.rewindTo(blocks.at(-1 - blocksDown)?.number ?? 0);
    expect(engine.head).toBe(isKnown ? kept.at(-1) : null);
    expect(engine.advice()).toEqual(isKnown ? engineAfter(kept, { capacity: 300 }).advice() : null);
  });
});

describe('the next base fee', () => {
  const [block] = makeBlocks([{ gasUsedRatio: 1 }], { firstBaseFee: 800n });
  if (block === undefined) throw new Error('no block');

  it('comes from EIP-1559 where the node says nothing', () => {
    expect(adviceAfter([block]).nextBaseFee).toBe(900n);
  });

  it('is exact from gas used and gas limit where they are known', () => {
    const exact = { ...block, gasUsed: 30_000_001n, gasLimit: 60_000_001n, baseFeePerGas: 1_000_000_007n };
    expect(adviceAfter([{ ...exact }]).nextBaseFee).toBe(
      1_000_000_007n + (1_000_000_007n * 1n) / 240_000_000n,
    );
  });

  it("is the node's word where there is one, for blobs as well", () => {
    const advice = adviceAfter([{ ...block, nextBaseFee: 850n, nextBlobBaseFee: 3n }]);
    expect(advice.nextBaseFee).toBe(850n);
    expect(advice.nextBlobBaseFee).toBe(3n);
  });

  it('stays the same on a chain without the formula and without a stated fee', () => {
    const flat = makeBlocks(new Array(5).fill({ gasUsedRatio: 0.01 })).map((made) => ({
      ...made,
      baseFeePerGas: 20_000_000n,
    }));
    expect(adviceAfter(flat).nextBaseFee).toBe(20_000_000n);
  });
});

it('where the chain contradicts the formula signs twice the next base fee and promises nothing', () => {
  // A fee that jumps by half every tenth block and falls back: EIP-1559 allows an eighth.
  const steps = new Array(400).fill({ gasUsedRatio: 0.5 });
  const jumpy = makeBlocks(steps).map((made, index) => {
    const fee = (at: number): bigint => (at % 10 === 0 ? 15_000_000n : 10_000_000n);
    return { ...made, baseFeePerGas: fee(index), nextBaseFee: fee(index + 1) };
  });
  const { lanes, nextBaseFee } = adviceAfter(jumpy.slice(0, 395));
  expect(nextBaseFee).toBe(10_000_000n);
  for (const lane of LANES) {
    const { maxFeePerGas, maxPriorityFeePerGas, probability, reason } = lanes[lane];
    expect(maxFeePerGas - (maxPriorityFeePerGas ?? 0n)).toBeLessThanOrEqual(20_000_000n);
    expect({ probability, reason }).toEqual({
      probability: null,
      reason: 'the chain has not kept to its own base fee rule of late',
    });
  }
  expect(lanes.fast.maxFeePerGas).toBe(20_000_000n);
});

describe('the lanes', () => {
  it('Fast survives the worst case of its two blocks, to the wei', () => {
    const [block] = makeBlocks([{ gasUsedRatio: 0.5, lowTip: 100 }], { firstBaseFee: 8_000n });
    if (block === undefined) throw new Error('no block');
    const { fast } = adviceAfter([block]).lanes;
    expect(fast.maxPriorityFeePerGas).toBe(100n);
    expect(fast.maxFeePerGas).toBe(9_000n + 100n);
  });

  it('uses the chain’s own elasticity and denominator for the worst case', () => {
    const rule: FeeRule = { elasticity: 6, denominator: 250, blockTimeSec: 2 };
    const [block] = makeBlocks([{ gasUsedRatio: 1 / 6 }], { firstBaseFee: 1_000_000n, rule });
    if (block === undefined) throw new Error('no block');
    expect(adviceAfter([block], rule).lanes.fast.maxFeePerGas).toBe(1_020_000n);
  });

  it('states neither tip nor promise where no tips are known', () => {
    const unknown = { probability: null, reason: 'the last blocks show no tips' };
    const engine = engineAfter(makeBlocks(restlessSteps(900).map((step) => ({ ...step, lowTip: null }))));
    const { lanes, recommendation, nextBaseFee } = engine.advice() ?? expect.fail('no advice');
    for (const lane of LANES) expect(lanes[lane]).toMatchObject({ maxPriorityFeePerGas: null, ...unknown });
    for (const each of recommendation.alternatives)
      expect(each).toMatchObject({ price: null, savingRatio: null, ...unknown });
    expect(recommendation).toMatchObject({ action: null, probability: null, track: { evaluated: 0 } });
    expect(engine.reachProbability(nextBaseFee, 300)).toEqual(unknown);
  });

  it('states no probability before a hundred pieces of advice were judged', () => {
    const probabilities = (count: number) => {
      const { lanes } = adviceAfter(makeBlocks(restlessSteps(count)));
      return LANES.map((lane) => lanes[lane].probability);
    };
    expect(probabilities(102)).toEqual([null, null, expect.any(Number)]);
    expect(probabilities(103)).toEqual([null, expect.any(Number), expect.any(Number)]);
    const { slow, average } = adviceAfter(makeBlocks(restlessSteps(60))).lanes;
    expect(average.reason).toBe('not measured yet, 57 of 100 blocks');
    expect(slow.reason).toBe('not measured yet, 0 of 100 blocks');
    // 100 past states that 25 blocks came after, and 100 judged promises that were drawn from such.
    expect(probabilities(248)).toEqual([null, expect.any(Number), expect.any(Number)]);
    expect(probabilities(249)).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
  });

  it('the price is next base fee plus tip when the base fee is constant', () => {
    const flat = makeBlocks(new Array(500).fill({ gasUsedRatio: 0.5, lowTip: 70 }), {
      firstBaseFee: 9_000n,
    });
    for (const lane of LANES) expect(adviceAfter(flat).lanes[lane].price).toBe(9_070n);
  });

  it('offers no tip above those of the last hour, even if hardly any block has one', () => {
    const steps = restlessSteps(900).map((step, index) => ({
      ...step,
      lowTip: index % 40 === 0 ? 5_000 : 0,
    }));
    const { fast } = adviceAfter(makeBlocks(steps)).lanes;
    expect(fast.maxPriorityFeePerGas).toBeLessThanOrEqual(5_000n);
  });

  it('states no tip any more when the node stops telling any', () => {
    const silent = new Array(320).fill({ gasUsedRatio: 0.5, lowTip: null });
    const { lanes } = adviceAfter(makeBlocks([...restlessSteps(700), ...silent]));
    for (const lane of LANES) expect(lanes[lane].maxPriorityFeePerGas).toBeNull();
  });

  it.each([2, 3, 4, 5, 9, 17])('measures them after %i blocks, whatever pace was planned', (count) => {
    const steps = new Array(count).fill({ gasUsedRatio: 0.5, spacingSec: 2 });
    const { lanes, recommendation } = adviceAfter(makeBlocks(steps));
    expect(lanes.fast.waitSec.p50).toBe(2);
    expect(recommendation.deadlineSec).toBe(6);
  });

  it('takes the planned pace before that, says so, and is not misled by the time of a chain’s beginning', () => {
    const spaced = (...sec: number[]) =>
      adviceAfter(
        makeBlocks(
          sec.map((spacingSec) => ({ gasUsedRatio: 0.5, spacingSec })),
          { firstNumber: 0 },
        ),
      );
    const assumed = 'how often blocks come is not known yet: times are as if one came every 12s';
    for (const young of [spaced(2), spaced(1_700_000_000, 2)]) {
      expect(young.lanes.fast.waitSec.p50).toBe(12);
      expect(young.recommendation.reasons).toContain(assumed);
    }
    const known = spaced(1_700_000_000, 2, 2);
    expect(known.lanes.fast.waitSec.p50).toBe(2);
    expect(known.recommendation.reasons).not.toContain(assumed);
  });
});

describe('the trend', () => {
  it('rises and falls with the next base fee against the mean of the hour', () => {
    const flat = new Array(300).fill({ gasUsedRatio: 0.5 });
    const full = { gasUsedRatio: 1 };
    const empty = { gasUsedRatio: 0 };
    expect(adviceAfter(makeBlocks(flat)).trend.direction).toBe('STABLE');
    expect(adviceAfter(makeBlocks([...flat, full])).trend.direction).toBe('RISING');
    expect(adviceAfter(makeBlocks([...flat, empty])).trend.direction).toBe('FALLING');
    expect(adviceAfter(makeBlocks([...flat, full])).trend.changeRatio).toBeCloseTo(0.125, 6);
  });

  it('knows the first step of the fan and keeps the others within EIP-1559', () => {
    const { nextBaseFee, trend } = adviceAfter(makeBlocks(restlessSteps(700)));
    const [first, second, , , fifth] = trend.baseFeeFan;
    expect(first).toEqual({ blocksAhead: 1, min: nextBaseFee, expected: nextBaseFee, max: nextBaseFee });
    expect(Number(second?.max)).toBeLessThanOrEqual(Number(nextBaseFee) * 1.125);
    expect(Number(second?.min)).toBeGreaterThanOrEqual(Number(nextBaseFee) * 0.875 - 1);
    expect(Number(fifth?.max)).toBeLessThanOrEqual(Number(nextBaseFee) * 1.125 ** 4);
  });

  it('ranks the next base fee among the last 24 hours only', () => {
    // Two days dear, one day cheap, then dearer by an eighth than the whole last day.
    const day = 288;
    const steps = [
      ...new Array(2 * day).fill({ gasUsedRatio: 0.5 }),
      ...new Array(10).fill({ gasUsedRatio: 0 }),
      ...new Array(day).fill({ gasUsedRatio: 0.5 }),
      { gasUsedRatio: 1 },
    ].map((step) => ({ ...step, spacingSec: 300 }));
    expect(engineAfter(makeBlocks(steps)).advice()?.trend.percentileRank24h).toBe(1);
  });
});

describe('the recommendation', () => {
  it('gives no advice while no wait has been measured, and says why', () => {
    const { recommendation, lanes } = adviceAfter(makeBlocks(restlessSteps(60)));
    expect(recommendation.action).toBeNull();
    expect(recommendation.probability).toBeNull();
    expect(recommendation.confidence).toBe(0);
    expect(recommendation.targetPrice).toBe(lanes.average.price);
    expect(recommendation.reasons[0]).toBe(
      'no advice yet: too little history, 11m48s of the 25m that it takes',
    );
    expect(recommendation.track).toMatchObject({ evaluated: 0, hitRatio: null, waits: { evaluated: 0 } });
  });

  // 17 full blocks and 15 empty ones, over and over: a hill that ends where it began.
  const hill = (length: number) =>
    makeBlocks(Array.from({ length }, (_, index) => ({ gasUsedRatio: index % 32 < 17 ? 1 : 0 })));

  it('waits on the way up for a dip that has always come', () => {
    const { recommendation, nextBaseFee } = adviceAfter(hill(32 * 46 + 14));
    expect(recommendation.action).toBe('WAIT');
    expect(recommendation.probability).toBeGreaterThanOrEqual(0.8);
    expect(recommendation.expectedSavingRatio).toBeGreaterThanOrEqual(0.05);
    expect(recommendation.targetPrice).toBeLessThan(nextBaseFee);
  });

  it('sends at the bottom of that dip, however often lower prices came from higher ones', () => {
    const { recommendation } = adviceAfter(hill(32 * 46));
    expect(recommendation.action).toBe('SEND_NOW');
    expect(recommendation.alternatives[1]?.probability).toBeGreaterThanOrEqual(0.8);
    expect(recommendation.reasons[0]).toBe('waits up to 1h save nothing');
  });

  it('never waits on a chain with a constant fee', () => {
    const { recommendation } = adviceAfter(makeBlocks(new Array(1_500).fill({ gasUsedRatio: 0.5 })));
    expect(recommendation.action).toBe('SEND_NOW');
    expect(recommendation.track).toMatchObject({
      ...{ evaluated: 55, hitRatio: 1, statedProbability: 1 },
      ...{ waits: { evaluated: 0, hitRatio: null }, sends: { evaluated: 55, hitRatio: 1, savingRatio: 0 } },
    });
    expect(recommendation.confidence).toBe(100);
  });
});
