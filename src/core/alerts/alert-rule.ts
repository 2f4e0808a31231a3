import type { LanePrices, PricedLane } from '../advice.ts';
import type { Block } from '../block.ts';
import {
  driftOf,
  effectivePrice,
  isPricedByHistory,
  type PriceOrReason,
  type RelativeThreshold,
  type ThresholdBasis,
} from '../threshold/threshold.ts';

export interface AlertRule {
  readonly lane: PricedLane;
  readonly condition: 'LESS_THAN' | 'GREATER_THAN';
  readonly threshold: bigint;
  /** How far beyond the threshold the price must leave before the alert may fire again; 0: it need not leave. */
  readonly hysteresis: bigint;
  /** Number of consecutive blocks in which the condition must hold, at least 1. */
  readonly confirmBlocks: number;
  readonly cooldownMs: number;
  readonly disableOnce: boolean;
  /** A rule in dollars or against history, for which `threshold` stands; absent or `null`: the threshold was given. */
  readonly relative?: RelativeRule | null;
}

/** What a threshold follows from, and how it was worked out last. */
export interface RelativeRule {
  readonly written: RelativeThreshold;
  /** Since when the threshold is what it is, or is unknown; block time in ms. `null`: no block has worked it out yet. */
  readonly since: number | null;
  /** Why it is unknown, so that the alert waits; `null`: it is known. */
  readonly reason: string | null;
}

type Threshold = Pick<AlertRule, 'condition' | 'threshold' | 'hysteresis'>;

/**
 * `trueSince`: the block since which the condition has held. A fired alert cools down until then (ms since epoch, block
 * time) and, with `mustLeave`, until the price has left the threshold.
 */
export type AlertPhase =
  | { readonly kind: 'armed'; readonly trueSince: number | null }
  | { readonly kind: 'cooling'; readonly cooldownUntil: number; readonly mustLeave: boolean }
  | { readonly kind: 'disabled' };

export const ARMED: AlertPhase = { kind: 'armed', trueSince: null };
export const DISABLED: AlertPhase = { kind: 'disabled' };

/** Longer than any reorg and any clock error. */
const FUTURE_MS = 3_600_000;

/** After a block of that time (Unix seconds). A firing in the future, as when a recording restarts, starts no cooldown. */
export function enabledPhase(
  { rule, lastTriggeredAt }: Pick<StoredAlert, 'rule' | 'lastTriggeredAt'>,
  blockTimestamp: number | null,
): AlertPhase {
  if (lastTriggeredAt === null || blockTimestamp === null) return ARMED;
  const now = blockTimestamp * 1_000;
  if (lastTriggeredAt > now + FUTURE_MS) return ARMED;
  const cooldownUntil = lastTriggeredAt + rule.cooldownMs;
  return cooldownUntil > now ? { kind: 'cooling', cooldownUntil, mustLeave: false } : ARMED;
}

/** The alert enabled or disabled at `now` (ms since epoch); the same object where it is so already. */
export function switchedAlert(
  alert: StoredAlert,
  isEnabled: boolean,
  { headTime, now }: { readonly headTime: number | null; readonly now: number },
): StoredAlert {
  if ((alert.phase.kind !== 'disabled') === isEnabled) return alert;
  const phase = isEnabled ? enabledPhase(alert, headTime) : DISABLED;
  return { ...alert, phase, disabledReason: null, updatedAt: now };
}

/** Confirmation restarts with the rule; a cooldown continues. A price that has left the old threshold need not leave again. */
export function changedPhase(before: Pick<StoredAlert, 'rule' | 'phase'>, rule: AlertRule): AlertPhase {
  const { phase } = before;
  if (phase.kind === 'armed') return ARMED;
  if (phase.kind === 'disabled') return phase;
  const firedAt = phase.cooldownUntil - before.rule.cooldownMs;
  const mustLeave = waitsForLeaving(rule) && (phase.mustLeave || !waitsForLeaving(before.rule));
  return { kind: 'cooling', cooldownUntil: firedAt + rule.cooldownMs, mustLeave };
}

/** Unix seconds, wei per gas. */
export interface PriceAtBlock {
  readonly number: number;
  readonly timestamp: number;
  readonly price: bigint;
}

interface AlertStep {
  readonly phase: AlertPhase;
  readonly fires: boolean;
}

/** Applies one block to an alert. Blocks come in order, each once. */
export function stepAlert(rule: AlertRule, phase: AlertPhase, at: PriceAtBlock): AlertStep {
  if (phase.kind === 'disabled' || isUnpriced(rule)) return { phase, fires: false };
  const ready = phase.kind === 'cooling' ? cooled(rule, phase, at) : phase;
  if (ready.kind !== 'armed') return { phase: ready, fires: false };
  if (!holds(rule, at.price)) return { phase: ARMED, fires: false };
  const trueSince = ready.trueSince ?? at.number;
  if (at.number < dueBlock(rule, trueSince)) return { phase: { kind: 'armed', trueSince }, fires: false };
  if (rule.disableOnce) return { phase: DISABLED, fires: true };
  const cooldownUntil = at.timestamp * 1_000 + rule.cooldownMs;
  return { phase: { kind: 'cooling', cooldownUntil, mustLeave: waitsForLeaving(rule) }, fires: true };
}

interface MissedStep {
  readonly phase: AlertPhase;
  /** Whether a firing was missed at the block: once per crossing, not for each block beyond the threshold. */
  readonly missesFiring: boolean;
}

/** Applies a missed block: an alert that would fire stays armed for later blocks. */
export function stepMissed(rule: AlertRule, phase: AlertPhase, at: PriceAtBlock): MissedStep {
  const step = stepAlert(rule, phase, at);
  if (!step.fires) return { phase: step.phase, missesFiring: false };
  const trueSince = phase.kind === 'armed' ? (phase.trueSince ?? at.number) : at.number;
  return { phase: { kind: 'armed', trueSince }, missesFiring: at.number === dueBlock(rule, trueSince) };
}

/** Applies blocks whose prices are unknown: confirmation restarts, and a fired alert waits only for its cooldown. */
export function stepUnseen(phase: AlertPhase): AlertPhase {
  if (phase.kind === 'armed') return ARMED;
  return phase.kind === 'cooling' ? { ...phase, mustLeave: false } : phase;
}

const NEVER = { atMost: null, atLeast: null, fromBlock: null, fromMs: null };

/**
 * The first block that has to be evaluated has a price at most or at least this, or comes from this number or time (ms) on;
 * `null`: never for this reason.
 */
export function wakesOf(rule: AlertRule, phase: AlertPhase) {
  const { condition, threshold } = rule;
  const isLess = condition === 'LESS_THAN';
  const drift = driftOfRule(rule);
  const atMost = (level: bigint) => ({ ...NEVER, atMost: level + drift });
  const atLeast = (level: bigint) => ({ ...NEVER, atLeast: level - drift });
  const whenBack = isLess ? atLeast : atMost;
  if (phase.kind === 'disabled' || isUnpriced(rule)) return NEVER;
  if (phase.kind === 'cooling') {
    return phase.mustLeave ? whenBack(leaveLevel(rule)) : { ...NEVER, fromMs: phase.cooldownUntil };
  }
  if (phase.trueSince !== null) {
    return { ...whenBack(threshold), fromBlock: dueBlock(rule, phase.trueSince) };
  }
  return isLess ? atMost(threshold - 1n) : atLeast(threshold + 1n);
}

/** Whether the price is on the alert's side of the threshold; a price at the threshold is on neither side. */
export const holds = ({ condition, threshold }: Omit<Threshold, 'hysteresis'>, price: bigint): boolean =>
  condition === 'LESS_THAN' ? price < threshold : price > threshold;

const dueBlock = ({ confirmBlocks }: AlertRule, trueSince: number) => trueSince + confirmBlocks - 1;

function leaveLevel({ condition, threshold, hysteresis }: Threshold): bigint {
  if (condition === 'LESS_THAN') return threshold + hysteresis;
  return hysteresis < threshold ? threshold - hysteresis : 0n;
}

/** Whether the price has left the threshold by the re-arm margin, which re-arms a fired alert. */
export function hasLeft(rule: Threshold, price: bigint): boolean {
  const level = leaveLevel(rule);
  return rule.condition === 'LESS_THAN' ? price >= level : price <= level;
}

/** With a re-arm margin; also without a cooldown, because it would otherwise fire at every block. */
export const waitsForLeaving = (rule: Pick<AlertRule, 'hysteresis' | 'cooldownMs'>): boolean =>
  rule.hysteresis > 0n || rule.cooldownMs === 0;

function cooled(rule: AlertRule, phase: AlertPhase & { kind: 'cooling' }, at: PriceAtBlock): AlertPhase {
  const mustLeave = phase.mustLeave && !hasLeft(rule, at.price);
  if (!mustLeave && at.timestamp * 1_000 >= phase.cooldownUntil) return ARMED;
  return { ...phase, mustLeave };
}

/** Whether its threshold is unknown. */
const isUnpriced = ({ relative }: AlertRule): boolean => relative != null && relative.reason !== null;

/** How far the exact price of a rule may lie from its threshold, wei: what is woken is stepped by the exact one. */
const driftOfRule = ({ threshold, relative }: Pick<AlertRule, 'threshold' | 'relative'>): bigint =>
  relative == null || isPricedByHistory(relative.written) ? 0n : driftOf(threshold) + 1n;

/** With the price that its rule stands for at `at` (block time, ms); the same object where nothing changes. */
export function repriced<Alert extends Pick<StoredAlert, 'rule' | 'phase'>>(
  alert: Alert,
  effective: PriceOrReason,
  at: number,
): Alert {
  const { rule, phase } = alert;
  const { relative } = rule;
  if (relative == null) return alert;
  const reason = 'reason' in effective ? effective.reason : null;
  const threshold = 'price' in effective ? effective.price : rule.threshold;
  if (relative.since !== null && reason === relative.reason && threshold === rule.threshold) return alert;
  // It is unknown whether its condition held meanwhile: confirmation restarts. A cooldown continues.
  const isUnknown = reason !== null && phase.kind === 'armed';
  return {
    ...alert,
    rule: { ...rule, threshold, relative: { ...relative, reason, since: at } },
    phase: isUnknown ? ARMED : phase,
  };
}

/** A price beside what the threshold stood for then, wei per gas; `null`: it was unknown. */
export interface PreviewedPrice extends PriceAtBlock {
  readonly threshold: bigint | null;
}

/** How often an alert that was armed before the first of these prices, oldest first, would have fired, and where last. */
export function previewAlert(rule: Omit<AlertRule, 'threshold'>, prices: Iterable<PreviewedPrice>) {
  let phase: AlertPhase = ARMED;
  let times = 0;
  let last: PriceAtBlock | null = null;
  for (const { threshold, ...price } of prices) {
    const step =
      threshold === null
        ? { phase: phase.kind === 'armed' ? ARMED : phase, fires: false }
        : stepAlert({ ...rule, threshold }, phase, price);
    phase = step.phase;
    if (!step.fires) continue;
    times += 1;
    last = price;
  }
  return { times, last };
}

export interface StoredAlert {
  readonly id: string;
  /** The id of the key that made it; empty: the operator. */
  readonly owner: string;
  readonly rule: AlertRule;
  readonly phase: AlertPhase;
  readonly method: string;
  readonly channels: readonly string[];
  /** The target of each channel; channels without one (TERMINAL) are absent. */
  readonly targets: Readonly<Record<string, string>>;
  readonly note: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly triggerCount: number;
  readonly lastTriggeredAt: number | null;
  readonly missedCount: number;
  readonly lastMissedAt: number | null;
  /** Why the service disabled the alert itself. */
  readonly disabledReason: string | null;
}

/** What rules in dollars are priced by at one block. `key` is another one whenever a figure is. */
export interface DollarBasis extends ThresholdBasis {
  readonly key: string;
}

/** Of a {@link DollarBasis}. */
export const noPast = () => ({ reason: 'rules in dollars need no past' });

export interface PricedBlock {
  readonly block: Block;
  readonly prices: LanePrices;
  /** Blob base fee of the block; `null` or absent: the chain has no blobs. */
  readonly blobPrice?: bigint | null;
  /** Nothing is sent of it, as it came too late or a one-shot read it: an alert that would have fired counts as missed. */
  readonly isMissed: boolean;
  /** What rules in dollars are priced by; absent or `null`: it is not known yet, and they pass over the block. */
  readonly basis?: DollarBasis | null;
}

/** Wei per gas, or per blob gas; `null`: the block has no such price. */
export const blockPrice = ({ prices, blobPrice = null }: PricedBlock, lane: PricedLane): bigint | null =>
  lane === 'blob' ? blobPrice : prices[lane];

/** `null`: rules in dollars pass over the block. */
export const basisAt = ({ isMissed, basis = null }: PricedBlock): DollarBasis | null =>
  isMissed ? null : basis;

/** The alert after a block. `price` is its lane's, wei per gas. */
interface AlertDecision {
  readonly alert: StoredAlert;
  readonly price: bigint;
  /** Whether recipients are notified. */
  readonly fires: boolean;
}

/** Applies a block to a stored alert, by the exact price that its rule stands for there; `null`: the block changes nothing. */
export function decideAlert(stored: StoredAlert, priced: PricedBlock, now: number): AlertDecision | null {
  const price = blockPrice(priced, stored.rule.lane);
  const alert = exactlyPriced(stored, priced);
  if (alert === null || price === null) return null;
  const { number, timestamp } = priced.block;
  const at = { number, timestamp: Math.floor(timestamp), price };
  if (priced.isMissed) {
    const { phase, missesFiring } = stepMissed(alert.rule, alert.phase, at);
    const after = { ...alert, phase };
    if (missesFiring) return { alert: withMissed(after, at), price, fires: false };
    return isUnchanged(after, stored) ? null : { alert: after, price, fires: false };
  }
  const { phase, fires } = stepAlert(alert.rule, alert.phase, at);
  const after = { ...alert, phase };
  if (!fires) return isUnchanged(after, stored) ? null : { alert: after, price, fires };
  const triggerCount = alert.triggerCount + 1;
  const lastTriggeredAt = at.timestamp * 1_000;
  return { alert: { ...after, triggerCount, lastTriggeredAt, updatedAt: now }, price, fires };
}

/** A firing before the alert was created is not missed. Blocks have whole seconds: one of the same second may be younger. */
function withMissed(alert: StoredAlert, { timestamp }: PriceAtBlock): StoredAlert {
  if (timestamp < Math.floor(alert.createdAt / 1_000)) return alert;
  return { ...alert, missedCount: alert.missedCount + 1, lastMissedAt: timestamp * 1_000 };
}

/** `null`: the block does not count for it. */
function exactlyPriced(alert: StoredAlert, priced: PricedBlock): StoredAlert | null {
  const { relative, condition } = alert.rule;
  if (relative == null || isPricedByHistory(relative.written)) return alert;
  const basis = basisAt(priced);
  const price = basis && effectivePrice(relative.written, condition, basis);
  return price && repriced(alert, price, Math.floor(priced.block.timestamp) * 1_000);
}

/** Also where the exact price of a rule differs from the stored one, which follows when it has moved far enough. */
const isUnchanged = (one: StoredAlert, other: StoredAlert): boolean =>
  JSON.stringify([one.phase, one.rule.relative?.reason]) ===
  JSON.stringify([other.phase, other.rule.relative?.reason]);

/** The content of a notification: the alert and prices at the time of firing, unaffected by later changes. */
export interface AlertMessage {
  readonly eventId: string;
  readonly alertId: string;
  readonly owner: string;
  readonly chainId: number;
  readonly chainName: string;
  readonly lane: PricedLane;
  readonly condition: AlertRule['condition'];
  /** Wei per gas as a decimal string, because it is stored as JSON; of a rule what it stood for. */
  readonly threshold: string;
  /** The rule as written; absent: the threshold was given. */
  readonly rule?: string;
  readonly price: string;
  readonly blockNumber: number;
  readonly blockTimestamp: number;
  readonly note: string;
  readonly triggerCount: number;
  /** Messages about simulated or replayed prices say so. */
  readonly sourceKind: 'rpc' | 'replay' | 'simulated';
}
