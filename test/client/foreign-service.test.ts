import { describe, expect, it } from 'vitest';
import { clientOf, failureOf, fixture, HOST } from './answering.ts';

const UNKNOWN_LANE = {
  ...{ maxFeePerGas: null, maxPriorityFeePerGas: null, withinBlocks: null, waitSec: null },
  probability: null,
};

const bare = (slow: bigint, average: bigint, fast: bigint, baseFee: bigint) => ({
  ...{ chainId: null, blockNumber: null, blockTimestamp: null, nextBaseFee: null, priorityFee: null },
  ...{
    blobBaseFee: null,
    floor: null,
    gasUsedRatio: null,
    nativeUsd: null,
    nativeUsdReason: null,
    updatedAt: null,
  },
  ...{ updateFrequencySec: null, stale: null, baseFee },
  lanes: {
    slow: { price: slow, ...UNKNOWN_LANE },
    average: { price: average, ...UNKNOWN_LANE },
    fast: { price: fast, ...UNKNOWN_LANE },
  },
  source: {
    ...{ kind: 'service', name: HOST, problem: null, ended: false, chainName: null, restartedAt: null },
  },
});

describe('a snapshot of a service we do not run', () => {
  it('may be the six fields of the hosted service, in gwei', async () => {
    expect(await clientOf(fixture('hosted-snapshot-gwei.json')).gasCurrent()).toEqual({
      ...bare(41_200_000n, 50_700_000n, 1_352_000_000_000n, 39_800_000n),
      priorityFee: 0n,
      updatedAt: Date.UTC(2026, 0, 20, 12, 0, 3, 500),
    });
  });

  it.each([
    [0.0412, 41_200_000n],
    ['0.0412', 41_200_000n],
    [99_999, 99_999_000_000_000n],
    [100_000, 100_000n],
    ['1e-9', 1n],
    ['0.0000000004', 0n],
    ['0.0000000005', 1n],
    [' 3 ', 3_000_000_000n],
    ['.5', 500_000_000n],
  ])('has a fee whose name says no unit read by its size: %j', async (basePrice, wei) => {
    const prices = { lowPrice: 1, averagePrice: 2, highPrice: 3, basePrice };
    expect((await clientOf(prices).gasCurrent()).baseFee).toBe(wei);
  });

  const noon = Date.UTC(2026, 0, 20, 12);
  it.each([
    ...['2026-01-20T12:00:00Z', '2026-01-20T12:00:00.000000Z', '2026-01-20T12:00', '2026-01-20 12:00:00'],
    ...['2026-01-20T13:00:00+01:00', '2026-01-20T13:00:00+0100', noon, noon / 1_000, String(noon / 1_000)],
  ])('has a time in any usual form: %j', async (updatedAt) => {
    const prices = { lowPrice: 1, averagePrice: 2, highPrice: 3, basePrice: 1, updatedAt };
    expect((await clientOf(prices).gasCurrent()).updatedAt).toBe(noon);
  });

  it('may be the same in wei, as text, in an envelope', async () => {
    const view = await clientOf(fixture('hosted-snapshot-wei-strings.json')).gasCurrent();
    expect(view).toMatchObject({
      lanes: {
        slow: { price: 41_200_000n },
        average: { price: 50_700_000n },
        fast: { price: 1_352_000_000_000n },
      },
      baseFee: 39_800_000n,
      updatedAt: Date.UTC(2026, 0, 20, 12, 0, 3),
    });
  });

  it('may lie deep, spell its names otherwise and say its units in them', async () => {
    const view = await clientOf(fixture('enveloped-snapshot.json')).gasCurrent();
    expect(view).toMatchObject({
      chainId: 1,
      lanes: {
        slow: { price: 41_200_000n },
        average: { price: 50_700n },
        fast: { price: 250_000_000_000_000n },
      },
      baseFee: 7n,
      priorityFee: 1n,
      updatedAt: 1_768_910_403_000,
    });
  });

  it('that lacks a required field says which, of which answer, and shows its beginning', async () => {
    const failure = await failureOf(clientOf(fixture('snapshot-missing-average.json')).gasCurrent());
    expect(failure).toMatchObject({
      ...{ code: 'unreadable', endpoint: '/gas/current', field: 'averagePrice' },
      message: `the response of ${HOST} to /gas/current has no averagePrice`,
    });
    expect(failure.raw).toContain('"lowPrice": 12.5');
  });

  it('with a required field that makes no sense says so', async () => {
    const failure = await failureOf(
      clientOf({ lowPrice: 1, averagePrice: 2, highPrice: 3, basePrice: 'a lot' }).gasCurrent(),
    );
    expect(failure).toMatchObject({ code: 'unreadable', field: 'basePrice' });
    expect(failure.message).toContain('makes no sense');
  });

  it('full of escape sequences and impossible numbers is clean and sober when read', async () => {
    const view = await clientOf(fixture('snapshot-hostile.json')).gasCurrent();
    const sober = bare(12_000_000_000n, 13_000_000_000n, 14_000_000_000n, 11_000_000_000n);
    const problem = { message: 'line one line two three', retryAt: null };
    expect(view).toEqual({ ...sober, source: { ...sober.source, name: 'abcdefg', problem } });
  });
});

describe('other answers of a service we do not run', () => {
  it('keep a trend word that the contract does not know', async () => {
    expect(await clientOf(fixture('trend-own-words.json')).gasTrend()).toEqual({
      direction: 'sideways-ish',
      changeRatio: -0.021,
      base: { now: 50_000_000n, min: 30_000_000n, p25: null, median: null, p75: null, max: 400_000_000n },
      priority: null,
      percentileRank24h: null,
      congestion: null,
      baseFeeFan: [{ blocksAhead: 1, min: 40_000_000n, expected: 50_000_000n, max: 60_000_000n }],
      updatedAt: null,
    });
  });

  it('have a recommendation in an envelope, in other spellings', async () => {
    expect(await clientOf(fixture('recommendation-spelled.json')).gasRecommendation()).toMatchObject({
      action: 'SEND_NOW',
      lane: 'AVERAGE',
      targetPrice: 41_000_000n,
      reasons: [],
      confidence: null,
      alternatives: [],
      track: null,
    });
    expect(await clientOf({ action: 'HODL' }).gasRecommendation()).toMatchObject({ action: 'HODL' });
  });

  it.each([
    ['/gas/current', 'lowPrice', { low: 1, average: 2, high: 3, base: 1 }],
    ['/gas/trend', 'direction', { trendDirection: 'RISING' }],
    ['/gas/recommendation', 'action', { recommendation: 'WAIT' }],
  ])('are not read by unpublished names: %s has no %s', async (endpoint, field, body) => {
    const client = clientOf(body);
    const calls = [() => client.gasCurrent(), () => client.gasTrend(), () => client.gasRecommendation()];
    const failures = await Promise.all(calls.map((call) => failureOf(call())));
    expect(failures.find((failure) => failure.endpoint === endpoint)).toMatchObject({
      code: 'unreadable',
      field,
    });
  });

  it('have charts with holes, out of order: the sound points are kept, in order', async () => {
    const chart = await clientOf(fixture('chart-holes.json')).statsChart('1h');
    const prices = { priority: null, low: null, average: null, high: null };
    const hole = { ...prices, gasUsedRatio: null, nativeUsd: null };
    expect(chart).toEqual({
      ...{ timeFrame: '1h', bucketSec: null, anomalies: [], events: [] },
      points: [
        { ...hole, timestamp: 1_768_910_400_000, base: 40_000_000, priority: 1_000_000 },
        { ...hole, timestamp: 1_768_911_000_000, base: 50_000_000, gasUsedRatio: 0.5 },
      ],
    });
  });

  it('have a chart of which nothing can be read: the first point says why', async () => {
    const failure = await failureOf(clientOf({ points: [{ base: 3 }, {}] }).statsChart('1h'));
    expect(failure).toMatchObject({ code: 'unreadable', field: 'points[0].timestamp' });
    expect(await failureOf(clientOf({ nothing: 1 }).statsChart('1h'))).toMatchObject({ field: 'points' });
    expect((await clientOf([]).statsChart('1h')).points).toEqual([]);
  });

  it('page their metrics in their own way', async () => {
    expect(await clientOf(fixture('metrics-paged.json')).baseFee()).toEqual({
      ...{ chainId: null, from: null, to: null, bucket: null, page: 2, size: 2, total: 42 },
      rows: [
        { timestamp: Date.UTC(2026, 0, 20, 12), blockNumber: 24_337_604, ...same(39_800_000) },
        { timestamp: Date.UTC(2026, 0, 20, 12, 0, 12), blockNumber: 24_337_605, ...same(40_100_000) },
      ],
    });
  });

  it('refuse a metrics window with status 200', async () => {
    const failure = await failureOf(clientOf(fixture('metrics-refused.json')).baseFee());
    expect(failure).toMatchObject({
      code: 'invalid',
      message: 'the service did not accept the request: from must be before to',
    });
  });

  it('report an error with status 200', async () => {
    const failure = await failureOf(clientOf(fixture('error-with-200.json')).gasCurrent());
    expect(failure).toMatchObject({
      code: 'server',
      message: 'the service responded with an error: Back at noon',
    });
  });

  it('give market figures in part', async () => {
    const market = await clientOf({
      data: { nativeUsd: '3,000', volatility: '0.2', heatmap: [[1]] },
    }).statsMarket('24h');
    expect(market).toMatchObject({ timeFrame: '24h', volatility: 0.2, base: null, heatmap: [], actions: [] });
  });

  it.each([
    ['web-page.html', 'web page'],
    ['broken-off.json', 'broken off'],
  ])('are not JSON at all: %s', async (name, words) => {
    const failure = await failureOf(clientOf(fixture(name)).gasCurrent());
    expect(failure.code).toBe('unreadable');
    expect(failure.message).toContain(words);
    expect(failure.raw?.length).toBeGreaterThan(10);
  });

  it('are empty', async () => {
    expect((await failureOf(clientOf('').gasTrend())).message).toContain('with nothing');
    for (const body of [null, 7, 'text', [], [1, 2], {}, { data: null }, { data: { data: { data: {} } } }])
      expect(await failureOf(clientOf(JSON.stringify(body)).gasCurrent())).toMatchObject({
        field: 'lowPrice',
      });
  });
});

function same(fee: number) {
  return { open: fee, min: fee, mean: fee, max: fee, close: fee };
}
