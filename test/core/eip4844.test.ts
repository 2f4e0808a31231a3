import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BPO1_BLOBS,
  BPO2_BLOBS,
  blobBaseFee,
  CANCUN_BLOBS,
  fakeExponential,
  GAS_PER_BLOB,
  nextExcessBlobGas,
  PRAGUE_BLOBS,
} from '../../src/core/eip4844.ts';
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
    expect(blobBaseFee(BigInt(v.excessBlobGas), { updateFraction: BigInt(v.updateFraction) })).toBe(
      BigInt(v.expected),
    );
  });

  it('changes by at most 1/8 in one block under every fork, as the update fractions were chosen for', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(CANCUN_BLOBS, PRAGUE_BLOBS, BPO1_BLOBS, BPO2_BLOBS),
        fc.bigInt({ min: 50_000_000n, max: 300_000_000n }),
        (params, excessBlobGas) => {
          const blobGasUsed = BigInt(params.max) * GAS_PER_BLOB;
          const next = nextExcessBlobGas({ excessBlobGas, blobGasUsed, baseFeePerGas: 0n }, params);
          const ratio = Number(blobBaseFee(next, params)) / Number(blobBaseFee(excessBlobGas, params));
          expect(ratio).toBeLessThan(1.126);
        },
      ),
    );
  });
});

describe('nextExcessBlobGas', () => {
  it.each(vectors.excess_blob_gas_cancun)(
    'under Cancun from $parentExcess with $blobs blobs is $expected ($src)',
    (v) => {
      const parent = {
        excessBlobGas: BigInt(v.parentExcess),
        blobGasUsed: BigInt(v.blobs) * GAS_PER_BLOB,
        baseFeePerGas: 1_000_000_000n,
      };
      expect(nextExcessBlobGas(parent, { ...CANCUN_BLOBS, target: v.targetBlobs })).toBe(BigInt(v.expected));
    },
  );

  it.each(vectors.excess_blob_gas_osaka_eip7918)(
    'under EIP-7918 from $parentExcess at $parentBaseFee wei is $expectedExcess ($src)',
    (v) => {
      const parent = {
        excessBlobGas: BigInt(v.parentExcess),
        blobGasUsed: BigInt(v.parentBlobGasUsed),
        baseFeePerGas: BigInt(v.parentBaseFee),
      };
      const { target, max, updateFraction } = v.blobSchedule;
      const params = { target, max, updateFraction: BigInt(updateFraction), reservePrice: true };
      expect(nextExcessBlobGas(parent, params)).toBe(BigInt(v.expectedExcess));
    },
  );
});
