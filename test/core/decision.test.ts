import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/decision.ts';
import type { Forecast } from '../../src/core/horizon-forecast.ts';
import { reasonsFor } from '../../src/core/reasons.ts';

const forecast = (horizonSec: number, probability: number | null, saving: number): Forecast => ({
  horizonSec,
  price: 41_200_000,
  probability,
  savingRatio: saving + 0.02,
  expectedSavingRatio: probability === null ? null : saving,
  expectedWaitSec: horizonSec / 3,
  judgedRatio: 1,
});

describe('the decision', () => {
  it('sends now while nothing is measured, however cheap it looks', () => {
    expect(decide([forecast(300, null, 0.5), forecast(86_400, null, 0.5)])).toEqual({
      action: 'SEND_NOW',
      forecast: null,
    });
  });

  it('waits from five percent at a probability of 0.8 on, and not below either', () => {
    expect(decide([forecast(900, 0.8, 0.05)]).action).toBe('WAIT');
    expect(decide([forecast(900, 0.79, 0.3)]).action).toBe('SEND_NOW');
    expect(decide([forecast(900, 0.9, 0.049)]).action).toBe('SEND_NOW');
  });

  it('waits for what saves most within the hour, of equals the sooner', () => {
    const horizons = [forecast(300, 0.9, 0.06), forecast(900, 0.85, 0.09), forecast(3_600, 0.85, 0.09)];
    expect(decide(horizons).forecast?.horizonSec).toBe(900);
  });

  it('sets an alert where only hours off pay, and then at least ten percent', () => {
    expect(decide([forecast(900, 0.9, 0.01), forecast(21_600, 0.85, 0.1)]).action).toBe('SET_ALERT');
    expect(decide([forecast(900, 0.9, 0.01), forecast(21_600, 0.85, 0.09)]).action).toBe('SEND_NOW');
    expect(decide([forecast(900, 0.9, 0.06), forecast(21_600, 0.85, 0.5)]).action).toBe('WAIT');
  });
});

describe('the reasons', () => {
  const trend = {
    direction: 'FALLING',
    changeRatio: -0.12,
    congestion: 0.68,
    percentileRank24h: 0.23,
    base: { now: 1n, min: 1n, p25: 1n, median: 1n, p75: 1n, max: 1n },
    priority: { now: 1n, min: 1n, p25: 1n, median: 1n, p75: 1n, max: 1n },
    baseFeeFan: [],
  } as const;
  const grounds = { trend, cheaperThanRatio: 0.77, daySec: 86_390 };

  it('are sentences with figures, the decisive one first', () => {
    const forecasts = [forecast(900, 0.85, 0.09)];
    expect(reasonsFor({ ...grounds, forecasts, decision: decide(forecasts) })).toEqual([
      '0.0412 gwei within 15m: such targets were reached 85 % of the time; saves 9 % on average, misses counted',
      'base fee is cheaper than 77 % of the last 24 h',
      'base fee is 12 % below its mean of the last hour',
      'recent blocks were 68 % full',
    ]);
  });

  it('say why it is not worth waiting, and how far the history reaches', () => {
    const reasons = (saving: number) => {
      const forecasts = [forecast(900, 0.85, saving), forecast(3_600, null, 0.4)];
      return reasonsFor({
        ...grounds,
        cheaperThanRatio: 0.2,
        trend: { ...trend, percentileRank24h: 0.8 },
        daySec: 24_120,
        forecasts,
        decision: decide(forecasts),
      });
    };
    expect(reasons(0.012)).toContain(
      'waiting up to 15m is expected to save 1.2 % at best, too little to wait for',
    );
    expect(reasons(-0.03)).toContain('waiting up to 15m is not expected to save anything');
    expect(reasons(0.012)).toContain('base fee is dearer than 80 % of the last 6h42m');
  });

  it('say nothing of a rank among a handful of blocks', () => {
    const reasons = reasonsFor({ ...grounds, daySec: 24, forecasts: [], decision: decide([]) });
    expect(reasons.join()).not.toMatch(/of the last (24 h|\d+s)/);
  });
});
