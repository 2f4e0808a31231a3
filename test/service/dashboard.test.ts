import { expect, test } from 'vitest';
import { RateLimits, StatsChart, StatsCurrent, StatsMarket, Summary } from '../../src/contract/dashboard.ts';
import { GasRecommendation, GasTrend } from '../../src/contract/gas.ts';
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
  expect(anomalies.map(({ timestamp, kind }) => [timestamp, kind])).toEqual([
    [at(400), 'SPIKE'],
    [at(800), 'ANOMALY'],
    [at(1_100), 'REGIME_SHIFT'],
  ]);
  for (const { timestamp, value } of anomalies)
    expect(points.find((point) => point.timestamp === timestamp)?.base).toBe(value);
});
