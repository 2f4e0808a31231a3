import { describe, expect, it } from 'vitest';
import type { Forecast } from '../../src/core/engine/horizons.ts';
import { decide, reasonsFor } from '../../src/core/engine/recommendation.ts';

const forecast = (horizonSec: number, probability: number | null, savingRatio: number): Forecast => ({
  horizonSec,
  price: 41_200_000,
  probability,
  reason: () => (probability === null ? 'too little history' : null),
  savingRatio: probability === null ? null : savingRatio,
  ...{ missRatio: 0.12, windows: 77, windowsKept: 61, isCeiling: false },
  record: { meanWaitSec: horizonSec / 3, judgedRatio: 1 },
});

const waits = forecast(900, 0.9, 0.06);
const HOUR = 3_600;
const DAY = 86_400;

describe('the decision', () => {
  it.each<[string, Forecast[], number, number | null]>([
    ['sends while nothing is measured, however cheap it looks', [forecast(300, null, 0.5)], HOUR, null],
    ['waits from half a percent at three in five on', [forecast(900, 0.6, 0.005)], HOUR, 900],
    ['sends below that probability', [forecast(900, 0.59, 0.3)], HOUR, null],
    ['sends below that saving', [forecast(900, 0.9, 0.0049)], HOUR, null],
    [
      'waits for the highest saving within the patience, of equals the sooner',
      [waits, forecast(1_800, 0.85, 0.09), forecast(3_600, 0.85, 0.09), forecast(21_600, 0.85, 0.5)],
      HOUR,
      1_800,
    ],
    ['waits for no longer than the patience', [waits, forecast(1_800, 0.85, 0.09)], 1_799, 900],
    ['sends below five minutes of patience', [forecast(300, 0.9, 0.3)], 299, null],
    [
      'takes hours where they pay ten percent',
      [forecast(900, 0.9, 0.004), forecast(21_600, 0.85, 0.1)],
      DAY,
      21_600,
    ],
    [
      'takes no hours where they pay less',
      [forecast(900, 0.9, 0.004), forecast(21_600, 0.85, 0.09)],
      DAY,
      null,
    ],
  ])('%s', (_, forecasts, patienceSec, horizonSec) => {
    expect(decide(forecasts, patienceSec)?.horizonSec ?? null).toBe(horizonSec);
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
  const grounds = { trend, daySec: 86_390, patienceSec: HOUR };
  const reasonsOf = (forecasts: Forecast[], patienceSec = HOUR) =>
    reasonsFor({ ...grounds, patienceSec, forecasts, decision: decide(forecasts, patienceSec) });

  it('of a wait repeat none of its figures', () => {
    expect(reasonsOf([forecast(900, 0.85, 0.09)])).toEqual([
      'next base fee is 12 % below the mean of the last hour',
    ]);
  });

  it('say what more patience would bring, after a wait as after sending now', () => {
    const more = 'for 6h: 0.0412, 98 % likely, saves 24 %';
    expect(reasonsOf([forecast(900, 0.85, 0.09), forecast(21_600, 0.98, 0.24)])[0]).toBe(more);
    expect(reasonsOf([forecast(900, 0.85, 0.001), forecast(21_600, 0.98, 0.24)])[0]).toBe(
      `waits up to 1h save nothing; ${more}`,
    );
    const ceiling = { ...forecast(DAY, 0.79, 0.39), isCeiling: true };
    expect(reasonsOf([forecast(900, 0.85, 0.09), ceiling])[0]).toBe(
      'for 1d: 0.0412, ≤ 79 % likely, saves 39 %',
    );
    expect(reasonsOf([forecast(900, 0.85, 0.25), forecast(21_600, 0.98, 0.24)])).toHaveLength(1);
    expect(reasonsOf([forecast(900, 0.85, 0.09), forecast(21_600, 0.98, 0.24)], DAY)).toHaveLength(1);
  });

  it.each<[string, Forecast[]]>([
    [
      'waits up to 1h save nothing',
      [forecast(900, 0.88, 0.001), forecast(3_600, 0.88, 0.004), forecast(21_600, null, 0.4)],
    ],
    ['waits up to 1h save nothing', [forecast(900, 0.88, -0.2)]],
    ['no advice yet: too little history', [forecast(900, null, 0.2)]],
    ['waits up to 1h are too unlikely', [forecast(900, 0.52, 0.4)]],
  ])('for sending now: %s', (words, forecasts) => {
    expect(reasonsOf(forecasts)[0]).toBe(words);
  });

  it('say that less than five minutes of patience is too little', () => {
    expect(reasonsOf([waits], 299)[0]).toBe(
      'the shortest wait takes 5m; for 15m: 0.0412, 90 % likely, saves 6 %',
    );
  });

  it('say that a wait of hours saves too little', () => {
    expect(reasonsOf([forecast(21_600, 0.85, 0.09)], DAY)[0]).toBe('waits up to 1d save too little');
  });

  it('say how far the history reaches', () => {
    const young = { ...grounds, daySec: 1_500, forecasts: [], decision: null };
    expect(reasonsFor(young).slice(1)).toEqual(['next base fee is 12 % below the mean of the last 25m']);
  });

  it('say nothing of a mean among a handful of blocks', () => {
    expect(reasonsFor({ ...grounds, daySec: 24, forecasts: [], decision: null })).toHaveLength(1);
  });
});
