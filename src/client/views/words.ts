import type { AlertStatus } from '../../contract/choices.ts';
import { LANES, type LaneName, PRICED_LANES, type PricedLane } from '../../core/advice.ts';
import { contractWord } from '../wire-form.ts';

/** `AVERAGE` is `average`, `WEB_PUSH` is `web push`. */
export const plainWord = (word: string): string => word.toLowerCase().replaceAll('_', ' ');

export function titleWord(word: string): string {
  const plain = plainWord(word);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** The status of a service that takes `statuses` which means the contract's `wanted`. */
export const statusWord = (statuses: readonly string[], wanted: AlertStatus): string =>
  statuses.find((status) => contractWord(status) === wanted) ?? wanted;

const lowerCase = (gasSpeed: string | null) => gasSpeed?.toLowerCase();

/** The lane of a speed; `null` for a service's own speed, whose price is unknown. */
export const laneOf = (gasSpeed: string | null): LaneName | null =>
  LANES.find((lane) => lane === lowerCase(gasSpeed)) ?? null;

/** Whose price an alert of this speed watches, as {@link laneOf}. */
export const pricedLaneOf = (gasSpeed: string | null): PricedLane | null =>
  PRICED_LANES.find((lane) => lane === lowerCase(gasSpeed)) ?? null;
