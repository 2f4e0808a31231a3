import { formatPercent } from '../../core/units.ts';

/** How far the price has to go, as a share of it; negative: to fall. */
export const ratioTo = (target: bigint, price: bigint): number =>
  price === 0n ? Number.POSITIVE_INFINITY : Number(target - price) / Number(price);

interface Distance {
  readonly ratio: number;
  readonly isThere: boolean;
}

export function describeDistance({ ratio, isThere }: Distance): string {
  if (isThere) return 'target reached';
  if (!Number.isFinite(ratio)) return 'has to rise';
  return `has to ${ratio < 0 ? 'fall' : 'rise'} ${describeShare(ratio)}`;
}

/** Whole percent; one decimal below one percent, so that a near price does not look reached. */
export function describeShare(ratio: number): string {
  const size = Math.abs(ratio);
  if (size >= 10) return `×${Math.round(1 + size)}`;
  if (ratio < -0.99) return `>${formatPercent(0.99)}`;
  if (size > 0 && size < 0.001) return `<${formatPercent(0.001, 1)}`;
  return formatPercent(size, size < 0.01 ? 1 : 0);
}
