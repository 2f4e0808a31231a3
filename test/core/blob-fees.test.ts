import { describe, expect, it } from 'vitest';
import { blobBaseFee, nextBlobBaseFee, nextExcessBlobGas } from '../../src/core/eip4844.ts';
import { blobFeeCases, blobSequences } from './support/amsterdam.ts';

/** When the reserve price (EIP-7918) came to mainnet. */
const OSAKA_AT = 1_764_798_551;

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
      const fee = blobBaseFee(excess, schedule.baseFeeUpdateFraction);
      expect([id, Number(excess), fee.toString()]).toEqual([
        id,
        expected.excessBlobGas,
        expected.blobBaseFee,
      ]);
      if (rule === 'eip7918') expect(nextBlobBaseFee(before, schedule)).toBe(fee);
    }
  });

  it('leads from block to block over the forks of mainnet, at their real times', () => {
    const schedules = new Map([
      ['prague', { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }],
      ['bpo1', { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 }],
      ['bpo2', { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 }],
    ]);
    const sequences = blobSequences();
    expect(sequences.length).toBeGreaterThan(2);
    for (const { id, blocks } of sequences) {
      for (const [place, block] of blocks.entries()) {
        const parent = blocks[place - 1];
        const schedule = schedules.get(block.schedule);
        if (parent === undefined || schedule === undefined) continue;
        const before = {
          baseFeePerGas: BigInt(parent.baseFeePerGas),
          blobGasUsed: BigInt(parent.blobGasUsed),
          excessBlobGas: BigInt(parent.excessBlobGas),
        };
        const excess = nextExcessBlobGas(before, schedule, block.timestamp >= OSAKA_AT);
        const fee = blobBaseFee(excess, schedule.baseFeeUpdateFraction);
        expect([id, place, Number(excess), fee.toString()]).toEqual([
          ...[id, place, block.excessBlobGas, block.blobBaseFee],
        ]);
      }
    }
  });
});
