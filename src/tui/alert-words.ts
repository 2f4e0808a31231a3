import type { AlertView } from '../client/views/alerts.ts';
import type { SnapshotView } from '../client/views/gas.ts';
import { LANES, type LaneName } from '../core/advice.ts';
import { hasLeft, holds } from '../core/alerts/alert-rule.ts';
import { formatPercent, gweiString, UNKNOWN } from '../core/units.ts';
import type { ColorName, GlyphName } from './theme.ts';

/** `AVERAGE` is `average`, `WEB_PUSH` is `web push`: a service's word for people. */
export function plainWord(word: string): string {
  return word.toLowerCase().replaceAll('_', ' ');
}

/** `AVERAGE` is `Average`. */
export function titleWord(word: string): string {
  const plain = plainWord(word);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

const ON = /^(pending|armed|active|enabled|on|running|watching)$/i;

/** Whether a status, ours or a service's own, means that the alert watches. */
export function isOn(status: string | null): boolean {
  return status !== null && ON.test(status);
}

const OFF = /^(disabled|paused|inactive|off|stopped|suspended|muted)$/i;

/** What a service that takes `statuses` calls an alert that watches, or that does not; else the contract's word. */
export function statusWord(statuses: readonly string[], wanted: 'on' | 'off'): string {
  const [own, other, contract] = wanted === 'on' ? [ON, OFF, 'PENDING'] : [OFF, ON, 'DISABLED'];
  if (statuses.includes(contract)) return contract;
  const named = statuses.find((status) => own.test(status));
  // Of two the one that is not the other, whatever it is called.
  const rest = statuses.length === 2 && statuses.some((status) => other.test(status));
  return named ?? (rest ? statuses.find((status) => !other.test(status)) : undefined) ?? contract;
}

/** The lane that a speed names; `null`: a service's own speed, whose price is not known. */
export function laneOf(gasSpeed: string | null): LaneName | null {
  return LANES.find((lane) => lane === gasSpeed?.toLowerCase()) ?? null;
}

/** The condition as a sign; a service's own word as it is. */
function conditionSign(condition: string | null): string {
  if (condition === 'LESS_THAN') return '<';
  if (condition === 'GREATER_THAN') return '>';
  return condition === null ? '?' : plainWord(condition);
}

/** `Average < 0.04 gwei` */
export function conditionText({ gasSpeed, condition, threshold }: AlertRuleWords): string {
  const lane = gasSpeed === null ? 'price' : titleWord(gasSpeed);
  return `${lane} ${conditionSign(condition)} ${threshold === null ? UNKNOWN : gweiString(threshold)} gwei`;
}

export type AlertRuleWords = Pick<AlertView, 'gasSpeed' | 'condition' | 'threshold'>;

export type AlertState =
  | { readonly kind: 'armed' | 'confirming' | 'leaving' | 'disabled' }
  | { readonly kind: 'resting'; readonly until: number }
  /** A service's own word. */
  | { readonly kind: 'other'; readonly word: string };

/**
 * Where an alert is. That it confirms, or waits for the price to leave its threshold, is told from the present price:
 * services do not say.
 */
export function alertState(alert: AlertView, snapshot: SnapshotView, present: number): AlertState {
  const { status, cooldownUntil, confirmBlocks } = alert;
  if (status === 'DISABLED') return { kind: 'disabled' };
  if (status !== 'PENDING') return { kind: 'other', word: status === null ? 'unknown' : plainWord(status) };
  if (cooldownUntil !== null && cooldownUntil > present) return { kind: 'resting', until: cooldownUntil };
  const distance = distanceOf(alert, snapshot);
  if (distance === null) return { kind: 'armed' };
  if (cooldownUntil !== null && !hasLeftNow(alert, distance.price)) return { kind: 'leaving' };
  if (!distance.isThere) return { kind: 'armed' };
  return { kind: confirmBlocks !== null && confirmBlocks > 1 ? 'confirming' : 'armed' };
}

/** Whether the price is where an alert that has fired is armed again. */
function hasLeftNow({ condition, threshold, hysteresis }: AlertView, price: bigint): boolean {
  if (threshold === null || (condition !== 'LESS_THAN' && condition !== 'GREATER_THAN')) return true;
  return hasLeft({ condition, threshold, hysteresis: hysteresis ?? 0n }, price);
}

export const STATE_LOOKS: Readonly<
  Record<AlertState['kind'], { readonly glyph: GlyphName; readonly word: string; readonly color?: ColorName }>
> = {
  armed: { glyph: 'live', word: 'armed', color: 'good' },
  confirming: { glyph: 'live', word: 'confirming', color: 'warn' },
  leaving: { glyph: 'stale', word: 'rests', color: 'accent' },
  resting: { glyph: 'stale', word: 'rests', color: 'accent' },
  disabled: { glyph: 'unknown', word: 'disabled' },
  other: { glyph: 'bullet', word: '' },
};

export interface Distance {
  /** The lane's present price, wei per gas. */
  readonly price: bigint;
  /** By what share the price must change to reach the threshold; negative: it must fall. */
  readonly ratio: number;
  /** The price is on the alert's side already. */
  readonly isThere: boolean;
}

/** How far the lane's price is from the threshold; `null`: that cannot be known. */
export function distanceOf(
  { gasSpeed, condition, threshold }: AlertRuleWords,
  { lanes }: SnapshotView,
): Distance | null {
  const lane = laneOf(gasSpeed);
  if (lane === null || threshold === null) return null;
  if (condition !== 'LESS_THAN' && condition !== 'GREATER_THAN') return null;
  const { price } = lanes[lane];
  const isThere = holds({ condition, threshold }, price);
  const ratio = price === 0n ? Number.POSITIVE_INFINITY : Number(threshold - price) / Number(price);
  return { price, ratio, isThere };
}

/** `has to fall 21 %`, `the price is there` */
export function distanceWords({ ratio, isThere }: Distance): string {
  if (isThere) return 'the price is there';
  if (!Number.isFinite(ratio)) return 'has to rise';
  return `has to ${ratio < 0 ? 'fall' : 'rise'} ${shareText(ratio)}`;
}

/** Whole percent; under one percent with a decimal, so that a near price is not taken for one that is there. */
export function shareText(ratio: number): string {
  const size = Math.abs(ratio);
  if (size >= 10) return `×${Math.round(1 + size)}`;
  if (size > 0 && size < 0.001) return `<${formatPercent(0.001, 1)}`;
  return formatPercent(size, size < 0.01 ? 1 : 0);
}
