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

const waits = forecast(900, 0.9, 0.06);

it.each<[string, Forecast[], string, number?]>([
  ['while nothing is measured, however cheap it looks', [forecast(300, null, 0.5)], 'SEND_NOW'],
  ['from five percent at a probability of 0.8 on', [forecast(900, 0.8, 0.05)], 'WAIT'],
  ['below that probability', [forecast(900, 0.79, 0.3)], 'SEND_NOW'],
  ['below that saving', [forecast(900, 0.9, 0.049)], 'SEND_NOW'],
  [
    'for the highest saving within the hour, of equals the sooner',
    [waits, forecast(1_800, 0.85, 0.09), forecast(3_600, 0.85, 0.09)],
    'WAIT',
    1_800,
  ],
  [
    'where only hours off pay ten percent',
    [forecast(900, 0.9, 0.01), forecast(21_600, 0.85, 0.1)],
    'SET_ALERT',
  ],
  ['where they pay less', [forecast(900, 0.9, 0.01), forecast(21_600, 0.85, 0.09)], 'SEND_NOW'],
  ['where a wait pays too', [waits, forecast(21_600, 0.85, 0.5)], 'WAIT'],
])('the decision %s', (_, forecasts, action, horizonSec) => {
  const decided = decide(forecasts);
  expect(decided.action).toBe(action);
  if (horizonSec !== undefined) expect(decided.forecast?.horizonSec).toBe(horizonSec);
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

  it.each<[string, Forecast[]]>([
    [
      '0.0412 gwei within 1h is 88 % likely and saves 2 % on average: too little for the wait',
      [forecast(900, 0.88, 0.012), forecast(3_600, 0.88, 0.022), forecast(21_600, null, 0.4)],
    ],
    [
      '0.0412 gwei within 6h is 88 % likely and saves 7 % on average: too little for the wait',
      [forecast(900, 0.88, 0.01), forecast(21_600, 0.88, 0.07)],
    ],
    ['waiting saves nothing on average', [forecast(900, 0.88, -0.2)]],
    ['no advice yet: too little history', [forecast(900, null, 0.2)]],
    ['0.0412 gwei within 15m is 72 % likely; waiting takes 80 %', [forecast(900, 0.72, 0.4)]],
    [
      '0.0412 gwei within 1d is 78 % likely; waiting takes 80 %',
      [forecast(300, 0.92, -0.01), forecast(86_400, 0.78, 0.34)],
    ],
    [
      '0.0412 gwei within 15m is 88 % likely and saves 6 % on average, but has not held for 3 blocks yet',
      [forecast(900, 0.88, 0.06)],
    ],
  ])('for sending now: %s', (words, forecasts) => {
    expect(reasonsFor({ ...grounds, forecasts, decision: decide([]) })[0]).toBe(words);
  });

  it('say how far the history reaches', () => {
    const young = { ...grounds, daySec: 1_500, forecasts: [], decision: decide([]) };
    expect(reasonsFor(young).slice(1)).toEqual(['base fee is 12 % below its mean of the last 25m']);
  });

  it('say nothing of a mean among a handful of blocks', () => {
    expect(reasonsFor({ ...grounds, daySec: 24, forecasts: [], decision: decide([]) })).toHaveLength(1);
  });
});
