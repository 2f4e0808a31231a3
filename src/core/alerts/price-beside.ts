import { formatGwei, gweiString } from '../units.ts';

/**
 * A price in gwei beside the threshold that it has crossed: with three significant digits as everywhere, or with all
 * of them where rounding would put it at the threshold or beyond it (`below 5 gwei: 5.00` would be nonsense).
 *
 * @param price wei per gas, as `threshold`
 */
export function priceBeside(price: bigint, threshold: bigint): string {
  const rounded = formatGwei(price);
  const level = Number(gweiString(threshold));
  const sideOf = (gwei: string) => Math.sign(Number(gwei.replaceAll(',', '')) - level);
  return sideOf(rounded) === sideOf(gweiString(price)) ? rounded : gweiString(price);
}
