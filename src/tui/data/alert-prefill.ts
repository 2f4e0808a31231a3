import { formatGwei, gweiString } from '../../core/units.ts';
import type { AlertPrefill } from './monitor-context.ts';

function prefill(condition: 'LESS_THAN' | 'GREATER_THAN', wei: bigint) {
  return { gasSpeed: 'AVERAGE', condition, threshold: wei > 0n ? gweiString(wei) : '' };
}

const step = (wei: bigint, digits: number) => 10n ** BigInt(Math.max(wei.toString().length - digits, 0));

/** From an advised price: the figure that the advice shows. */
export const atOrBelow = (price: bigint): AlertPrefill => ({
  ...prefill('LESS_THAN', price),
  threshold: formatGwei(price).replaceAll(',', ''),
});

/** From the present price: fires when it is cheaper. Two digits, so that it does not fire at once. */
export function cheaperThan(price: bigint): AlertPrefill {
  return prefill('LESS_THAN', price - (price % step(price, 2)));
}

/** From a past price: fires once it is reached again (wei), as round as possible without firing at the present one. */
export function thereAgain(price: bigint, present: bigint): AlertPrefill {
  if (price === present) return cheaperThan(present);
  const isBelow = price < present;
  // An alert does not fire at the threshold itself, so it is beyond the price.
  const beyond = [2, 3, 4].map((digits) => {
    const unit = step(price, digits);
    const rest = price % unit;
    return isBelow ? price - rest + unit : price - (rest === 0n ? unit : rest);
  });
  const threshold = beyond.find((wei) => (isBelow ? wei <= present : wei >= present));
  return prefill(isBelow ? 'LESS_THAN' : 'GREATER_THAN', threshold ?? price);
}
