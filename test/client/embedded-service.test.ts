import { expect, it } from 'vitest';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { createGasClient } from '../../src/client/client.ts';
import { offeredValues } from '../../src/client/openapi.ts';
import { BUCKETS, PERCENTILES, TIME_FRAMES } from '../../src/contract/choices.ts';
import { StatsChart } from '../../src/contract/dashboard.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { PriorityFeeMetrics } from '../../src/contract/metrics.ts';
import { PATHS, V1_ROUTES } from '../../src/contract/routes.ts';
import { runService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

it('every question is answered by the real service without a socket, wei for wei', async () => {
  const service = await runService({ source: createSimulatedSource({ seed: 1 }), historySec: 3_600 });
  const client = createGasClient({ url: 'http://gastop.internal', fetch: service.fetch });
  const snapshot = await waitFor(() => client.gasCurrent(), { what: 'the first block' });
  expect(snapshot.source).toMatchObject({ kind: 'simulated', problem: null });
  // The head may move between the two questions; then both are asked again.
  await waitFor(async () => {
    const [view, same] = [
      await client.gasCurrent(),
      GasCurrent.parse(JSON.parse(await client.raw(PATHS.gasCurrent))),
    ];
    return (
      view.blockNumber === same.blockNumber &&
      view.baseFee === BigInt(same.basePrice ?? -1) &&
      view.blobBaseFee === BigInt(same.blobBasePrice ?? -1) &&
      view.lanes.fast.maxPriorityFeePerGas === BigInt(same.lanes.fast.maxPriorityFeePerGas ?? -1)
    );
  });
  expect(['RISING', 'FALLING', 'STABLE']).toContain((await client.gasTrend()).direction);
  expect(['SEND_NOW', 'WAIT', 'SET_ALERT', null]).toContain((await client.gasRecommendation()).action);
  expect((await client.statsMarket('24h')).base).not.toBeNull();
  const chart = await client.statsChart('1h');
  const chartWire = StatsChart.parse(JSON.parse(await client.raw(PATHS.statsChart, { timeFrame: '1h' })));
  expect(chart.points.length).toBeGreaterThan(0);
  expect(chart.points[0]?.base).toBe(chartWire.points[0]?.base);

  await waitFor(async () => (await client.baseFee({ bucket: 'block', size: 5 })).rows.length === 5);
  const tips = await client.priorityFee({ bucket: 'block', size: 5, percentile: 'p10' });
  const asked = { bucket: 'block', size: '5', percentile: 'p10' };
  const tipsWire = PriorityFeeMetrics.parse(JSON.parse(await client.raw(PATHS.priorityFee, asked)));
  const byBlock = new Map(tipsWire.data.map((row) => [row.blockNumber, row.value]));
  const shared = tips.rows.filter((row) => byBlock.has(row.blockNumber ?? -1));
  expect(shared.length).toBeGreaterThan(0);
  for (const row of shared) expect(row.value).toBe(byBlock.get(row.blockNumber ?? -1));
  expect((await client.gasUsedRatio({ bucket: '5m' })).rows.length).toBeGreaterThan(0);

  const description = await client.description();
  for (const { path, method } of V1_ROUTES) {
    expect(description?.routes).toContainEqual(expect.objectContaining({ path, method }));
  }
  expect(offeredValues(description, PATHS.statsChart, 'timeFrame')).toEqual(TIME_FRAMES);
  expect(offeredValues(description, PATHS.priorityFee, 'percentile')).toEqual(PERCENTILES);
  expect(offeredValues(description, PATHS.baseFee, 'bucket')).toEqual(BUCKETS);
});
