import type { AlertView } from '../../client/views/alerts.ts';
import { cooldownText } from '../../core/alerts/cooldown-text.ts';
import { ownValue } from '../../core/own-value.ts';
import { formatCount, gweiString } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { utcTime } from '../utc-time.ts';

const SIDE: Readonly<Record<string, string>> = { LESS_THAN: '<', GREATER_THAN: '>' };

/** `average < 5 gwei`; a service's own words as they are. */
export function watchWords({ gasSpeed, condition, threshold }: AlertView): string {
  const side = condition === null ? '?' : (ownValue(SIDE, condition) ?? cleanLine(condition));
  const price = threshold === null ? '?' : `${gweiString(threshold)} gwei`;
  return `${gasSpeed === null ? '?' : cleanLine(gasSpeed).toLowerCase()} ${side} ${price}`;
}

/** `armed`, `resting`, `disabled`, or a service's own word. `now` in ms. */
export function stateWords(alert: AlertView, now: number): string {
  const { status } = alert;
  if (status === 'PENDING') return restWords(alert, now) === null ? 'armed' : 'resting';
  return status === null ? '-' : cleanLine(status).toLowerCase();
}

/** Until when an alert that has fired rests; `null`: it does not. */
export function restWords({ cooldownUntil, hysteresis }: AlertView, now: number): string | null {
  if (cooldownUntil === null) return null;
  if (cooldownUntil > now) return `until ${timeWords(cooldownUntil, 'seconds')} UTC`;
  // A service that knows no hysteresis need not mean anything by a cooldown that is over.
  return hysteresis === null ? null : 'until the price has left the threshold';
}

export function channelWords({ channels }: AlertView): string {
  return channels.map((channel) => cleanLine(channel).toLowerCase()).join(', ') || '-';
}

/** `2026-01-05 11:20`, UTC; with seconds where several may be within a minute. */
export function timeWords(ms: number | null, precision: 'minutes' | 'seconds' = 'minutes'): string {
  return ms === null ? '-' : utcTime(ms, precision);
}

export function cooldownWords({ cooldownMs }: AlertView): string {
  return cooldownMs === null ? '-' : cooldownMs === 0 ? 'none' : cooldownText(cooldownMs);
}

/** `once`, `3 times`. */
export function timesWords(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}
