import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ETHEREUM_FEE_RULE,
  type FeeRule,
  gasUsedRatioFromBaseFees,
  nextBaseFee,
  nextBaseFeeFromRatio,
} from '../../src/core/eip1559.ts';
import { blobBaseFee, fakeExponential } from '../../src/core/eip4844.ts';
import vectors from '../fixtures/vectors/eip1559_eip4844_vectors.json' with { type: 'json' };
import { baseFeeCases } from './support/amsterdam.ts';

const rules = fc.constantFrom<FeeRule>(
  ETHEREUM_FEE_RULE,
  { elasticity: 6, denominator: 250, blockTimeSec: 2 },
  { elasticity: 2, denominator: 16, blockTimeSec: 2 },
);
const wei = fc.bigInt({ min: 0n, max: 2n ** 60n });
const block = fc
  .record({
    baseFeePerGas: wei,
    gasLimit: fc.bigInt({ min: 5_000n, max: 200_000_000n }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...rest }) => ({
    ...rest,
    gasUsed: BigInt(Math.floor(Number(rest.gasLimit) * share)),
  }));

describe('nextBaseFee', () => {
  it.each(vectors.base_fee_next.map((v, i) => ({ ...v, i })))('agrees with $src ($i)', (v) => {
    const rule = { elasticity: v.elasticity, denominator: v.denominator, blockTimeSec: 12 };
    const parent = {
      baseFeePerGas: BigInt(v.baseFee),
      gasUsed: BigInt(v.gasUsed),
      gasLimit: BigInt(v.gasLimit),
    };
    expect(nextBaseFee(parent, rule)).toBe(BigInt(v.expected));
  });

  it.each(baseFeeCases().map((each) => [each.id, each] as const))(
    'is the same since Amsterdam (%s)',
    (_, { parent, baseFeePerGas }) => {
      const before = {
        baseFeePerGas: BigInt(parent.baseFeePerGas),
        gasUsed: BigInt(parent.gasUsed),
        gasLimit: BigInt(parent.gasLimit),
      };
      expect(nextBaseFee(before, ETHEREUM_FEE_RULE)).toBe(BigInt(baseFeePerGas));
    },
  );

  it('stays where a gas limit is too small to have a target', () => {
    expect(nextBaseFee({ baseFeePerGas: 7n, gasUsed: 0n, gasLimit: 0n }, ETHEREUM_FEE_RULE)).toBe(7n);
  });
});

describe('nextBaseFeeFromRatio', () => {
  it('is within 1 wei of the exact result if the limit is a multiple of the elasticity', () => {
    fc.assert(
      fc.property(block, rules, (parent, rule) => {
        const baseFeePerGas = parent.baseFeePerGas % 2n ** 53n;
        const gasLimit = parent.gasLimit * BigInt(rule.elasticity);
        const exact = nextBaseFee({ baseFeePerGas, gasUsed: parent.gasUsed, gasLimit }, rule);
        const ratio = Number(parent.gasUsed) / Number(gasLimit);
        const error = nextBaseFeeFromRatio(baseFeePerGas, ratio, rule) - exact;
        expect(error >= -1n && error <= 1n).toBe(true);
      }),
    );
  });

  it('clamps a ratio outside 0 to 1', () => {
    expect(nextBaseFeeFromRatio(1_000n, -1, ETHEREUM_FEE_RULE)).toBe(875n);
    expect(nextBaseFeeFromRatio(1_000n, 7, ETHEREUM_FEE_RULE)).toBe(1_125n);
  });
});

describe('gasUsedRatioFromBaseFees', () => {
  it('leads back to the same next base fee', () => {
    fc.assert(
      fc.property(block, rules, (parent, rule) => {
        const baseFeePerGas = parent.baseFeePerGas % 2n ** 47n;
        const gasLimit = parent.gasLimit * BigInt(rule.elasticity);
        const gasUsed = parent.gasUsed;
        const next = nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }, rule);
        const ratio = gasUsedRatioFromBaseFees(baseFeePerGas, next, rule);
        expect(nextBaseFeeFromRatio(baseFeePerGas, ratio, rule)).toBe(next);
      }),
    );
  });

  it('gives a published ratio for a real pair of mainnet blocks', () => {
    expect(gasUsedRatioFromBaseFees(15_326_666_506n, 14_425_462_084n, ETHEREUM_FEE_RULE)).toBeCloseTo(
      0.264800931,
      8,
    );
  });

  it('clamps a step that no block can cause', () => {
    expect(gasUsedRatioFromBaseFees(1_000n, 9_000n, ETHEREUM_FEE_RULE)).toBe(1);
    expect(gasUsedRatioFromBaseFees(1_000n, 1n, ETHEREUM_FEE_RULE)).toBe(0);
    expect(gasUsedRatioFromBaseFees(0n, 1n, ETHEREUM_FEE_RULE)).toBe(1);
  });
});

it.each(vectors.fake_exponential)('fakeExponential of $factor, $numerator, $denominator ($src)', (v) => {
  expect(fakeExponential(BigInt(v.factor), BigInt(v.numerator), BigInt(v.denominator))).toBe(
    BigInt(v.expected),
  );
});

it.each(vectors.blob_base_fee_cancun)('blobBaseFee of excess $excessBlobGas is $expected wei ($src)', (v) => {
  expect(blobBaseFee(BigInt(v.excessBlobGas), Number(v.updateFraction))).toBe(BigInt(v.expected));
});
