/** One price over another; amounts below 1 wei count as 1, so that a free chain has ratios too. */
export function feeRatio(price: number, reference: number): number {
  return Math.max(price, 1) / Math.max(reference, 1);
}

/** Rounding noise that must not lift a price by a wei. */
const NOISE = 1e-6;

/** `reference` times `ratio` in whole wei, never below what the ratio was taken from. */
export function scaledFee(reference: number, ratio: number): number {
  return wholeWei(Math.ceil(reference * ratio - NOISE));
}

/** Into the range that the wire carries: 0 to 2^53 − 1. */
export function wholeWei(price: number): number {
  return Math.min(Math.max(Math.round(price), 0), Number.MAX_SAFE_INTEGER);
}

const PPM = 1_000_000;
/** Keeps sums of thousands of them exact. */
const MOST_PPM = 1_000 * PPM;

/** A ratio in whole millionths, for sums that must be exact. */
export function toPpm(ratio: number): number {
  return Math.min(Math.round(ratio * PPM), MOST_PPM);
}

export function fromPpm(ppm: number): number {
  return ppm / PPM;
}
