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

  it('give the trend whole', async () => {
    const summary = { now: 7n, min: 7n, p25: 8n, median: 9n, p75: 10n, max: 11n };
    expect(await clientOf(own.OWN_TREND).gasTrend()).toEqual({
      direction: 'FALLING',
      changeRatio: -0.02,
      base: summary,
      priority: summary,
      percentileRank24h: 0.5,
      congestion: 1,
      baseFeeFan: [{ blocksAhead: 1, min: 7n, expected: 7n, max: 7n }],
      updatedAt: own.OWN_TIME,
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

  it('give the chart whole', async () => {
    expect(await clientOf(own.OWN_CHART).statsChart('24h')).toEqual({
      timeFrame: '24h',
      bucketSec: 300,
      points: [
        { timestamp: own.OWN_TIME, base: 7, priority: null, low: 8, average: 9, high: 10, gasUsedRatio: 0.5 },
      ],
      anomalies: [{ timestamp: own.OWN_TIME, kind: 'SPIKE', value: 11 }],
      events: [{ timestamp: own.OWN_TIME, kind: 'ALERT', id: 'a1' }],
    });
  });

  it('give the market whole', async () => {
    const { actions, ...same } = own.OWN_MARKET;
    expect(await clientOf(own.OWN_MARKET).statsMarket('24h')).toEqual({
      ...same,
      from: own.OWN_TIME,
      actions: actions.map(({ name, gas, dataFeeReason, ...costs }) => ({
        name,
        gas,
        dataFeeReason,
        ...Object.fromEntries(
          Object.entries(costs).map(([which, cost]) => [
            which,
            cost && { wei: BigInt(cost.wei), usd: cost.usd },
          ]),
        ),
      })),
    });
  });

  it('give a page of metrics whole', async () => {
    const page = {
      chainId: 31_337,
      from: own.OWN_TIME,
      to: own.OWN_TIME,
      bucket: 'block',
      page: 0,
      size: 100,
      total: 1,
    };
    const head = { timestamp: own.OWN_TIME, blockNumber: 12 };
    expect(await clientOf(own.OWN_BASE_FEE).baseFee()).toEqual({
      ...page,
      rows: [{ ...head, open: 7, min: 7, mean: 8, max: 9, close: 9 }],
    });
    expect(await clientOf(own.OWN_PRIORITY_FEE).priorityFee()).toEqual({
      ...page,
      rows: [{ ...head, value: 2 }],
    });
    expect(await clientOf(own.OWN_GAS_USED_RATIO).gasUsedRatio()).toEqual({
      ...page,
      rows: [{ ...head, mean: 0.5, max: 1 }],
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
