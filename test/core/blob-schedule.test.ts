import { expect, it } from 'vitest';
import { blobParamsAt } from '../../src/core/eip4844.ts';

const at = (iso: string) => Date.parse(iso) / 1_000;

it('gives mainnet’s blob parameters from the first slot of each fork on', () => {
  const forks: [time: string, target: number, max: number, reservePrice: boolean][] = [
    ['2024-03-13T13:55:35Z', 3, 6, false],
    ['2025-05-07T10:05:11Z', 6, 9, false],
    ['2025-12-03T21:49:11Z', 6, 9, true],
    ['2025-12-09T14:21:11Z', 10, 15, true],
    ['2026-01-07T01:01:11Z', 14, 21, true],
  ];
  for (const [index, [time, target, max, reservePrice]] of forks.entries()) {
    expect(blobParamsAt(1, at(time))).toMatchObject({ target, max, reservePrice });
    const before = blobParamsAt(1, at(time) - 1);
    if (index === 0) expect(before).toBeNull();
    else expect(before).not.toMatchObject({ target, max, reservePrice });
  }
});

it('knows of no other chain', () => {
  expect(blobParamsAt(10, at('2026-06-01T00:00:00Z'))).toBeNull();
});
