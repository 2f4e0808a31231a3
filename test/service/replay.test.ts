import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { openReplaySource } from '../../src/chain/replay-source.ts';
import { StatsChart, StatsMarket } from '../../src/contract/dashboard.ts';
import { BaseFeeMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { readyService, runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const FILE = fileURLToPath(
  new URL('../fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv', import.meta.url),
);

interface Row {
  readonly number: number;
  readonly timestamp: number;
  readonly base: number;
  readonly blob: number;
}

let rows: Row[] = [];

beforeAll(() => {
  const [header = '', ...lines] = readFileSync(FILE, 'utf8').trim().split('\n');
  const names = header.trim().split(',');
  const cell = (line: string, name: string) => Number(line.split(',')[names.indexOf(name)]);
  rows = lines.map((line) => ({
    number: cell(line, 'block_number'),
    timestamp: cell(line, 'timestamp'),
    base: cell(line, 'base_fee_wei'),
    blob: cell(line, 'blob_base_fee_wei'),
  }));
});

const iso = (sec: number) => new Date(sec * 1_000).toISOString();
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('2,001 recorded mainnet blocks at full speed end in the figures that the file itself gives', async () => {
  const source = await openReplaySource({ file: FILE, speed: 100_000 });
  const service = await runService({ source });
  const last = rows.at(-1);
  const head = async () => await service.current();
  await service.ready;
  await waitFor(async () => (await head()).blockNumber === last?.number);
  const window = `from=${iso(rows[0]?.timestamp ?? 0)}&bucket=block&size=500`;
  const page = async (number: number) =>
    BaseFeeMetrics.parse(await service.read(`${PATHS.baseFee}?${window}&page=${number}`));
  await waitFor(async () => (await page(0)).total === rows.length);

  // The last block comes before the word that there are no more.
  await waitFor(async () => (await head()).source.ended);
  expect(await head()).toMatchObject({
    chainId: 1,
    blockTimestamp: iso(last?.timestamp ?? 0),
    basePrice: last?.base,
    blobBasePrice: last?.blob,
    stale: false,
    source: { kind: 'replay', problem: null, ended: true },
  });

  const stored = [];
  for (let number = 0; number * 500 < rows.length; number += 1) stored.push(...(await page(number)).data);
  expect(stored.map((row) => [row.blockNumber, row.timestamp, row.mean])).toEqual(
    rows.map((row) => [row.number, iso(row.timestamp), row.base]),
  );

  const chart = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=24h`));
  const buckets = Map.groupBy(rows, (row) => row.timestamp - (row.timestamp % 300));
  expect(chart.points.map((point) => [point.timestamp, point.base])).toEqual(
    [...buckets].map(([start, members]) => [iso(start), Math.round(mean(members.map((row) => row.base)))]),
  );
  // The spike that these hours are known for, at its highest block.
  const spike = chart.anomalies.map(({ timestamp, kind, value }) => [timestamp, kind, value]);
  const night = rows.filter(({ timestamp }) => iso(timestamp) >= '2024-10-16T02:10');
  const highest = night.reduce((one, other) => (other.base > one.base ? other : one));
  expect(spike).toEqual([['2024-10-16T02:16:47.000Z', 'SPIKE', highest.base]]);

  const market = StatsMarket.parse(await service.read(`${PATHS.statsMarket}?timeFrame=24h`));
  const fees = rows.map((row) => row.base);
  expect(market.base).toMatchObject({ now: last?.base, min: Math.min(...fees), max: Math.max(...fees) });
  expect(service.errors).toEqual([]);
});

test('a recording ends only once all that lies behind its first blocks is in the history', async () => {
  const count = 2_000;
  // Nearly all of it is there from the start: the few blocks that are left are played before that is filled in.
  const dense = Array.from({ length: count }, (_, i) => {
    const timestamp = 1_729_000_000 + Math.floor(i / 20) + (i >= count - 5 ? 3_000 : 0);
    return `${20_000_000 + i},${timestamp},10000000000,1`;
  });
  const file = await temporaryFile('dense.csv');
  await writeFile(file, ['block_number,timestamp,base_fee_wei,blob_base_fee_wei', ...dense, ''].join('\n'));
  const service = await readyService({ source: await openReplaySource({ file, speed: 100_000 }) });
  await waitFor(async () => (await service.current()).source.ended);
  const window = `from=${iso(1_729_000_000)}&bucket=block&size=1`;
  const { total } = BaseFeeMetrics.parse(await service.read(`${PATHS.baseFee}?${window}`));
  expect(total).toBe(count);
});
