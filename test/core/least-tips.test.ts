import { describe, expect, it } from 'vitest';
import { LANES } from '../../src/core/advice.ts';
import type { Block, BlockTips } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { BARE_BLOCK } from '../helpers/chain-blocks.ts';

const G = 1_000_000_000n;
const flat = (tip: bigint): BlockTips => [tip, tip, tip, tip, tip, tip, tip];
const EMPTY = { tips: flat(0n), gasUsedRatio: 0 };

interface Case {
  readonly chainId: number;
  readonly baseFee: bigint;
  readonly block: (number: number) => { readonly tips: BlockTips; readonly gasUsedRatio: number };
  /** The node's own word. */
  readonly said?: bigint;
}

function adviceOf({ chainId, baseFee, block, said }: Case) {
  const engine = new FeeEngine({ feeRule: chainProfile(chainId).feeRule });
  for (let number = 1; number <= 800; number++) {
    const made: Block = {
      ...BARE_BLOCK,
      number,
      timestamp: 1_700_000_000 + 2 * number,
      baseFeePerGas: baseFee,
      nextBaseFee: baseFee,
      ...block(number),
      ...(said !== undefined && number > 500 && { suggestedTip: said }),
    };
    engine.push(made);
  }
  const advice = engine.advice();
  if (advice === null) throw new Error('there is no advice');
  return advice;
}

const tipsOf = (given: Case) => {
  const { lanes } = adviceOf(given);
  return LANES.map((lane) => lanes[lane].maxPriorityFeePerGas);
};

const oneInTen =
  (tips: BlockTips, gasUsedRatio = 0.3) =>
  (number: number) =>
    number % 10 === 0 ? { tips, gasUsedRatio } : EMPTY;

describe('a tip of 0 that nobody had to pay', () => {
  const shapes: readonly (readonly [string, Case['block']])[] = [
    ['in empty blocks', oneInTen(flat(3n * G))],
    [
      'of privileged transactions alone',
      (number) => ({ tips: flat(number % 10 === 0 ? 3n * G : 0n), gasUsedRatio: 0.3 }),
    ],
    [
      'of bundles in each block',
      () => ({ tips: [0n, 0n, 3n * G, 3n * G, 3n * G, 5n * G, 9n * G], gasUsedRatio: 0.4 }),
    ],
  ];
  it.each(shapes)('(%s) is no evidence where there is no base fee', (_, block) => {
    expect(tipsOf({ chainId: 9_999, baseFee: 0n, block })).toEqual([3n * G, 3n * G, 3n * G]);
  });

  it.each([15n, G, 30n * G])('in empty blocks is no evidence above a base fee of %i', (baseFee) => {
    const given = { chainId: 9_999, baseFee, block: oneInTen(flat(25n * G)) };
    expect(tipsOf(given)).toEqual([25n * G, 25n * G, 25n * G]);
    const { lanes, recommendation } = adviceOf(given);
    for (const lane of LANES) expect(lanes[lane].probability).toBeNull();
    expect(recommendation.action).not.toBe('WAIT');
    for (const { probability, price } of recommendation.alternatives) {
      expect(probability).toBeNull();
      if (price !== null) expect(price).toBeGreaterThanOrEqual(baseFee + 20n * G);
    }
  });
});

describe('where no tip is paid for', () => {
  it.each([
    ['an empty test network', 15n, 25n * G],
    ['one without a base fee', 0n, 3n * G],
    ['a node that suggests next to nothing', G, 2n],
  ])('%s is advised what its node suggests, without a probability', (_, baseFee, said) => {
    const { lanes } = adviceOf({ chainId: 9_999, baseFee, said, block: () => EMPTY });
    for (const lane of LANES)
      expect(lanes[lane]).toMatchObject({
        maxPriorityFeePerGas: said,
        probability: null,
        reason: expect.stringContaining('too few'),
      });
    expect(lanes.average.price).toBe(baseFee + said);
  });

  it('a node that says nothing leaves the tip unknown', () => {
    const { lanes } = adviceOf({ chainId: 9_999, baseFee: G, block: () => EMPTY });
    expect(lanes.fast).toMatchObject({ maxPriorityFeePerGas: null, probability: null });
  });
});

describe('tips below what nodes take', () => {
  const low = (number: number) => ({
    tips: (number % 3 === 0
      ? [G, G, 30n * G, 30n * G, 30n * G, 30n * G, 30n * G]
      : flat(30n * G)) as BlockTips,
    gasUsedRatio: 0.5,
  });
  it.each([
    [56, G / 20n],
    [97, G / 10n],
    [137, 25n * G],
    [80_002, 25n * G],
  ])('on chain %i give way to the least that it is known for', (chainId, least) => {
    const block = () => ({ tips: flat(7n), gasUsedRatio: 0.5 });
    expect(tipsOf({ chainId, baseFee: 0n, block })).toEqual([least, least, least]);
  });

  it.each([26n * G, 28n * G, 30n * G])(
    'give way to the %i wei that the node of such a chain suggests',
    (said) => {
      const { lanes } = adviceOf({ chainId: 137, baseFee: 60n * G, block: low, said });
      for (const lane of LANES) {
        expect(lanes[lane].maxPriorityFeePerGas).toBeGreaterThanOrEqual(said);
        expect(lanes[lane].maxFeePerGas).toBeGreaterThanOrEqual(85n * G);
      }
    },
  );

  it('are not raised above what usual blocks pay in the middle', () => {
    const [slow] = tipsOf({ chainId: 137, baseFee: 60n * G, block: low, said: 9_000n * G });
    expect(slow).toBe(30n * G);
  });

  it.each([0n, 5n * G, 500n * G])('are advised on other chains, whatever the node suggests (%i)', (said) => {
    const block = () => ({ tips: flat(G / 10n), gasUsedRatio: 0.5 });
    expect(tipsOf({ chainId: 1, baseFee: G, block, said })).toEqual([G / 10n, G / 10n, G / 10n]);
  });
});
