import { describe, expect, it } from 'vitest';
import { chartData } from '../../../src/tui/panes/chart/chart-data.ts';
import { chartCsv, csvName, heatmapCsv } from '../../../src/tui/panes/chart/chart-pane.tsx';
import { hourAnswer, NOON, points } from './chart-answer.ts';

it('csvName names chain, time frame and the time in UTC', () => {
  expect(csvName('Ethereum', '24h', NOON)).toBe('gastop-ethereum-24h-20260105T120000Z.csv');
  expect(csvName('OP Mainnet', '1h', NOON)).toBe('gastop-op-mainnet-1h-20260105T120000Z.csv');
  expect(csvName(null, '1h', NOON)).toBe('gastop-chain-1h-20260105T120000Z.csv');
});

describe('chartCsv', () => {
  it('writes each point with units in the header and exact gwei', () => {
    const csv = chartCsv(chartData(hourAnswer(points(2, (i) => 0.041234567 + i))));
    expect(csv.split('\n')).toEqual([
      'timestamp_utc,base_fee_gwei,base_fee_min_gwei,base_fee_max_gwei,priority_fee_p90_gwei,gas_used_ratio,marks',
      '2026-01-05T11:59:48.000Z,0.041234567,0.041234567,0.041234567,0.02,0.5,',
      '2026-01-05T12:00:00.000Z,1.041234567,1.041234567,1.041234567,0.02,0.5,',
      '',
    ]);
  });

  it('leaves holes out, and what is not known empty', () => {
    const of = points(60, () => 1)
      .filter((_, i) => i < 2 || i > 57)
      .map((point) => ({ ...point, gasUsedRatio: null }));
    const answer = hourAnswer(of, {
      tips: { rows: [], problem: 'none' },
      previous: { rows: [], problem: null },
    });
    const rows = chartCsv(chartData(answer)).trim().split('\n');
    expect(rows).toHaveLength(5);
    expect(rows[0]).toContain('base_fee_1h_before_gwei');
    expect(rows[1]).toMatch(/Z,1,1,1,,,,$/);
  });

  it("defuses a service's own words", () => {
    const answer = hourAnswer(points(2, () => 1));
    const anomalies = [{ timestamp: NOON, kind: '=cmd("x"),1', value: 1 }];
    const csv = chartCsv(chartData({ ...answer, chart: { ...answer.chart, anomalies } }));
    expect(csv).toContain(`,"'=cmd(""x""),1"`);
  });
});

it('heatmapCsv writes the 168 hours of the week', () => {
  const week = Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => (day === 6 ? null : hour)),
  );
  const rows = heatmapCsv(week).trim().split('\n');
  expect(rows).toHaveLength(169);
  expect(rows[2]).toBe('Monday,1,0.000000001');
  expect(rows[168]).toBe('Sunday,23,');
});
