import type { AlertEventRow } from './alert-schema.ts';

/** A sum of wei per gas soon exceeds what a row can hold, its two halves do not. */
export const HALF = 1_000_000;

/** Wei per gas that a firing saved: below the reference; 0 where there is none, or it fired above a price. */
export function savedBy({
  condition,
  price,
  reference_price: reference,
}: Pick<AlertEventRow, 'condition' | 'price' | 'reference_price'>): number {
  return condition === 'LESS_THAN' && reference !== null && reference > price ? reference - price : 0;
}
