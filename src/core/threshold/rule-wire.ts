import type { PaidWork, RelativeThreshold } from './threshold.ts';

/** A rule as v1 writes it, and as the database keeps it. The contract has its bounds. */
export type RuleWire =
  | { readonly usd: number; readonly action: string }
  | { readonly usd: number; readonly gas: number }
  | { readonly percentile: number; readonly windowSec: number }
  | { readonly belowMedianRatio: number; readonly windowSec: number }
  | { readonly shareRatio: number; readonly ofUsd: number; readonly action: string }
  | { readonly shareRatio: number; readonly ofUsd: number; readonly gas: number };

export function ruleToWire(rule: RelativeThreshold): RuleWire {
  switch (rule.kind) {
    case 'usd':
      return { usd: rule.usd, ...rule.work };
    case 'percentile':
      return { percentile: rule.percentile, windowSec: rule.windowSec };
    case 'belowMedian':
      return { belowMedianRatio: rule.ratio, windowSec: rule.windowSec };
    case 'share':
      return { shareRatio: rule.ratio, ofUsd: rule.ofUsd, ...rule.work };
  }
}

export function ruleFromWire(wire: RuleWire): RelativeThreshold {
  if ('percentile' in wire) return { kind: 'percentile', ...wire };
  if ('belowMedianRatio' in wire)
    return { kind: 'belowMedian', ratio: wire.belowMedianRatio, windowSec: wire.windowSec };
  const work: PaidWork = 'action' in wire ? { action: wire.action } : { gas: wire.gas };
  if ('usd' in wire) return { kind: 'usd', usd: wire.usd, work };
  return { kind: 'share', ratio: wire.shareRatio, ofUsd: wire.ofUsd, work };
}
