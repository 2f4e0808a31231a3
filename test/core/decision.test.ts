import { describe, expect, it } from 'vitest';
import type { Forecast } from '../../src/core/engine/horizons.ts';
import { decide, reasonsFor } from '../../src/core/engine/recommendation.ts';

const forecast = (horizonSec: number, probability: number | null, savingRatio: number): Forecast => ({
  horizonSec,
  price: 41_200_000,
  probability,
  reason: probability === null ? 'too little history' : null,
  savingRatio: probability === null ? null : savingRatio,
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

  it('waits for the highest saving within the hour, of equals the sooner', () => {
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
  const grounds = { trend, daySec: 86_390 };

  it('of a wait repeat none of its figures', () => {
    const forecasts = [forecast(900, 0.85, 0.09)];
    expect(reasonsFor({ ...grounds, forecasts, decision: decide(forecasts) })).toEqual([
      'base fee is 12 % below its mean of the last hour',
    ]);
    const hours = [forecast(21_600, 0.85, 0.19)];
    expect(reasonsFor({ ...grounds, forecasts: hours, decision: decide(hours) })[0]).toBe(
      'no wait of an hour or less saves enough',
    );
    const both = [...forecasts, forecast(21_600, 0.98, 0.24)];
    expect(reasonsFor({ ...grounds, forecasts: both, decision: decide(both) })[0]).toBe(
      'for 0.0412 gwei within 6h set an alert: a wait takes an hour at most',
    );
  });

  describe('for sending now', () => {
    const because = (...forecasts: Forecast[]): string | undefined =>
      reasonsFor({ ...grounds, forecasts, decision: { action: 'SEND_NOW', forecast: null } })[0];

    it('explain the alternative that looks best with its own figures', () => {
      expect(
        because(forecast(900, 0.88, 0.012), forecast(3_600, 0.88, 0.022), forecast(21_600, null, 0.4)),
      ).toBe('0.0412 gwei within 1h is 88 % likely and saves 2 % on average: too little for the wait');
      expect(because(forecast(900, 0.88, 0.01), forecast(21_600, 0.88, 0.07))).toBe(
        '0.0412 gwei within 6h is 88 % likely and saves 7 % on average: too little for the wait',
      );
      expect(because(forecast(900, 0.88, -0.2))).toBe('waiting saves nothing on average');
      expect(because(forecast(900, null, 0.2))).toBe('no advice yet: too little history');
    });

    it('say that a price is not likely enough', () => {
      expect(because(forecast(900, 0.72, 0.4))).toBe(
        '0.0412 gwei within 15m is 72 % likely; waiting takes 80 %',
      );
      expect(because(forecast(300, 0.92, -0.01), forecast(86_400, 0.78, 0.34))).toBe(
        '0.0412 gwei within 1d is 78 % likely; waiting takes 80 %',
      );
    });

    it('say that a better wait has to hold first', () => {
      expect(because(forecast(900, 0.88, 0.06))).toBe(
        '0.0412 gwei within 15m is 88 % likely and saves 6 % on average, but has not held for 3 blocks yet',
      );
    });
  });

  it('say how far the history reaches', () => {
    const young = { ...grounds, daySec: 1_500, forecasts: [], decision: decide([]) };
    expect(reasonsFor(young).slice(1)).toEqual(['base fee is 12 % below its mean of the last 25m']);
  });

  it('say nothing of a mean among a handful of blocks', () => {
    expect(reasonsFor({ ...grounds, daySec: 24, forecasts: [], decision: decide([]) })).toHaveLength(1);
  });
});
