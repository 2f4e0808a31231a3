import { describe, expect, it } from 'vitest';
import { clientOf } from './answering.ts';
import * as own from './own-answers.ts';

describe("our own service's answers", () => {
  it('are wei to the last wei, however small', async () => {
    const { lanes, source, ...wire } = own.OWN_SNAPSHOT;
    const { reason: _, price, maxFeePerGas, maxPriorityFeePerGas, ...same } = lanes.slow;
    const lane = { ...same, price: 9n, maxFeePerGas: 12n, maxPriorityFeePerGas: 2n };
    expect([price, maxFeePerGas, maxPriorityFeePerGas, wire.basePrice]).toEqual([9, 12, 2, 7]);
    expect(await clientOf(own.OWN_SNAPSHOT).gasCurrent()).toEqual({
      ...{
        chainId: 31_337,
        blockNumber: 12,
        gasUsedRatio: 0,
        nativeUsd: null,
        nativeUsdReason: null,
        stale: true,
      },
      ...{ blockTimestamp: own.OWN_TIME, updatedAt: own.OWN_TIME, updateFrequencySec: 12 },
      ...{ baseFee: 7n, nextBaseFee: 7n, priorityFee: 2n, floor: null, blobBaseFee: 1n },
      lanes: { slow: lane, average: lane, fast: lane },
      source: { ...source, problem: { message: 'refused', retryAt: own.OWN_TIME } },
    });
  });

  it('give the recommendation whole', async () => {
    const { validUntil, updatedAt, targetPrice, alternatives, track, reach, ...same } =
      own.OWN_RECOMMENDATION;
    expect(await clientOf(own.OWN_RECOMMENDATION).gasRecommendation()).toEqual({
      ...same,
      targetPrice: BigInt(targetPrice ?? -1),
      alternatives: alternatives.map((row) => ({ ...row, price: row.price && BigInt(row.price) })),
      track: { ...track, since: own.OWN_TIME, waits: { ...track.waits, since: own.OWN_TIME } },
      reach: { ...reach, targetPrice: BigInt(reach?.targetPrice ?? 0) },
      validUntil: Date.parse(validUntil),
      updatedAt: Date.parse(updatedAt),
    });
  });

  it('of a newer release, which says more, are still wei, and without a field read like anybody else’s', async () => {
    const newer = { ...own.OWN_SNAPSHOT, mood: 'calm', source: { ...own.OWN_SNAPSHOT.source, region: 'x' } };
    expect((await clientOf(newer).gasCurrent()).baseFee).toBe(7n);
    const older = { ...own.OWN_SNAPSHOT, gasUsedRatio: undefined, basePrice: 41_200_000 };
    expect(await clientOf(older).gasCurrent()).toMatchObject({ gasUsedRatio: null, baseFee: 41_200_000n });
  });
});
