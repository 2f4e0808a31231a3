import { describe, expect, it } from 'vitest';
import type { Forecast } from '../../src/core/engine/horizons.ts';
import { decide, reasonsFor, trusted } from '../../src/core/engine/recommendation.ts';

const forecast = (horizonSec: number, probability: number | null, saving: number): Forecast => ({
  horizonSec,
  price: 41_200_000,
  probability,
  waitProbability: probability,
  reason: probability === null ? 'too little history' : null,
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

describe('an advice to wait', () => {
  const wait = decide([forecast(900, 0.82, 0.06)]);
  const track = { evaluated: 100, hitRatio: 0.62, statedProbability: 0.83 };

  it('is taken back while the last hundred were kept far less often than was stated', () => {
    expect(trusted(wait, track)).toEqual({ action: 'SEND_NOW', forecast: null, isDistrusted: true });
    expect(trusted(wait, { ...track, hitRatio: 0.64 })).toBe(wait);
  });

  it('is not doubted on a handful, and sending now is never taken back', () => {
    expect(trusted(wait, { ...track, evaluated: 99, hitRatio: 0 })).toBe(wait);
    const send = decide([]);
    expect(trusted(send, track)).toBe(send);
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
  const track = { evaluated: 100, hitRatio: 0.86, statedProbability: 0.87 };
  const grounds = { trend, track, cheaperThanRatio: 0.77, daySec: 86_390 };

  it('are sentences with figures, the decisive one first', () => {
    const forecasts = [forecast(900, 0.85, 0.09)];
    expect(reasonsFor({ ...grounds, forecasts, decision: decide(forecasts) })).toEqual([
      '0.0412 gwei within 15m: such targets were reached 85 % of the time; saves 9 % on average, misses counted',
      'base fee is cheaper than 77 % of the last 24 h',
      'base fee is 12 % below its mean of the last hour',
      'recent blocks were 68 % full',
    ]);
  });

  it('own up to advice that was not kept', () => {
    const forecasts = [forecast(900, 0.85, 0.09)];
    const track = { evaluated: 100, hitRatio: 0.11, statedProbability: 0.82 };
    const decision = trusted(decide(forecasts), track);
    expect(reasonsFor({ ...grounds, track, forecasts, decision })[0]).toBe(
      'of the last 100 advices 11 % were kept where 82 % was stated: no waiting until that holds again',
    );
  });

  describe('for sending now', () => {
    const because = (...forecasts: Forecast[]): string | undefined => {
      const decision = decide(forecasts);
      expect(decision.action).toBe('SEND_NOW');
      return reasonsFor({ ...grounds, forecasts, decision })[0];
    };
    const row = (horizonSec: number, probability: number | null, savingRatio: number, mean: number) => ({
      ...forecast(horizonSec, probability, mean),
      savingRatio,
    });

    it('explain the row that looks best in the table, and what misses make of it', () => {
      expect(because(row(900, 0.88, 0.07, 0.012), row(3_600, 0.88, 0.23, 0.022))).toBe(
        '0.0412 gwei within 1h is 88 % likely, but misses cost so much that waiting saves only 2.2 % on average',
      );
      expect(because(row(900, 0.88, 0.07, -0.2), row(3_600, 0.88, 0.23, -0.1))).toBe(
        '0.0412 gwei within 1h is 88 % likely, but misses cost so much that waiting saves nothing on average',
      );
    });

    it('do not blame misses where there is little to save, nor where it is not likely', () => {
      expect(because(row(900, 0.85, 0.032, 0.012), row(3_600, null, 0.4, 0))).toBe(
        '0.0412 gwei within 15m is 85 % likely but saves only 3.2 %, too little to wait for',
      );
      expect(because(row(900, 0.72, 0.4, 0.2))).toBe(
        '0.0412 gwei within 15m is only 72 % likely; waiting takes 80 %',
      );
      expect(because(row(900, 0.88, 0, 0))).toBe('no lower price is likely within 15m');
    });

    it('say when hours of waiting would save something, but not enough for hours', () => {
      expect(because(row(900, 0.88, 0.03, 0.01), row(21_600, 0.88, 0.3, 0.07))).toBe(
        '0.0412 gwei within 6h is 88 % likely; misses counted that saves 7.0 % on average, too little for so long a wait',
      );
    });
  });

  it('say how far the history reaches', () => {
    const dear = { ...trend, percentileRank24h: 0.8 };
    const reasons = reasonsFor({
      trend: dear,
      track,
      cheaperThanRatio: 0.2,
      daySec: 24_120,
      forecasts: [],
      decision: decide([]),
    });
    expect(reasons).toContain('base fee is dearer than 80 % of the last 6h42m');
  });

  it('say nothing of a rank among a handful of blocks', () => {
    const reasons = reasonsFor({ ...grounds, daySec: 24, forecasts: [], decision: decide([]) });
    expect(reasons.join()).not.toMatch(/of the last (24 h|\d+s)/);
  });
});
