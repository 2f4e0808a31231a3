import { expect } from 'vitest';
import { type Advice, LANES } from '../../../src/core/advice.ts';
import type { Chance } from '../../../src/core/engine/similar-states.ts';

/** Every number and amount within the advice, with where it stands. */
function figures(value: unknown, path = 'advice'): [string, number | bigint][] {
  if (typeof value === 'number' || typeof value === 'bigint') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => figures(inner, `${path}.${key}`));
}

/** Who waits longer pays, signs and tips no more. */
export function expectOrdered({ lanes: { slow, average, fast } }: Advice): void {
  for (const field of ['price', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    const [low, middle, high] = [slow[field], average[field], fast[field]];
    if (low === null || middle === null || high === null) {
      expect([low, middle, high], field).toEqual([null, null, null]);
      continue;
    }
    expect(low <= middle && middle <= high, `${field}: ${low}, ${middle}, ${high}`).toBe(true);
  }
}

/** Whoever has longer can take what was good for a shorter wait. */
export function expectNested({ recommendation: { alternatives } }: Advice): void {
  expect(alternatives.map(({ horizonSec }) => horizonSec)).toEqual([300, 900, 3_600, 21_600, 86_400]);
  alternatives.slice(1).forEach((longer, index) => {
    const shorter = alternatives[index];
    if (shorter === undefined) return;
    if (shorter.price === null || longer.price === null || longer.probability === null) return;
    const [low, high] = [longer.price, shorter.price];
    expect(low <= high, `${longer.horizonSec} s: ${low} over ${high}`).toBe(true);
    if (low === high) expect(longer.probability).toBeGreaterThanOrEqual(shorter.probability ?? 0);
  });
}

/** A probability, or why there is none. */
function expectExplained(name: string, { probability, reason }: Chance): void {
  expect(probability === null, `${name}: ${reason}`).toBe(reason !== null);
}

/** Advice to wait is one of the alternatives, to the last digit. */
export function expectOneFigure({ recommendation }: Advice): void {
  const { action, alternatives, deadlineSec, targetPrice, probability, expectedSavingRatio } = recommendation;
  if (action === 'SEND_NOW') return;
  expect(alternatives.find(({ horizonSec }) => horizonSec === deadlineSec)).toMatchObject({
    price: targetPrice,
    probability,
    savingRatio: expectedSavingRatio,
  });
}

/** No figure that is none, no price below 0, no share beyond 0 to 1, and every order that advice must have. */
export function expectSane(advice: Advice): void {
  for (const [path, figure] of figures(advice)) {
    if (typeof figure === 'number') expect(figure, path).toSatisfy(Number.isFinite);
    else expect(figure >= 0n, `${path} = ${figure}`).toBe(true);
  }
  expectOrdered(advice);
  for (const lane of LANES) {
    const { price, maxFeePerGas, maxPriorityFeePerGas, probability, waitSec } = advice.lanes[lane];
    expect(price <= maxFeePerGas, `${lane}: price ${price} above cap ${maxFeePerGas}`).toBe(true);
    expect((maxPriorityFeePerGas ?? 0n) <= maxFeePerGas, `${lane}: tip above cap`).toBe(true);
    expectExplained(lane, advice.lanes[lane]);
    expect(probability ?? 0).toBeGreaterThanOrEqual(0);
    expect(probability ?? 1).toBeLessThanOrEqual(1);
    expect(waitSec.p50).toBeGreaterThan(0);
    expect(waitSec.p95).toBeGreaterThanOrEqual(waitSec.p50);
  }
  const { baseFeeFan, congestion, percentileRank24h } = advice.trend;
  for (const { min, expected, max } of baseFeeFan) expect(min <= expected && expected <= max).toBe(true);
  for (const share of [congestion, percentileRank24h]) {
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1);
  }
  for (const horizon of advice.recommendation.alternatives) {
    expectExplained(`${horizon.horizonSec} s`, horizon);
    const { price, probability, savingRatio } = horizon;
    expect([price === null, savingRatio === null]).toEqual([probability === null, probability === null]);
  }
  expectOneFigure(advice);
  expectNested(advice);
  expect(advice.recommendation.reasons.join()).not.toMatch(/NaN|undefined|Infinity/);
}
