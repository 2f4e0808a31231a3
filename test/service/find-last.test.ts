import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLast } from '../../src/service/responses/explorer.ts';
import { rounds } from '../helpers/rounds.ts';

test('the last of a range is found, from whatever guess, asking few and none twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 50 }),
      fc.nat(20_000),
      fc.integer({ min: -1, max: 20_000 }),
      fc.integer({ min: -100, max: 30_000 }),
      async (low, length, lastOffset, guess) => {
        const high = low + length;
        const last = Math.min(low + lastOffset, high);
        const asked: number[] = [];
        const found = await findLast({ low, high, guess }, async (number) => {
          asked.push(number);
          return number <= last;
        });
        expect(found).toBe(last);
        expect(new Set(asked).size).toBe(asked.length);
        expect(asked.every((number) => number >= low && number <= high)).toBe(true);
        const off = Math.abs(last - Math.min(Math.max(guess, low), high));
        expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(off + 2)) + 3);
      },
    ),
    { numRuns: rounds(500) },
  );
});
