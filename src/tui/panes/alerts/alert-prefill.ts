import { gweiString } from '../../../core/units.ts';

export interface AlertPrefill {
  readonly gasSpeed: string;
  readonly condition: string;
  readonly threshold: string;
}

/** From the present price: fires when it is cheaper. Two digits, so that it does not fire at once. */
export function cheaperThan(price: bigint): AlertPrefill {
  return prefill('LESS_THAN', rounded(price, 2, 'down'));
}

/** From a past price: fires once it is reached again (wei), as round as possible without firing at the present one. */
export function thereAgain(price: bigint, present: bigint): AlertPrefill {
  if (price === present) return cheaperThan(present);
  const isBelow = price < present;
  const fitting = [2, 3, 4].map((digits) => beyond(price, digits, isBelow));
  const threshold = fitting.find((wei) => (isBelow ? wei <= present : wei >= present));
  return prefill(isBelow ? 'LESS_THAN' : 'GREATER_THAN', threshold ?? price);
}

/** An alert does not fire at the threshold itself. */
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

function step(wei: bigint, digits: number): bigint {
  return 10n ** BigInt(Math.max(wei.toString().length - digits, 0));
}
