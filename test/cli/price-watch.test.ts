import { describe, expect, it } from 'vitest';
import { PriceWatch, waitPlan } from '../../src/cli/commands/wait.ts';
import type { LaneView, SnapshotView } from '../../src/client/views/gas.ts';

const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);

const lane = (price: bigint): LaneView => ({
  price,
  maxFeePerGas: null,
  maxPriorityFeePerGas: null,
  withinBlocks: null,
  waitSec: null,
  probability: null,
});

function snapshot(
  price: bigint,
  blockNumber: number | null,
  change: Partial<SnapshotView> = {},
): SnapshotView {
  return {
    chainId: 1,
    blockNumber,
    blockTimestamp: NOW - 4_000,
    lanes: { slow: lane(price - 1n), average: lane(price), fast: lane(price + 1n) },
    baseFee: price,
    nextBaseFee: null,
    floor: null,
    priorityFee: null,
    blobBaseFee: null,
    gasUsedRatio: null,
    nativeUsd: null,
    updatedAt: NOW,
    updateFrequencySec: 12,
    stale: false,
    source: { kind: 'rpc', name: 'node', problem: null, ended: false, chainName: null, restartedAt: null },
    ...change,
  };
}

const FIVE = 5_000_000_000n;
const kind = (watch: PriceWatch, seen: SnapshotView, now = NOW) => watch.see(seen, now).kind;

describe('what wait takes for the price it waits for', () => {
  it('is the target itself and what lies beyond, to the wei', () => {
    const below = new PriceWatch(waitPlan({ below: FIVE }));
    expect(kind(below, snapshot(FIVE + 1n, 1))).toBe('present');
    expect(kind(below, snapshot(FIVE, 2))).toBe('met');
    const above = new PriceWatch(waitPlan({ above: FIVE }));
    expect(kind(above, snapshot(FIVE - 1n, 1))).toBe('present');
    expect(kind(above, snapshot(FIVE, 2))).toBe('met');
    const fine = new PriceWatch(waitPlan({ below: 7n }));
    expect(kind(fine, snapshot(8n, 1))).toBe('present');
    expect(kind(fine, snapshot(7n, 1))).toBe('met');
  });

  it('is that of the lane asked for', () => {
    expect(kind(new PriceWatch(waitPlan({ below: FIVE, lane: 'slow' })), snapshot(FIVE + 1n, 1))).toBe('met');
    expect(kind(new PriceWatch(waitPlan({ below: FIVE, lane: 'fast' })), snapshot(FIVE, 1))).toBe('present');
  });
});

describe('what wait never goes by', () => {
  const plan = waitPlan({ below: FIVE });
  const old: [string, Partial<SnapshotView>][] = [
    ['prices that the service calls stale', { stale: true }],
    [
      'prices of a source that does not answer',
      {
        source: {
          kind: 'rpc',
          name: 'node',
          problem: { message: 'node does not answer', retryAt: NOW },
          ended: false,
          chainName: null,
          restartedAt: null,
        },
      },
    ],
    ['a block that is more than four block times old', { blockTimestamp: NOW - 49_000 }],
    ['a block of an hour ago, by a service that calls it fresh', { blockTimestamp: NOW - 3_600_000 }],
    ['an answer of an hour ago without a block', { blockTimestamp: null, updatedAt: NOW - 3_600_000 }],
    ['an answer without a time', { blockTimestamp: null, updatedAt: null }],
    ['a fast chain that stands still', { blockTimestamp: NOW - 20_000, updateFrequencySec: 0.25 }],
  ];
  it.each(old)('%s', (_title, change) => {
    expect(kind(new PriceWatch(plan), snapshot(1n, 9, change))).toBe('old');
  });

  it('a recording that is over', () => {
    const source = {
      kind: 'replay',
      name: 'x',
      problem: null,
      ended: true,
      chainName: null,
      restartedAt: null,
    } as const;
    expect(kind(new PriceWatch(plan), snapshot(1n, 9, { source }))).toBe('ended');
  });

  it('a block that is old by the clock of the service, where ours is behind', () => {
    const late = { blockTimestamp: NOW - 58 * 60_000, updatedAt: NOW };
    expect(kind(new PriceWatch(plan), snapshot(1n, 9, late), NOW - 3_600_000)).toBe('old');
  });
});

describe('blocks in a row', () => {
  const watch = () => new PriceWatch(waitPlan({ below: FIVE, confirm: 3 }));

  it('are counted by block, however often it is asked', () => {
    const seen = watch();
    const kinds = [1, 1, 1, 2, 2, 3].map((block) => kind(seen, snapshot(1n, block)));
    expect(kinds).toEqual(['present', 'present', 'present', 'present', 'present', 'met']);
  });

  it.each<[string, SnapshotView]>([
    ['a block that is not so', snapshot(FIVE + 1n, 3)],
    ['prices that are old', snapshot(1n, 2, { stale: true })],
    ['a reorg', snapshot(1n, 1)],
  ])('begin again after %s', (_title, between) => {
    const seen = watch();
    seen.see(snapshot(1n, 1), NOW);
    seen.see(snapshot(1n, 2), NOW);
    seen.see(between, NOW);
    expect(kind(seen, snapshot(1n, 3))).toBe('present');
  });

  /** What is seen of a chain with a block every `everySec` seconds: the blocks `numbers`, each when it came. */
  const seenOf = (
    numbers: readonly (number | 'nothing')[],
    everySec: number,
    frequencySec: number | null,
  ) => {
    const seen = watch();
    return numbers.map((number) => {
      if (number === 'nothing') return seen.missed();
      const at = NOW + number * everySec * 1_000;
      const change = { blockTimestamp: at, updatedAt: at, updateFrequencySec: frequencySec };
      const sight = seen.see(snapshot(1n, number, change), at + 1_000);
      return sight.kind === 'present' ? sight.inARow : sight.kind;
    });
  };

  it('begin again after one block that could have been seen and was not', () => {
    expect(seenOf([1, 2, 4, 5, 6], 12, 12)).toEqual([1, 2, 1, 2, 'met']);
  });

  it('are those that are seen, where they come quicker than anybody could ask', () => {
    expect(seenOf([4, 8, 12], 0.25, 0.25)).toEqual([1, 2, 'met']);
    expect(seenOf([4, 8, 'nothing', 12, 16, 20], 0.25, 0.25)).toEqual([1, 2, undefined, 1, 2, 'met']);
    expect(seenOf([4, 8, 4_000], 0.25, 0.25)).toEqual([1, 2, 1]);
  });

  it('are counted of a recording however quickly it is played', () => {
    const source = {
      kind: 'replay',
      name: 'x',
      problem: null,
      ended: false,
      chainName: null,
      restartedAt: null,
    } as const;
    const seen = watch();
    expect([10, 90, 400].map((block) => kind(seen, snapshot(1n, block, { source })))[2]).toBe('met');
  });
});
