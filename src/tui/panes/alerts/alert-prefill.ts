import { gweiString } from '../../../core/units.ts';

/** What a new alert begins with where the user came from a price. */
export interface AlertPrefill {
  readonly gasSpeed: string;
  readonly condition: string;
  /** Gwei, as one would type it. */
  readonly threshold: string;
}

/** For who looks at the present price: tell me when it is cheaper. At two digits, so that it does not fire at once. */
export function cheaperThan(price: bigint): AlertPrefill {
  return prefill('LESS_THAN', rounded(price, 2, 'down'));
}

/**
 * For who points at a price of the past: tell me when it is there again. Rounded so that this price itself would have
 * fired, as roughly as keeps the present one from firing. Wei per gas.
 */
export function thereAgain(price: bigint, present: bigint): AlertPrefill {
  if (price === present) return cheaperThan(present);
  const isBelow = price < present;
  const fitting = [2, 3, 4].map((digits) => beyond(price, digits, isBelow));
  const threshold = fitting.find((wei) => (isBelow ? wei <= present : wei >= present));
  return prefill(isBelow ? 'LESS_THAN' : 'GREATER_THAN', threshold ?? price);
}

/** At the threshold itself an alert does not fire. */
function beyond(price: bigint, digits: number, isBelow: boolean): bigint {
  const near = rounded(price, digits, isBelow ? 'up' : 'down');
  if (near !== price) return near;
  return isBelow ? price + step(price, digits) : price - step(price, digits);
}

function prefill(condition: string, wei: bigint): AlertPrefill {
  return { gasSpeed: 'AVERAGE', condition, threshold: wei > 0n ? gweiString(wei) : '' };
}

function rounded(wei: bigint, digits: number, direction: 'up' | 'down'): bigint {
  const unit = step(wei, digits);
  const down = (wei / unit) * unit;
  return direction === 'down' || down === wei ? down : down + unit;
}

/** What the last of so many digits stands for. */
function step(wei: bigint, digits: number): bigint {
  return 10n ** BigInt(Math.max(wei.toString().length - digits, 0));
}
