import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, nextBaseFeeFromRatio } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { BARE_BLOCK } from '../helpers/chain-blocks.ts';

const G = 1_000_000_000n;
const COUNT = 300;
type Said = (block: Block, actual: bigint) => bigint;

/** A chain whose node says `said` of the block after its head; of past blocks their pages say what came. */
function engineOf(feeAt: (number: number, before: Block | null) => bigint, said: Said, live = 1) {
  const engine = new FeeEngine({ feeRule: ETHEREUM_FEE_RULE });
  const blocks: Block[] = [];
  for (let number = 0; number <= COUNT; number++) {
    const before = blocks.at(-1) ?? null;
    blocks.push({
      ...BARE_BLOCK,
      number,
      timestamp: 1_700_000_000 + 12 * number,
      baseFeePerGas: feeAt(number, before),
      gasUsedRatio: number % 2 === 0 ? 0.0072 : 0.99,
      tips: [G, G, G, G, G, G, G],
    });
  }
  const last = blocks.pop();
  for (const [number, block] of blocks.entries()) {
    const actual = blocks[number + 1]?.baseFeePerGas ?? last?.baseFeePerGas ?? 0n;
    const isPast = number < COUNT - live;
    engine.push({ ...block, nextBaseFee: isPast ? actual : said(block, actual) });
  }
  const advice = engine.advice();
  if (advice === null) throw new Error('there is no advice');
  return { next: advice.nextBaseFee, lanes: advice.lanes, came: last?.baseFeePerGas ?? 0n };
}

const byRule = ({ baseFeePerGas, gasUsedRatio }: Block) =>
  nextBaseFeeFromRatio(baseFeePerGas, gasUsedRatio, ETHEREUM_FEE_RULE);

describe("a source's word that is a rule's which the chain does not follow", () => {
  it.each([
    ['Telcoin, 20 gwei', 20n * G],
    ['Conflux, 1 gwei', G],
    ['1,000 wei', 1_000n],
    ['3,000,000 gwei', 3_000_000n * G],
  ])('gives way to the fee of the head where that is what comes (%s)', (_, flat) => {
    const { next, lanes } = engineOf(() => flat, byRule);
    expect(next).toBe(flat);
    for (const { maxFeePerGas } of Object.values(lanes))
      expect(maxFeePerGas).toBeGreaterThanOrEqual(flat + G);
  });
});

it.each([
  ['20 gwei', 20n * G, 7n],
  ['1 gwei', G, 6n],
  ['0.02 gwei', G / 50n, 5n],
])('a word below all that a chain without a rule has asked for is not believed (%s)', (_, flat, eighths) => {
  expect(
    engineOf(
      () => flat,
      () => (flat * eighths) / 8n,
    ).next,
  ).toBe(flat);
});

describe("a source's word that never comes true", () => {
  const following = (_: number, before: Block | null) => (before === null ? 20n * G : byRule(before));
  const lies: readonly (readonly [string, Said])[] = [
    ['always a tenth lower', (_, actual) => (actual * 9n) / 10n],
    ['always a tenth higher', (_, actual) => (actual * 11n) / 10n],
    ['always 1 gwei', () => G],
  ];
  it.each(lies)('gives way to the rule that the chain follows (%s)', (_, said) => {
    const { next, came, lanes } = engineOf(following, said, 5);
    expect(Number(next) / Number(came)).toBeCloseTo(1, 6);
    expect(lanes.fast.maxFeePerGas).toBeGreaterThanOrEqual(came + G);
  });

  it.each(lies)('gives way to the fee of the head on a chain without a rule (%s)', (_, said) => {
    const { next, lanes } = engineOf(() => 20n * G, said, 5);
    expect(next).toBe(20n * G);
    expect(lanes.slow.maxFeePerGas).toBeGreaterThanOrEqual(21n * G);
  });

  it.each([
    ['20 gwei', 20n * G],
    ['0.05 gwei', G / 20n],
    ['1,000,000 gwei', 1_000_000n * G],
  ])('is not believed even once where it is 0 (after %s)', (_, flat) => {
    expect(
      engineOf(
        () => flat,
        () => 0n,
      ).next,
    ).toBe(flat);
    const { next, came } = engineOf(following, () => 0n);
    expect(Number(next) / Number(came)).toBeCloseTo(1, 6);
  });
});

describe("a source's word that comes true", () => {
  it.each([
    ['by jumps', (number: number) => BigInt(20 + (number % 7)) * G],
    ['by steps of a third', (number: number) => (number % 2 === 0 ? 15n : 20n) * G],
    ['by a slow rise', (number: number) => 20n * G + BigInt(number) * 30_000_000n],
  ])('is used on a chain without a rule (%s)', (_, feeAt) => {
    const { next, came } = engineOf(feeAt, (_block, actual) => actual, 50);
    expect(next).toBe(came);
  });

  it('is used where it is nearer than the fee of the head, though never exact', () => {
    const feeAt = (number: number) => BigInt(20 + (number % 7)) * G;
    const { next, came } = engineOf(feeAt, (_block, actual) => (actual * 101n) / 100n, 50);
    expect(next).toBe((came * 101n) / 100n);
  });
});
