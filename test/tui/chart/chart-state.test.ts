import { describe, expect, it } from 'vitest';
import { chartReducer, INITIAL_CHART_STATE } from '../../../src/tui/panes/chart/chart-state.ts';

const walk = (type: 'next-time-frame' | 'next-percentile', steps: number) =>
  Array.from({ length: steps }).reduce<(typeof INITIAL_CHART_STATE)[]>(
    (states) => [...states, chartReducer(states.at(-1) ?? INITIAL_CHART_STATE, { type })],
    [INITIAL_CHART_STATE],
  );

describe('chartReducer', () => {
  it('walks through the time frames and begins again', () => {
    expect(walk('next-time-frame', 4).map(({ timeFrame }) => timeFrame)).toEqual([
      '1h',
      '24h',
      '7d',
      '30d',
      '1h',
    ]);
  });

  it('walks through the percentiles from p50 to p99 and begins again', () => {
    expect(walk('next-percentile', 5).map(({ percentile }) => percentile)).toEqual([
      'p50',
      'p75',
      'p90',
      'p95',
      'p99',
      'p50',
    ]);
  });

  it('keeps the moment under the cursor through other choices', () => {
    const at = chartReducer(INITIAL_CHART_STATE, { type: 'move-cursor', to: 42 });
    const later = chartReducer(chartReducer(at, { type: 'next-time-frame' }), { type: 'toggle-compare' });
    expect(later).toMatchObject({ cursor: 42, timeFrame: '24h', compare: true });
    expect(chartReducer(later, { type: 'toggle-heatmap' }).heatmap).toBe(true);
  });
});
