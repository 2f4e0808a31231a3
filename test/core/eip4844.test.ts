import { describe, expect, it } from 'vitest';
import { blobBaseFee, fakeExponential } from '../../src/core/eip4844.ts';
import vectors from '../fixtures/vectors/eip1559_eip4844_vectors.json' with { type: 'json' };

describe('fakeExponential', () => {
  it.each(vectors.fake_exponential)('of $factor, $numerator, $denominator is $expected ($src)', (v) => {
    expect(fakeExponential(BigInt(v.factor), BigInt(v.numerator), BigInt(v.denominator))).toBe(
      BigInt(v.expected),
    );
  });
});

describe('blobBaseFee', () => {
  it.each(vectors.blob_base_fee_cancun)('of excess $excessBlobGas is $expected wei ($src)', (v) => {
    expect(blobBaseFee(BigInt(v.excessBlobGas), BigInt(v.updateFraction))).toBe(BigInt(v.expected));
  });
});
