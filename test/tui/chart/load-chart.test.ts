import { describe, expect, it } from 'vitest';
import { ClientError, type ClientErrorCode } from '../../../src/client/errors.ts';
import type { MetricsQuery } from '../../../src/client/gas-client.ts';
import { fittingBucket } from '../../../src/contract/choices.ts';
import { loadChart } from '../../../src/tui/panes/chart/chart-data.ts';
import { fakeGas, HOUR } from '../fake-gas.ts';

const request = {
  ...{ timeFrame: '1h', percentile: 'p95', compare: true, blockTimeSec: 12 },
} as const;
const first = HOUR.points[0]?.timestamp ?? 0;
const last = HOUR.points.at(-1)?.timestamp ?? 0;
const refusal = (code: ClientErrorCode) =>
  new ClientError(code, `refused with ${code}`, { endpoint: '/metrics/base-fee' });

function windows() {
  const asked: MetricsQuery[] = [];
  const answer = async (query: MetricsQuery = {}) => {
    asked.push(query);
    const rows = [0, 1, 2].map((blockNumber) => ({
      timestamp: first + blockNumber * 1_000,
      blockNumber,
      ...{ value: 1, open: 1, min: 1, mean: 1, max: 1, close: 1 },
    }));
    return { chainId: 1, from: null, to: null, bucket: 'block', page: 0, size: 3, total: 3, rows };
  };
  return { asked, client: fakeGas({ priorityFee: answer, baseFee: answer }) };
}

describe('loadChart', () => {
  it('asks for tips of the shown window and base fees of the window before, by the time of the data', async () => {
    const { asked, client } = windows();
    await loadChart(client, request, {});
    expect(asked).toEqual([
      { from: first, to: last + 12_000, bucket: 'block', percentile: 'p95' },
      { from: first - 3_600_000, to: last + 12_000 - 3_600_000, bucket: 'block' },
    ]);
  });

  it('says how much history it takes when there is no window before', async () => {
    const baseFee = () => Promise.reject(refusal('invalid'));
    const { previous } = await loadChart(fakeGas({ baseFee }), request, {});
    expect(previous?.problem).toBe('two windows of 1h need 2h of history');
  });

  it('goes on without the tips when the service has none', async () => {
    const priorityFee = () => Promise.reject(refusal('not-found'));
    const { tips, chart } = await loadChart(fakeGas({ priorityFee }), request, {});
    expect(tips).toEqual({ rows: [], problem: 'refused with not-found' });
    expect(chart).toEqual({ ...HOUR, made: null, problem: null });
  });

  it('fails as a whole when the service does not answer, so that it is asked again', async () => {
    const priorityFee = () => Promise.reject(refusal('unreachable'));
    await expect(loadChart(fakeGas({ priorityFee }), request, {})).rejects.toThrow(
      'refused with unreachable',
    );
  });

  it('asks nothing more of a service without history', async () => {
    const { asked, client } = windows();
    const chart = async () => ({ ...HOUR, points: [], made: null, problem: null });
    await loadChart({ ...client, chart }, request, {});
    expect(asked).toEqual([]);
  });
});

it('loadChart of longer frames asks for the extremes of the blocks behind the points', async () => {
  const { asked, client } = windows();
  const chart = async () => ({ ...HOUR, timeFrame: '24h', bucketSec: 300, made: null, problem: null });
  const answer = await loadChart({ ...client, chart }, { ...request, timeFrame: '24h', compare: false }, {});
  expect(asked.map(({ bucket }) => bucket)).toEqual(['block', 'block']);
  expect(answer.ranges).toHaveLength(3);
});

it.each([
  ['24h', 300, '5m', 86_400],
  ['7d', 1_800, '1h', 7 * 86_400],
  ['30d', 7_200, '1h', 30 * 86_400],
] as const)(
  'loadChart of %s finds the minute of the lowest and the highest block',
  async (timeFrame, bucketSec, bucket, sec) => {
    const minute = 60_000;
    const points = [sec, 0].map((before) => {
      return { ...HOUR.points[0], timestamp: last - before * 1_000, base: 5 } as (typeof HOUR.points)[number];
    });
    const baseFee = async (query: MetricsQuery = {}) => {
      const row = (timestamp: number, min: number, max: number) => {
        return { timestamp, blockNumber: 1, open: 5, min, mean: 5, max, close: 5 };
      };
      const start = Number(query.from);
      const rows =
        query.bucket === bucket
          ? [row(last - 20 * 3_600_000, 1, 6), row(last - 10 * 3_600_000, 4, 9)]
          : [row(start, 4, 6), row(start + 2 * minute, 1, 9), row(start + 3 * minute, 4, 6)];
      return { chainId: 1, from: null, to: null, bucket, page: 0, size: 3, total: 3, rows };
    };
    const chart = async () => ({ ...HOUR, timeFrame, bucketSec, points, made: null, problem: null });
    const options = { ...request, timeFrame, compare: false };
    const { extremes } = await loadChart({ ...fakeGas({ baseFee }), chart }, options, {});
    expect(extremes).toEqual({
      lowest: { value: 1, timestamp: last - 20 * 3_600_000 + 2 * minute },
      highest: { value: 9, timestamp: last - 10 * 3_600_000 + 2 * minute },
    });
  },
);

it('fittingBucket shows blocks as long as one answer holds them', () => {
  expect(fittingBucket(3_600, 12)).toBe('block');
  expect(fittingBucket(3_600, 0.25)).toBe('1m');
  expect(fittingBucket(3_600, null)).toBe('1m');
  expect(fittingBucket(86_400, 12)).toBe('5m');
  expect(fittingBucket(7 * 86_400, 12)).toBe('1h');
  expect(fittingBucket(30 * 86_400, 12)).toBe('1h');
});
