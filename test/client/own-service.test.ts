import { describe, expect, it } from 'vitest';
import { clientOf } from './answering.ts';
import * as own from './own-answers.ts';

describe("our own service's answers", () => {
  it('are wei to the last wei, however small', async () => {
    expect(await clientOf(own.OWN_SNAPSHOT).gasCurrent()).toEqual({
      chainId: 31_337,
      blockNumber: 12,
      blockTimestamp: own.OWN_TIME,
      lanes: {
        slow: LANE,
        average: LANE,
        fast: LANE,
      },
      baseFee: 7n,
      nextBaseFee: 7n,
      priorityFee: 2n,
      floor: null,
      blobBaseFee: 1n,
      gasUsedRatio: 0,
      nativeUsd: null,
      updatedAt: own.OWN_TIME,
      updateFrequencySec: 12,
      stale: true,
      source: {
        kind: 'simulated',
        name: 'seed 1',
        problem: { message: 'refused', retryAt: own.OWN_TIME },
        ended: false,
        chainName: 'seed 1',
        restartedAt: null,
      },
    });
  });

  it('give the recommendation whole', async () => {
    const { validUntil, updatedAt, targetPrice, alternatives, track, reach, ...same } =
      own.OWN_RECOMMENDATION;
    expect(await clientOf(own.OWN_RECOMMENDATION).gasRecommendation()).toEqual({
      ...same,
      targetPrice: BigInt(targetPrice),
      alternatives: alternatives.map((row) => ({ ...row, price: row.price && BigInt(row.price) })),
      track: { ...track, since: own.OWN_TIME, waits: { ...track.waits, since: own.OWN_TIME } },
      reach: { ...reach, targetPrice: BigInt(reach?.targetPrice ?? 0) },
      validUntil: Date.parse(validUntil),
      updatedAt: Date.parse(updatedAt),
    });
  });

  it('of a newer release, which says more, are still wei', async () => {
    const newer = { ...own.OWN_SNAPSHOT, mood: 'calm', source: { ...own.OWN_SNAPSHOT.source, region: 'x' } };
    expect((await clientOf(newer).gasCurrent()).baseFee).toBe(7n);
  });

  it('that lost a field are read like anybody else’s', async () => {
    const { gasUsedRatio, ...older } = own.OWN_SNAPSHOT;
    expect(gasUsedRatio).toBe(0);
    const view = await clientOf({ ...older, basePrice: 41_200_000 }).gasCurrent();
    expect(view).toMatchObject({ gasUsedRatio: null, baseFee: 41_200_000n });
  });
});

const LANE = {
  price: 9n,
  maxFeePerGas: 12n,
  maxPriorityFeePerGas: 2n,
  withinBlocks: 3,
  waitSec: { p50: 12, p95: 24 },
  probability: null,
};
