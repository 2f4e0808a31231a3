import fc from 'fast-check';
import type { AlertRule } from '../../../src/core/alerts/alert-rule.ts';
import type { ModelBlock } from './alert-model.ts';

/** Small numbers, so that prices often meet the threshold itself, and times the end of a cooldown. */
export const someRule: fc.Arbitrary<AlertRule> = fc.record({
  lane: fc.constantFrom('slow', 'average', 'fast'),
  condition: fc.constantFrom('LESS_THAN', 'GREATER_THAN'),
  threshold: fc.bigInt({ min: 1n, max: 9n }),
  hysteresis: fc.bigInt({ min: 0n, max: 5n }),
  confirmBlocks: fc.integer({ min: 1, max: 4 }),
  cooldownMs: fc.constantFrom(0, 1, 12_000, 30_000, 60_000),
  disableOnce: fc.boolean(),
});

interface SeriesOptions {
  /** Whether some of the blocks are past. */
  readonly past: boolean;
  readonly longest?: number;
}

/** Blocks one after the other, 0 to 24 s apart. */
export function someSeries({ past, longest = 60 }: SeriesOptions): fc.Arbitrary<ModelBlock[]> {
  const step = fc.record({
    price: fc.bigInt({ min: 0n, max: 12n }),
    sec: fc.constantFrom(0, 1, 12, 12, 12, 24),
    // Being past comes in stretches.
    turns: fc.integer({ min: 0, max: past ? 5 : 0 }),
  });
  return fc.array(step, { maxLength: longest }).map((steps) => {
    let timestamp = 1_000;
    let isPast = false;
    return steps.map(({ price, sec, turns }, place) => {
      timestamp += sec;
      if (turns === 1) isPast = !isPast;
      return { number: 100 + place, timestamp, price, isPast };
    });
  });
}
