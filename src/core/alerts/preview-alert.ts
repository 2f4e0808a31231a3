import { type AlertPhase, type AlertRule, ARMED, type PriceAtBlock, stepAlert } from './alert-rule.ts';

export interface PreviewedFirings {
  /** How often an alert that was armed before the first price would have fired. */
  readonly times: number;
  /** Where it would have fired last. */
  readonly last: PriceAtBlock | null;
}

/** What an alert would have done over prices of the past, oldest first, each block at most once. */
export function previewAlert(rule: AlertRule, prices: Iterable<PriceAtBlock>): PreviewedFirings {
  let phase: AlertPhase = ARMED;
  let times = 0;
  let last: PriceAtBlock | null = null;
  for (const price of prices) {
    const step = stepAlert(rule, phase, price);
    phase = step.phase;
    if (!step.fires) continue;
    times += 1;
    last = price;
  }
  return { times, last };
}
