import { describe, expect, it } from 'vitest';
import type { MetricsQuery } from '../../../src/client/client.ts';
import { ClientError, type ClientErrorCode } from '../../../src/client/errors.ts';
import { fittingBucket, loadChart } from '../../../src/tui/panes/chart/chart-data.ts';
import { fakeGas, HOUR } from '../fake-gas.ts';

const request = {
  timeFrame: '1h',
  percentile: 'p95',
  compare: true,
  timeFrames: ['1h', '24h', '7d', '30d'],
  blockTimeSec: 12,
} as const;
const first = HOUR.points[0]?.timestamp ?? 0;
const last = HOUR.points.at(-1)?.timestamp ?? 0;
const refusal = (code: ClientErrorCode) =>
  new ClientError(code, `refused with ${code}`, { endpoint: '/metrics/base-fee' });

/** A service with `count` rows per window, in pages as asked for; remembers its questions. */
function paged(count: number) {
  const asked: MetricsQuery[] = [];
  const answer = async (query: MetricsQuery = {}) => {
    asked.push(query);
    const { page = 0, size = 100 } = query;
    const rows = Array.from({ length: Math.max(Math.min(count - page * size, size), 0) }, (_, i) => ({
      timestamp: first + (page * size + i) * 1_000,
      blockNumber: page * size + i,
      value: 1,
      open: 1,
      min: 1,
      mean: 1,
      max: 1,
      close: 1,
    }));
    return { chainId: 1, from: null, to: null, bucket: 'block', page, size, total: count, rows };
  };
  return { asked, client: fakeGas({ priorityFee: answer, baseFee: answer }) };
}

describe('loadChart', () => {
  it('asks for tips of the shown window and base fees of the window before, by the time of the data', async () => {
    const { asked, client } = paged(3);
    await loadChart(client, request, {});
    expect(asked).toEqual([
      { from: first, to: last + 12_000, bucket: 'block', percentile: 'p95', page: 0, size: 500 },
      { from: first - 3_600_000, to: last + 12_000 - 3_600_000, bucket: 'block', page: 0, size: 500 },
    ]);
  });

  it('reads all pages', async () => {
    const { client } = paged(1_234);
    const { tips } = await loadChart(client, request, {});
    expect(tips.rows.map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: 1_234 }, (_, i) => i),
    );
  });

  it('says how far history reaches when there is no window before', async () => {
    const baseFee = () => Promise.reject(refusal('invalid'));
    const { previous } = await loadChart(fakeGas({ baseFee }), request, {});
    expect(previous?.problem).toBe('history reaches back 59m48s, two windows of 1h need 2h');
  });

  it('begins with the second point where history begins within the first', async () => {
    const { asked, client } = paged(1);
    const priorityFee: typeof client.priorityFee = (query, options) =>
      (query?.from ?? 0) <= first ? Promise.reject(refusal('invalid')) : client.priorityFee(query, options);
    const { tips } = await loadChart({ ...client, priorityFee }, { ...request, compare: false }, {});
    expect(asked[0]?.from).toBe(HOUR.points[1]?.timestamp);
    expect(tips.problem).toBeNull();
  });

  it('goes on without the tips when the service has none', async () => {
    const priorityFee = () => Promise.reject(refusal('not-found'));
    const { tips, chart } = await loadChart(fakeGas({ priorityFee }), request, {});
    expect(tips).toEqual({ rows: [], problem: 'refused with not-found' });
    expect(chart).toBe(HOUR);
  });

  it('fails as a whole when the service does not answer, so that it is asked again', async () => {
    const priorityFee = () => Promise.reject(refusal('unreachable'));
    await expect(loadChart(fakeGas({ priorityFee }), request, {})).rejects.toThrow(
      'refused with unreachable',
    );
  });

  it('asks nothing more of a service without history', async () => {
    const { asked, client } = paged(1);
    const statsChart = async () => ({ ...HOUR, points: [] });
    await loadChart({ ...client, statsChart }, request, {});
    expect(asked).toEqual([]);
  });
});

describe('loadChart of longer frames', () => {
  it('asks for the extremes of the blocks behind the points', async () => {
    const { asked, client } = paged(3);
    const statsChart = async () => ({ ...HOUR, timeFrame: '24h', bucketSec: 300 });
    const answer = await loadChart(
      { ...client, statsChart },
      { ...request, timeFrame: '24h', compare: false },
      {},
    );
    expect(asked.map(({ bucket }) => bucket)).toEqual(['block', 'block']);
    expect(answer.ranges).toHaveLength(3);
  });
});

describe('fittingBucket', () => {
  it('shows blocks as long as two pages hold them', () => {
    expect(fittingBucket(3_600, 12)).toBe('block');
    expect(fittingBucket(3_600, 0.25)).toBe('1m');
    expect(fittingBucket(3_600, null)).toBe('1m');
    expect(fittingBucket(86_400, 12)).toBe('5m');
    expect(fittingBucket(7 * 86_400, 12)).toBe('1h');
    expect(fittingBucket(30 * 86_400, 12)).toBe('1h');
  });
});
