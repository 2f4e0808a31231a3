import type { AlertView } from '../client/views/alerts.ts';
import { priceBeside } from '../core/alerts/price-beside.ts';
import { cleanText } from '../core/clean-text.ts';
import { formatAge, formatGwei, gweiString } from '../core/units.ts';
import { titleWord } from './alert-words.ts';

const SIDES = new Map([
  ['LESS_THAN', 'below'],
  ['GREATER_THAN', 'above'],
]);
const LONGEST_WORD = 20;
const LONGEST_NOTE = 200;

/** `Average below 0.04 gwei`; a service's own words stay. */
export function conditionWords({ gasSpeed, condition, threshold }: AlertView): string {
  const lane = gasSpeed === null ? 'Price' : titleWord(cleanText(gasSpeed, LONGEST_WORD));
  const side = condition === null ? 'at' : (SIDES.get(condition) ?? cleanText(condition, LONGEST_WORD));
  const level = threshold === null ? 'its threshold' : `${gweiString(threshold)} gwei`;
  return `${lane} ${side} ${level}`;
}

/**
 * What one firing says: `Average below 0.04 gwei: 0.0388 · deploy the registry`.
 *
 * @param price what the lane asked for when it fired, wei per gas; `null`: not known
 */
export function firingWords(alert: AlertView, price: bigint | null): string {
  const note = cleanText(alert.note ?? '', LONGEST_NOTE).trim();
  const at =
    price === null
      ? ' has come'
      : `: ${alert.threshold === null ? formatGwei(price) : priceBeside(price, alert.threshold)}`;
  return `${conditionWords(alert)}${at}${note === '' ? '' : ` · ${note}`}`;
}

/** What several firings at once say: `3 alerts fired: Average below 0.04 gwei, Fast above 60 gwei, …`. */
export function firingsWords(fired: readonly AlertView[]): string {
  const conditions = [...new Set(fired.map(conditionWords))];
  return `${fired.length} alerts fired: ${conditions.join(', ')}`;
}

/**
 * What happened in the day before this monitor ran, in one line; `null`: nothing did, or nobody knows when that was.
 *
 * @param told alerts whose firings a monitor would have shown
 * @param all alerts whose firings nobody may have been told of in time
 * @param at the service's present, ms
 */
export function earlierWords(
  told: readonly AlertView[],
  all: readonly AlertView[],
  at: number | null,
): string | null {
  if (at === null) return null;
  const fired = timesSince(told, at, ({ lastTriggeredAt }) => lastTriggeredAt);
  const missed = timesSince(all, at, ({ missed: times }) => times?.lastAt ?? null);
  const parts = [
    ...(fired === null ? [] : [`${alertsText(fired.count)} fired (${age(at, fired.newest)})`]),
    ...(missed === null
      ? []
      : [`${alertsText(missed.count)} would have while nothing ran (${age(at, missed.newest)})`]),
  ];
  return parts.length === 0 ? null : `In the last day ${parts.join(', ')}`;
}

const DAY_MS = 86_400_000;

function timesSince(
  alerts: readonly AlertView[],
  at: number,
  timeOf: (alert: AlertView) => number | null,
): { readonly count: number; readonly newest: number } | null {
  const times = alerts.flatMap((alert) => timeOf(alert) ?? []).filter((time) => time > at - DAY_MS);
  return times.length === 0 ? null : { count: times.length, newest: Math.max(...times) };
}

function alertsText(count: number): string {
  return count === 1 ? '1 alert' : `${count} alerts`;
}

function age(at: number, time: number): string {
  return formatAge((at - time) / 1_000);
}
