import { expect, test } from 'vitest';
import type { z } from 'zod';
import { ErrorBody, MetricsError } from '../../src/contract/api-error.ts';
import { StatsChart, StatsCurrent, StatsMarket } from '../../src/contract/dashboard.ts';
import { BaseFeeMetrics, GasUsedRatioMetrics, PriorityFeeMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { BLOCK_ZERO_TIME, makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, readyService, runService, shareService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** A day and a bit of blocks, all of them in the history. */
const HEAD = 7_999;

const history = shareService(async (run) => {
  const service = await run({
    source: new ScriptedSource(makeBlocks(0, HEAD), { kind: 'simulated' }),
    priceFeed: fixedPrice(2_000),
  });
  await holds(service, HEAD + 1);
  return service;
});

const read = async <Schema extends z.ZodType>(schema: Schema, path: string, service = history()) =>
  schema.parse(await service.read(path));

async function holds(service: RunningService, count: number): Promise<void> {
  await service.ready;
  await waitFor(async () => {
    const response = await service.get(`${PATHS.baseFee}?from=${iso(0)}&bucket=block&page=0&size=1`);
    return response.ok && BaseFeeMetrics.parse(await response.json()).total === count;
  });
}

const iso = (block: number) => new Date((BLOCK_ZERO_TIME + block * 12) * 1_000).toISOString();

async function refused<Schema extends z.ZodType>(
  response: Response,
  status: number,
  schema: Schema,
): Promise<z.infer<Schema>> {
  expect(response.status).toBe(status);
  return schema.parse(await response.json());
}

test('the snapshot is of the head block and the parts of stats/current are of the same block', async () => {
  const service = history();
  const head = makeBlocks(HEAD, HEAD)[0];
  const current = await service.current();
  expect(current).toMatchObject({
    chainId: 1,
    blockNumber: HEAD,
    blockTimestamp: iso(HEAD),
    basePrice: Number(head?.baseFeePerGas),
    blobBasePrice: 1,
    gasUsedRatio: head?.gasUsedRatio,
    updateFrequencySec: 12,
    stale: false,
    nativeUsd: 2_000,
    source: { kind: 'simulated', name: 'scripted', problem: null, ended: false },
  });
  expect(current.lowPrice).toBe(current.lanes.slow.price);
  const { averagePrice, nextBasePrice } = current;
  expect(current.priorityPrice).toBe(Math.max(Number(averagePrice) - Number(nextBasePrice), 0));
  const stats = await read(StatsCurrent, PATHS.statsCurrent);
  expect(stats.snapshot).toEqual(current);
  expect(stats.recommendation).toEqual(await service.read(PATHS.gasRecommendation));
  expect(stats.trend).toEqual(await service.read(PATHS.gasTrend));
});

test('metrics give the last hour by default, block by block, in pages that join to the whole', async () => {
  const blocks = makeBlocks(HEAD - 299, HEAD);
  const rows = [];
  for (let page = 0; page < 3; page += 1) {
    const answer = await read(BaseFeeMetrics, `${PATHS.baseFee}?page=${page}&size=120`);
    expect(answer).toMatchObject({ chainId: 1, bucket: 'block', page, size: 120, total: 300 });
    rows.push(...answer.data);
  }
  expect(rows.map((row) => row.blockNumber)).toEqual(blocks.map((block) => block.number));
  expect(rows.map((row) => row.mean)).toEqual(blocks.map((block) => Number(block.baseFeePerGas)));
  const beyond = await read(BaseFeeMetrics, `${PATHS.baseFee}?page=3&size=120`);
  expect(beyond).toMatchObject({ total: 300, data: [] });
});

test('buckets hold what the blocks of their time give', async () => {
  const window = `from=${iso(3_000)}&to=${iso(3_299)}`;
  const blocks = makeBlocks(3_000, 3_299);
  const fees = blocks.map((block) => Number(block.baseFeePerGas));
  const mean = (values: number[]) =>
    Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
  const base = await read(BaseFeeMetrics, `${PATHS.baseFee}?${window}&bucket=1h`);
  expect(base.data).toEqual([
    {
      timestamp: iso(3_000),
      blockNumber: 3_299,
      open: fees[0],
      min: Math.min(...fees),
      mean: mean(fees),
      max: Math.max(...fees),
      close: fees.at(-1),
    },
  ]);
  const tips = await read(PriorityFeeMetrics, `${PATHS.priorityFee}?${window}&bucket=1h&percentile=p95`);
  expect(tips.data.map((row) => row.value)).toEqual([mean(blocks.map((block) => Number(block.tips?.[5])))]);
  const ratios = await read(GasUsedRatioMetrics, `${PATHS.gasUsedRatio}?${window}&bucket=1h`);
  expect(ratios.data[0]?.max).toBe(Math.max(...blocks.map((block) => block.gasUsedRatio)));
});

test('a bucket that was not asked for fits the window', async () => {
  const bucketOf = async (from: number) =>
    (await read(BaseFeeMetrics, `${PATHS.baseFee}?from=${iso(from)}`)).bucket;
  expect(await bucketOf(HEAD - 299)).toBe('block');
  expect(await bucketOf(HEAD - 1_800)).toBe('1m');
  expect(await bucketOf(HEAD - 7_200)).toBe('5m');
});

test('without a page the whole window is there, newest included; what lies before the history is left out', async () => {
  const window = (query: string) => read(BaseFeeMetrics, `${PATHS.baseFee}?${query}`);
  const hour = await window('');
  expect(hour).toMatchObject({ bucket: 'block', total: 300, data: { length: 300 } });
  expect(hour.data.at(-1)?.blockNumber).toBe(HEAD);
  expect(await window(`from=${iso(-9_000)}`)).toMatchObject({ from: iso(0), bucket: '5m' });
  // More rows than one answer has: the newest of them, and where they begin.
  const newest = await window(`from=${iso(0)}&bucket=block`);
  expect(newest).toMatchObject({ from: iso(HEAD - 999), total: 1_000, data: { length: 1_000 } });
  expect(newest.data.at(-1)?.blockNumber).toBe(HEAD);
  const offset = encodeURIComponent(
    iso(HEAD - 99)
      .replace('.000Z', '+00:00')
      .replace('Z', '+00:00'),
  );
  expect(await window(`from=${offset}`)).toMatchObject({ from: iso(HEAD - 99), total: 100 });
});

test('each wrong parameter is named, in the error and in the envelope known of the hosted service', async () => {
  const service = history();
  const later = iso(HEAD + 10_000);
  const cases: [query: string, path: string, says: RegExp][] = [
    [`from=${iso(100)}&to=${iso(100)}`, 'from', /before to/],
    [`from=${iso(200)}&to=${iso(100)}`, 'from', /before to/],
    [`from=${later}`, 'from', /future/],
    [`to=${iso(-9_000)}`, 'to', /history, which begins at 2026-01-01T00:00:00/],
    ['from=yesterday', 'from', /2026-01-31T12:00:00Z/],
    ['bucket=2m', 'bucket', /must be one of block, 1m, 5m, 1h, 1d/],
    ['percentile=p33', 'percentile', /must be one of p10, p25/],
    ['size=501', 'size', /from 1 to 500/],
    ['page=1&page=2', 'page', /once/],
    ['colour=red', 'colour', /not a parameter/],
  ];
  for (const [query, path, says] of cases) {
    const response = await service.get(`${PATHS.priorityFee}?${query}`);
    const body = await refused(response, 400, MetricsError);
    expect(body.errorCode).toBe('validation_failed');
    expect(
      body.details?.map((detail) => detail.path),
      query,
    ).toEqual([path]);
    expect(body.message, query).toMatch(says);
    expect(body.data).toEqual([{ error: body.message }]);
    expect(body.chainId).toBe(1);
  }
});

test('a parameter that is a key is named by its id alone, with one ellipsis', async () => {
  const service = history();
  const secret = 'Qx7'.repeat(14);
  const asked = await service.get(`${PATHS.gasCurrent}?gastop_0123456789_${secret}=1`);
  const body = await refused(asked, 400, ErrorBody);
  expect(body.message).toBe('gastop_0123456789_… is not a parameter of this route');
  expect(body.details).toEqual([
    { path: 'gastop_0123456789_…', message: 'is not a parameter of this route' },
  ]);
});

test('charts hold at most 500 points, in buckets that belong to their time frame', async () => {
  const service = history();
  const chart = (timeFrame: string) => read(StatsChart, `${PATHS.statsChart}?timeFrame=${timeFrame}`);
  const hour = await chart('1h');
  expect(hour.bucketSec).toBe(12);
  expect(hour.points).toHaveLength(300);
  const last = makeBlocks(HEAD, HEAD)[0];
  const current = await service.current();
  expect(hour.points.at(-1)).toEqual({
    timestamp: iso(HEAD),
    base: Number(last?.baseFeePerGas),
    priority: Number(last?.tips?.[2]),
    low: current.lowPrice,
    average: current.averagePrice,
    high: current.highPrice,
    gasUsedRatio: last?.gasUsedRatio,
    nativeUsd: null,
  });
  const shapes = [];
  for (const timeFrame of ['24h', '7d', '30d']) {
    const { bucketSec, points } = await chart(timeFrame);
    shapes.push({ timeFrame, bucketSec, points: points.length });
  }
  // A window cuts the buckets at both its ends. The whole history is a day and 2 h 40 min: the longer frames show what there is.
  expect(shapes).toEqual([
    { timeFrame: '24h', bucketSec: 300, points: 289 },
    { timeFrame: '7d', bucketSec: 1_800, points: 54 },
    { timeFrame: '30d', bucketSec: 7_200, points: 14 },
  ]);
});

test('an hour of a quick chain is folded until it fits', async () => {
  const blocks = makeBlocks(0, 1_799).map((block) => ({
    ...block,
    timestamp: BLOCK_ZERO_TIME + block.number * 2,
  }));
  const service = await runService({
    source: new ScriptedSource(blocks, { kind: 'simulated', chainId: 1337 }),
  });
  await waitFor(async () => {
    const chart = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=1h`));
    return chart.bucketSec === 10 && chart.points.length === 360;
  });
});

test('blocks without known tips say so instead of claiming zero', async () => {
  const blocks = makeBlocks(0, 399).map((block) => ({ ...block, tips: null }));
  const service = await readyService({ source: new ScriptedSource(blocks, { kind: 'replay' }) });
  const chart = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=1h`));
  expect(new Set(chart.points.map((point) => point.priority))).toEqual(new Set([null]));
  for (const { low, average, high } of chart.points) {
    expect(low).toBeGreaterThan(0);
    expect([low, average, high].map(Number)).toEqual(
      [low, average, high].map(Number).toSorted((a, b) => a - b),
    );
  }
  const tips = PriorityFeeMetrics.parse(await service.read(PATHS.priorityFee));
  expect(tips).toMatchObject({ total: 0, data: [] });
});

test('market figures: extremes are single blocks, usual work is priced, the heatmap has UTC hours from Monday', async () => {
  const service = history();
  const market = await read(StatsMarket, `${PATHS.statsMarket}?timeFrame=30d`);
  const fees = makeBlocks(0, HEAD).map((block) => Number(block.baseFeePerGas));
  expect(market.base).toMatchObject({ now: fees.at(-1), min: Math.min(...fees), max: Math.max(...fees) });
  const averagePrice = Number((await service.current()).averagePrice);
  const transfer = market.actions.find((action) => action.gas === 21_000);
  expect(transfer?.average.wei).toBe(String(21_000n * BigInt(averagePrice)));
  expect(transfer?.average.usd).toBeCloseTo((21_000 * averagePrice * 2_000) / 1e18, 12);
  // 1 January 2026 is a Thursday: row 3 is full, Friday has its first three hours.
  const known = market.heatmap.map((day) => day.filter((cell) => cell !== null).length);
  expect(known).toEqual([0, 0, 0, 24, 3, 0, 0]);
  const firstHour = makeBlocks(0, 299).reduce((sum, block) => sum + Number(block.baseFeePerGas), 0) / 300;
  expect(market.heatmap[3]?.[0]).toBe(Math.round(firstHour));
  expect(market.cheapestHourUtc).not.toBeNull();
});

test('HEAD answers like GET without a body; other paths are refused as JSON', async () => {
  const service = history();
  const head = await service.get(PATHS.gasCurrent, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  for (const path of ['/gas', '/gas/current/', '/gas/Current', '/metrics/block']) {
    expect((await refused(await service.get(path), 404, ErrorBody)).errorCode).toBe('not_found');
  }
  const outside = await service.fetch(new Request('http://gastop.test/'));
  expect((await refused(outside, 404, ErrorBody)).message).toContain('/be/api/v1');
});
