import { expect } from 'vitest';
import { type Advice, type Chance, LANES } from '../../../src/core/advice.ts';

/** Every number and amount within the advice, with where it stands. */
function figures(value: unknown, path = 'advice'): [string, number | bigint][] {
  if (typeof value === 'number' || typeof value === 'bigint') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => figures(inner, `${path}.${key}`));
}

/** As `expect`, a hundred times as quickly: it is asked of every figure at every block. */
function must(holds: boolean, what: () => string): void {
  if (!holds) expect.fail(what());
}

/** Who waits longer pays, signs and tips no more. */
function expectOrdered({ lanes: { slow, average, fast } }: Advice): void {
  for (const field of ['price', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    const [low, middle, high] = [slow[field], average[field], fast[field]];
    if (low === null || middle === null || high === null) {
      must(low === middle && middle === high, () => `${field}: ${low}, ${middle}, ${high}`);
      continue;
    }
    must(low <= middle && middle <= high, () => `${field}: ${low}, ${middle}, ${high}`);
  }
}

/** Whoever has longer can take what was good for a shorter wait. */
function expectNested({ recommendation: { alternatives } }: Advice): void {
  expect(alternatives.map(({ horizonSec }) => horizonSec)).toEqual([300, 900, 3_600, 21_600, 86_400]);
  alternatives.slice(1).forEach((longer, index) => {
    const shorter = alternatives[index];
    if (shorter === undefined) return;
    if (shorter.price === null || longer.price === null || longer.probability === null) return;
    const [low, high] = [longer.price, shorter.price];
    const isNoLess = longer.probability >= (shorter.probability ?? 0);
    must(low <= high, () => `${longer.horizonSec} s: ${low} over ${high}`);
    must(low !== high || isNoLess, () => `${longer.horizonSec} s is less likely`);
  });
}

/** A probability, or why there is none. */
function expectExplained(name: string, { probability, reason }: Chance): void {
  must((probability === null) === (reason !== null), () => `${name}: ${reason}`);
}

/** Advice to wait is one of the alternatives, to the last digit. */
function expectOneFigure({ recommendation }: Advice): void {
  const { action, alternatives, deadlineSec, targetPrice, probability, expectedSavingRatio } = recommendation;
  if (action === null || action === 'SEND_NOW') return;
  expect(alternatives.find(({ horizonSec }) => horizonSec === deadlineSec)).toMatchObject({
    price: targetPrice,
    probability,
    savingRatio: expectedSavingRatio,
  });
}

/** No figure that is none, no price below 0, no share beyond 0 to 1, and every order that advice must have. */
export function expectSane(advice: Advice): void {
  for (const [path, figure] of figures(advice)) {
    must(typeof figure === 'number' ? Number.isFinite(figure) : figure >= 0n, () => `${path} = ${figure}`);
  }
  expectOrdered(advice);
  for (const lane of LANES) {
    const { price, maxFeePerGas, maxPriorityFeePerGas, probability, waitSec } = advice.lanes[lane];
    must(price <= maxFeePerGas, () => `${lane}: price ${price} above cap ${maxFeePerGas}`);
    must((maxPriorityFeePerGas ?? 0n) <= maxFeePerGas, () => `${lane}: tip above cap`);
    const least = advice.nextBaseFee + (maxPriorityFeePerGas ?? 0n);
    // Slow waits for a dip.
    if (lane !== 'slow')
      must(price >= least || price === maxFeePerGas, () => `${lane}: price ${price} below ${least}`);
    expectExplained(lane, advice.lanes[lane]);
    must((probability ?? 0) >= 0 && (probability ?? 1) <= 1, () => `${lane}: probability ${probability}`);
    must(waitSec.p50 > 0 && waitSec.p95 >= waitSec.p50, () => `${lane}: waits ${JSON.stringify(waitSec)}`);
  }
  const { baseFeeFan, congestion, percentileRank24h } = advice.trend;
  for (const { min, expected, max } of baseFeeFan)
    must(min <= expected && expected <= max, () => `a fan of ${min}, ${expected}, ${max}`);
  for (const share of [congestion, percentileRank24h])
    must(share >= 0 && share <= 1, () => `a share of ${share}`);
  for (const horizon of advice.recommendation.alternatives) {
    expectExplained(`${horizon.horizonSec} s`, horizon);
    const { price, probability, savingRatio } = horizon;
    expect([price === null, savingRatio === null]).toEqual([probability === null, probability === null]);
  }
  expectOneFigure(advice);
  expectNested(advice);
  expect(advice.recommendation.reasons.join()).not.toMatch(/NaN|undefined|Infinity/);
}
