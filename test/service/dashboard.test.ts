import { expect, test } from 'vitest';
import { GasRecommendation, GasTrend } from '../../src/contract/advice.ts';
import { RateLimits, StatsChart, StatsCurrent, StatsMarket, Summary } from '../../src/contract/dashboard.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { createOpenGate } from '../../src/service/http/auth.ts';
import { BLOCK_ZERO_TIME, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, readyService, runService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const readSummary = async (service: RunningService) => Summary.parse(await service.read(PATHS.summary));
const readChart = async (service: RunningService, timeFrame: string) =>
  StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=${timeFrame}`));

test('the summary is of the same block as the snapshot and the recommendation, and tells each node', async () => {
  const source = new ScriptedSource(makeBlocks(900, 999));
  source.clock = (makeBlock(999).timestamp + 7) * 1_000;
  const service = await readyService({
    source,
    priceFeed: fixedPrice(2_000),
    process: 'gastop serve, process 4711',
  });
  await waitFor(async () => (await readSummary(service)).health.engine !== null);
  const current = await service.current();
  const advice = GasRecommendation.parse(await service.read(PATHS.gasRecommendation));
  expect(await readSummary(service)).toEqual({
    alerts: { total: 0, pending: 0, disabled: 0, fired24h: 0 },
    autoTxs: { total: 0, byStatus: {} },
    savings: {
      savedWei: '0',
      savedUsd: 0,
      events: 0,
      alerts: { savedWei: '0', savedUsd: 0 },
      autoTxs: { savedWei: '0', savedUsd: 0 },
    },
    gas: {
      low: current.lowPrice,
      average: current.averagePrice,
      high: current.highPrice,
      base: current.basePrice,
    },
    recommendation: {
      action: advice.action,
      targetPrice: advice.targetPrice,
      probability: advice.probability,
    },
    health: {
      source: {
        kind: 'rpc',
        name: 'scripted',
        problem: null,
        ended: false,
        chainName: expect.any(String),
        restartedAt: null,
      },
      stale: false,
      headAgeSec: 7,
      lagBlocks: 0,
      nodes: [{ name: '127.0.0.1:8545', state: 'ok', head: 999, latencyMs: null, message: 'ok', notes: [] }],
      engine: {
        process: 'gastop serve, process 4711',
        isHere: true,
        since: expect.any(String),
        heartbeatAt: expect.any(String),
      },
    },
  });
});

test('one word is one figure: the price and the priority fee of a block are the same wherever they stand', async () => {
  const service = await readyService({ source: new ScriptedSource(makeBlocks(900, 999)) });
  const current = await service.current();
  const { averagePrice, priorityPrice } = current;
  const { snapshot, trend } = StatsCurrent.parse(await service.read(PATHS.statsCurrent));
  expect(snapshot).toMatchObject({ blockNumber: current.blockNumber, averagePrice, priorityPrice });
  expect([trend.priority.now, GasTrend.parse(await service.read(PATHS.gasTrend)).priority.now]).toEqual([
    priorityPrice,
    priorityPrice,
  ]);
  expect((await readSummary(service)).gas.average).toBe(averagePrice);
  for (const timeFrame of ['1h', '24h', '7d', '30d']) {
    const path = `${PATHS.statsMarket}?timeFrame=${timeFrame}`;
    expect(StatsMarket.parse(await service.read(path)).average.now).toBe(averagePrice);
  }
  const point = await waitFor(async () => {
    const { points } = await readChart(service, '1h');
    const last = points.at(-1);
    return last?.timestamp === current.blockTimestamp && last;
  });
  const { lowPrice: low, highPrice: high } = current;
  expect(point).toMatchObject({ low, average: averagePrice, high });
});

test('the summary says how far the service is behind its best node, and when nothing comes any more', async () => {
  const source = new ScriptedSource(makeBlocks(900, 999));
  const service = await readyService({ source, priceFeed: fixedPrice(null) });
  // Told of a gap only: the node is ahead of what was digested.
  source.jump(...makeBlocks(1_000, 1_002));
  expect((await readSummary(service)).health).toMatchObject({ lagBlocks: 3, stale: false });
  source.isReachable = false;
  source.emit({ type: 'down', reason: '127.0.0.1:8545 does not answer', retryAt: Date.now() + 1_000 });
  await waitFor(async () => (await readSummary(service)).health.stale);
  expect((await readSummary(service)).health).toMatchObject({
    lagBlocks: 0,
    source: { problem: { message: '127.0.0.1:8545 does not answer' } },
    nodes: [{ state: 'down', head: null }],
  });
});

test('the chart tells what the coin cost then, where that was known, and the market its change', async () => {
  const source = new ScriptedSource(makeBlocks(900, 999));
  source.clock = (makeBlock(999).timestamp + 7) * 1_000;
  const service = await readyService({ source, priceFeed: fixedPrice(2_000) });
  await waitFor(async () => (await service.current()).nativeUsd === 2_000);
  source.clock = (makeBlock(1_000).timestamp + 1) * 1_000;
  source.mine(makeBlock(1_000));
  const prices = async () => {
    const { points } = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=1h`));
    return [points.at(-2)?.nativeUsd, points.at(-1)?.nativeUsd];
  };
  await waitFor(async () => (await prices())[1] === 2_000);
  expect(await prices()).toEqual([null, 2_000]);
  const market = StatsMarket.parse(await service.read(`${PATHS.statsMarket}?timeFrame=1h`));
  expect(market).toMatchObject({ nativeUsd: 2_000, nativeUsdChangeRatio: null });
});

test('rate limits of the embedded service: none, and what was asked today; asking for them does not count', async () => {
  const now = Date.UTC(2026, 5, 30, 23, 59, 58);
  const service = await readyService({
    source: new ScriptedSource(makeBlocks(0, 99)),
    gate: createOpenGate(() => now),
  });
  const read = async () => RateLimits.parse(await service.read(PATHS.rateLimits));
  const before = await read();
  expect(before).toEqual({
    plan: 'embedded',
    dailyLimit: null,
    usedToday: 0,
    remainingToday: null,
    resetsAt: '2026-07-01T00:00:00.000Z',
    perSecond: null,
  });
  await service.read(PATHS.gasCurrent);
  await service.read(PATHS.gasTrend);
  await read();
  expect((await read()).usedToday).toBe(2);
});

test('the chart marks a spike, a dip and a change of level at their times', async () => {
  const level = (number: number) => {
    if (number >= 400 && number < 405) return 9;
    if (number >= 800 && number < 805) return 0.2;
    return number < 1_100 ? 1 : 4;
  };
  const timeOf = (number: number) => BLOCK_ZERO_TIME + number * 60;
  const blocks = makeBlocks(0, 1_439).map((block) => ({
    ...block,
    timestamp: timeOf(block.number),
    baseFeePerGas: BigInt(Math.round(level(block.number) * 1e9 * (1 + 0.02 * Math.sin(block.number)))),
  }));
  const service = await runService({ source: new ScriptedSource(blocks), historySec: 86_400 });
  await waitFor(async () => (await readChart(service, '24h')).points.length >= 288);
  const { anomalies, points } = await readChart(service, '24h');
  const at = (number: number) => new Date(timeOf(number) * 1_000).toISOString();
  // A spike is its highest block, a dip its lowest, a new level its first bucket.
  const feeOf = (number: number) => Number(blocks[number]?.baseFeePerGas);
  const of = (first: number) => [0, 1, 2, 3, 4].map((place) => first + place);
  const highest = of(400).toSorted((a, b) => feeOf(b) - feeOf(a))[0] ?? 0;
  const lowest = of(800).toSorted((a, b) => feeOf(a) - feeOf(b))[0] ?? 0;
  expect(anomalies.map(({ timestamp, kind, value }) => [timestamp, kind, value])).toEqual([
    [at(highest), 'SPIKE', feeOf(highest)],
    [at(lowest), 'ANOMALY', feeOf(lowest)],
    [at(1_100), 'REGIME_SHIFT', points.find(({ timestamp }) => timestamp === at(1_100))?.base],
  ]);
});

test('a spike has one time and one value in every time frame, those of its highest block', async () => {
  // Each grows over a few minutes; the peaks are before, on and after the ends of buckets of 5 min, 30 min and 2 h.
  const peaks = [5_000, 5_170, 5_279, 5_400];
  const distance = (number: number) => Math.min(...peaks.map((peak) => Math.abs(number - peak)));
  const fee = (number: number) =>
    1 + 0.05 * Math.sin(number / 7) + (40 + number / 1e3) * 0.4 ** distance(number);
  const blocks = makeBlocks(0, 5_600).map((block) => ({
    ...block,
    timestamp: BLOCK_ZERO_TIME + block.number * 60,
    baseFeePerGas: BigInt(Math.round(fee(block.number) * 1e9)),
  }));
  const service = await runService({ source: new ScriptedSource(blocks), historySec: 30 * 86_400 });
  await waitFor(async () => (await readChart(service, '30d')).points.length >= 46);
  const isoOf = (number: number) => new Date((BLOCK_ZERO_TIME + number * 60) * 1_000).toISOString();
  const expected = peaks.map((peak) => [isoOf(peak), Number(blocks[peak]?.baseFeePerGas)]);
  for (const timeFrame of ['24h', '7d', '30d']) {
    const { anomalies } = await readChart(service, timeFrame);
    const spikes = anomalies.filter(({ kind }) => kind === 'SPIKE');
    const found = spikes.map(({ timestamp, value }) => [timestamp, value]);
    // A longer time frame marks fewer of them, judged by it, and of several in one of its buckets the highest.
    if (timeFrame === '24h') expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(1);
    expect(expected).toEqual(expect.arrayContaining(found));
  }
  // The metrics, which `history` shows, have that block, too.
  for (const [from, value] of expected) {
    const query = `from=${from}&to=${new Date(Date.parse(String(from)) + 1_000).toISOString()}&bucket=block`;
    const { data } = (await service.read(`${PATHS.baseFee}?${query}`)) as { data: { max: number }[] };
    expect(data.map(({ max }) => max)).toEqual([value]);
  }
});
