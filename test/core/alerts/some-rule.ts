import fc from 'fast-check';
import type { AlertRule } from '../../../src/core/alerts/alert-rule.ts';

export const someRule: fc.Arbitrary<AlertRule> = fc.record({
  lane: fc.constantFrom('slow', 'average', 'fast', 'blob'),
  condition: fc.constantFrom('LESS_THAN', 'GREATER_THAN'),
  threshold: fc.bigInt({ min: 1n, max: 9n }),
  hysteresis: fc.bigInt({ min: 0n, max: 5n }),
  confirmBlocks: fc.integer({ min: 1, max: 4 }),
  cooldownMs: fc.constantFrom(0, 1, 12_000, 30_000, 60_000),
  disableOnce: fc.boolean(),
});
