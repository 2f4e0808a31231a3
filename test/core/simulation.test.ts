import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ETHEREUM_FEE_RULE, nextBaseFee } from '../../src/core/eip1559.ts';
import { BPO2_BLOBS, blobBaseFee, GAS_PER_BLOB } from '../../src/core/eip4844.ts';
import {
  blobBaseFeeOf,
  createTips,
  numberAt,
  SIMULATED_GAS_LIMIT,
  simulateDay,
  timestampOf,
} from '../../src/core/simulation.ts';
import { rounds } from '../helpers/rounds.ts';

const seeds = fc.nat(0xffff_ffff);
const days = fc.integer({ min: 0, max: 13_199 });

describe('a simulated day', () => {
  it('follows EIP-1559 to the wei between every two blocks', () => {
    fc.assert(
      fc.property(seeds, days, (seed, day) => {
        const { baseFee, gasUsed } = simulateDay(seed, day);
        const gasLimit = BigInt(SIMULATED_GAS_LIMIT);
        const wrong = Array.from(gasUsed).findIndex((gas, i) => {
          const parent = { baseFeePerGas: BigInt(baseFee[i] ?? 0), gasUsed: BigInt(gas), gasLimit };
          return (
            gas > SIMULATED_GAS_LIMIT ||
            nextBaseFee(parent, ETHEREUM_FEE_RULE) !== BigInt(baseFee[i + 1] ?? 0)
          );
        });
        expect(wrong).toBe(-1);
      }),
      { numRuns: rounds(60) },
    );
  });

  it('follows EIP-4844: each excess is one that a possible number of blobs leads to', () => {
    fc.assert(
      fc.property(seeds, days, (seed, day) => {
        const excess = Array.from(simulateDay(seed, day).excessBlobs);
        const wrong = excess.slice(0, -1).findIndex((before, i) => {
          const blobs = Math.max((excess[i + 1] ?? 0) - before + BPO2_BLOBS.target, 0);
          const next = Math.max(before + blobs - BPO2_BLOBS.target, 0);
          return blobs > BPO2_BLOBS.max || next !== excess[i + 1];
        });
        expect(wrong).toBe(-1);
        const first = excess[0] ?? 0;
        expect(blobBaseFeeOf(first)).toBe(
          blobBaseFee(BigInt(first) * GAS_PER_BLOB, BPO2_BLOBS.baseFeeUpdateFraction),
        );
      }),
      { numRuns: rounds(60) },
    );
  });

  it('ends exactly where the next day begins, for any seed', () => {
    fc.assert(
      fc.property(seeds, days, (seed, day) => {
        const [today, tomorrow] = [simulateDay(seed, day), simulateDay(seed, day + 1)];
        expect(today.baseFee.at(-1)).toBe(tomorrow.baseFee[0]);
        expect(today.excessBlobs.at(-1)).toBe(tomorrow.excessBlobs[0]);
      }),
      { numRuns: rounds(60) },
    );
  });
});

describe('simulated slots', () => {
  it('find every block again by its time', () => {
    fc.assert(
      fc.property(fc.nat(60_000_000), (number) => {
        const here = timestampOf(number);
        expect(here % 12).toBe(0);
        expect(numberAt(here)).toBe(number);
        expect(numberAt(here + 11)).toBe(number);
      }),
    );
  });

  it('begin at block 0', () => {
    expect(numberAt(0)).toBe(0);
    expect(timestampOf(0)).toBe(Date.UTC(2016, 0, 1) / 1_000);
  });
});

describe('simulated tips', () => {
  const timestamp = Date.UTC(2026, 10, 20) / 1_000;

  it('ascend from p10 to p99 in any situation', () => {
    fc.assert(
      fc.property(
        seeds,
        fc.nat(50_000_000),
        fc.double({ min: 0.001, max: 8, noNaN: true }),
        (seed, number, demand) => {
          const tips = createTips(seed)(number, timestamp, 30_000_000, demand);
          expect(tips).toEqual([...tips].sort((a, b) => (a < b ? -1 : 1)));
          expect(tips[0]).toBeGreaterThan(0n);
        },
      ),
    );
  });

  it('are zero in an empty block', () => {
    expect(createTips(1)(5, timestamp, 0, 0.5)).toEqual([0n, 0n, 0n, 0n, 0n, 0n, 0n]);
  });
});
