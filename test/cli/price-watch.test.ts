import { describe, expect, it } from 'vitest';
import { waitPlan, watchPrice } from '../../src/cli/commands/wait.ts';
import type { LaneView, SnapshotView } from '../../src/client/views/gas.ts';

const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);
const FIVE = 5_000_000_000n;
const SOURCE: SnapshotView['source'] = {
  ...{ kind: 'rpc' as const, name: 'node', problem: null },
  ...{ ended: false, chainName: null, restartedAt: null },
};

const lane = (price: bigint): LaneView => ({
  ...{ price, maxFeePerGas: null, maxPriorityFeePerGas: null },
  ...{ withinBlocks: null, waitSec: null, probability: null },
});

function snapshot(
  price: bigint,
  blockNumber: number | null,
  change: Partial<SnapshotView> = {},
): SnapshotView {
  return {
    ...{
      chainId: 1,
      blockNumber,
      blockTimestamp: NOW - 4_000,
      baseFee: price,
      nextBaseFee: null,
      floor: null,
    },
    lanes: { slow: lane(price - 1n), average: lane(price), fast: lane(price + 1n) },
    ...{ priorityFee: null, blobBaseFee: null, gasUsedRatio: null, nativeUsd: null, nativeUsdReason: null },
    ...{ updatedAt: NOW, updateFrequencySec: 12, stale: false, source: SOURCE },
    ...change,
  };
}

type Flags = Omit<Parameters<typeof waitPlan>[0], 'below' | 'above'>;

function watching({ below, above, ...flags }: Flags & { readonly below?: bigint; readonly above?: bigint }) {
  const price = below ?? above ?? 0n;
  const threshold = { kind: 'gwei', price } as const;
  const plan = waitPlan({ ...flags, ...(above === undefined ? { below: threshold } : { above: threshold }) });
  const watch = watchPrice(plan);
  return (seen: SnapshotView, now = NOW) => {
    const { reason, inARow } = watch(seen, now, { price });
    return reason === null ? inARow : 'old';
  };
}

it.each([
  ['at most the target, to the wei', { below: FIVE }, FIVE + 1n, FIVE],
  ['at least the target', { above: FIVE }, FIVE - 1n, FIVE],
  ['a few wei', { below: 7n }, 8n, 7n],
  ['that of the lane asked for', { below: FIVE, lane: 'slow' }, FIVE + 2n, FIVE + 1n],
  ['that of the dearest lane', { below: FIVE, lane: 'fast' }, FIVE, FIVE - 1n],
] as const)('what wait takes for the price it waits for is %s', (_title, plan, before, after) => {
  const see = watching(plan);
  expect([see(snapshot(before, 1)), see(snapshot(after, 2))]).toEqual([0, 1]);
});

describe('what wait never goes by', () => {
  const problem = { message: 'node does not answer', retryAt: NOW };
  it.each<[string, Partial<SnapshotView>]>([
    ['prices that the service calls stale', { stale: true }],
    ['prices of a source that does not answer', { source: { ...SOURCE, problem } }],
    ['a block that is more than four block times old', { blockTimestamp: NOW - 49_000 }],
    ['a block of an hour ago, by a service that calls it fresh', { blockTimestamp: NOW - 3_600_000 }],
    ['an answer of an hour ago without a block', { blockTimestamp: null, updatedAt: NOW - 3_600_000 }],
    ['an answer without a time', { blockTimestamp: null, updatedAt: null }],
    ['a fast chain that stands still', { blockTimestamp: NOW - 20_000, updateFrequencySec: 0.25 }],
  ])('%s', (_title, change) => {
    expect(watching({ below: FIVE })(snapshot(1n, 9, change))).toBe('old');
  });

  it('a block that is old by the clock of the service, where ours is behind', () => {
    const late = { blockTimestamp: NOW - 58 * 60_000, updatedAt: NOW };
    expect(watching({ below: FIVE })(snapshot(1n, 9, late), NOW - 3_600_000)).toBe('old');
  });
});

describe('blocks in a row', () => {
  it('are counted by block, however often it is asked', () => {
    const see = watching({ below: FIVE });
    expect([1, 1, 1, 2, 2, 3].map((block) => see(snapshot(1n, block)))).toEqual([1, 1, 1, 2, 2, 3]);
  });

  it.each<[string, SnapshotView]>([
    ['a block that is not so', snapshot(FIVE + 1n, 3)],
    ['prices that are old', snapshot(1n, 2, { stale: true })],
    ['a reorg', snapshot(1n, 1)],
  ])('begin again after %s', (_title, between) => {
    const see = watching({ below: FIVE });
    for (const seen of [snapshot(1n, 1), snapshot(1n, 2), between]) see(seen);
    expect(see(snapshot(1n, 3))).toBeLessThan(3);
  });

  const seenOf = (numbers: readonly number[], everySec: number) => {
    const see = watching({ below: FIVE });
    return numbers.map((number) => {
      const at = NOW + number * everySec * 1_000;
      const change = { blockTimestamp: at, updatedAt: at, updateFrequencySec: everySec };
      return see(snapshot(1n, number, change), at + 1_000);
    });
  };

  it('begin again after one block that could have been seen and was not', () => {
    expect(seenOf([1, 2, 4, 5, 6], 12)).toEqual([1, 2, 1, 2, 3]);
  });

  it('are those that are seen, where they come quicker than anybody could ask', () => {
    expect(seenOf([4, 8, 12], 0.25)).toEqual([1, 2, 3]);
    expect(seenOf([4, 8, 4_000], 0.25)).toEqual([1, 2, 1]);
  });

  it('are counted of a recording however quickly it is played', () => {
    const see = watching({ below: FIVE });
    const source = { ...SOURCE, kind: 'replay' } as const;
    expect([10, 90, 400].map((block) => see(snapshot(1n, block, { source })))).toEqual([1, 2, 3]);
  });
});
