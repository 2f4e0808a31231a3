import type { AlertRule, PriceAtBlock } from '../../../src/core/alerts/alert-rule.ts';

/** A block of a series, and whether nobody could be told of it in time. */
export interface ModelBlock extends PriceAtBlock {
  readonly isPast: boolean;
}

export interface ModelOutcome {
  /** Places in the series. */
  readonly fired: readonly number[];
  readonly missed: readonly number[];
}

/**
 * What the contract says of an alert that is armed before the first of `blocks`, in its words and from the whole series
 * at each block, with no state but where it fired: it fires where it is armed and the condition has been true for
 * `confirmBlocks` blocks of that time. After that it is armed again once `cooldownMs` are over and, with a hysteresis or
 * without a cooldown, the price has left the threshold by the hysteresis; never with `disableOnce`. Blocks that are past fire nothing; each time the condition
 * came to have been true for long enough there is one missed firing.
 */
export function modelAlert(rule: AlertRule, blocks: readonly ModelBlock[]): ModelOutcome {
  const fired: number[] = [];
  const missed: number[] = [];
  for (const [place, { isPast }] of blocks.entries()) {
    const armedAt = armedSince(rule, blocks.slice(0, place + 1), fired.at(-1) ?? null);
    if (armedAt === null) continue;
    let held = 0;
    while (place - held >= armedAt && isTrue(rule, blocks[place - held])) held += 1;
    if (isPast && held === rule.confirmBlocks) missed.push(place);
    if (!isPast && held >= rule.confirmBlocks) fired.push(place);
  }
  return { fired, missed };
}

/** The first place from which the alert is armed, of those so far. */
function armedSince(rule: AlertRule, blocks: readonly ModelBlock[], lastFired: number | null): number | null {
  if (lastFired === null) return 0;
  if (rule.disableOnce) return null;
  const firedMs = (blocks[lastFired]?.timestamp ?? 0) * 1_000;
  let hasLeft = rule.hysteresis === 0n && rule.cooldownMs > 0;
  for (const [place, block] of blocks.entries()) {
    if (place <= lastFired) continue;
    hasLeft ||= isOutside(rule, block);
    if (hasLeft && block.timestamp * 1_000 - firedMs >= rule.cooldownMs) return place;
  }
  return null;
}

function isTrue({ condition, threshold }: AlertRule, block: ModelBlock | undefined): boolean {
  if (block === undefined) return false;
  return condition === 'LESS_THAN' ? block.price < threshold : block.price > threshold;
}

function isOutside({ condition, threshold, hysteresis }: AlertRule, { price }: ModelBlock): boolean {
  if (condition === 'LESS_THAN') return price >= threshold + hysteresis;
  // No price is lower than nothing.
  return price <= (threshold > hysteresis ? threshold - hysteresis : 0n);
}
