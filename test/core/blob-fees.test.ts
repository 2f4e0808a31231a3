import { describe, expect, it } from 'vitest';
import { blobBaseFee, nextBlobBaseFee, nextExcessBlobGas } from '../../src/core/eip4844.ts';
import { blobFeeCases } from './support/amsterdam.ts';

describe('the blob fee of the next block', () => {
  it('follows the schedule of that block in every case, over blob forks and at the reserve price', () => {
    const cases = blobFeeCases();
    expect(cases.length).toBeGreaterThan(100);
    for (const { id, parent, rule, schedule, ...expected } of cases) {
      const [baseFeePerGas, blobGasUsed, excessBlobGas] = [
        BigInt(parent.baseFeePerGas),
        BigInt(parent.blobGasUsed),
        BigInt(parent.excessBlobGas),
      ];
      const before = { baseFeePerGas, blobGasUsed, excessBlobGas };
      const excess = nextExcessBlobGas(before, schedule, rule === 'eip7918');
      const fee = blobBaseFee(excess, BigInt(schedule.baseFeeUpdateFraction));
      expect([id, Number(excess), fee.toString()]).toEqual([
        id,
        expected.excessBlobGas,
        expected.blobBaseFee,
      ]);
      if (rule === 'eip7918') expect(nextBlobBaseFee(before, schedule)).toBe(fee);
    }
  });
});
