/**
 * Randomness without state: every value is a function of the seed, what it is for and where it stands, so that
 * any stretch of the simulation can be computed without what came before it.
 */

/** What a random value is for: each purpose has its own, independent values. */
export const NOISE = {
  regime: 1,
  restlessness: 2,
  tide: 3,
  swell: 4,
  ripple: 5,
  burst: 6,
  flurry: 7,
  demand: 8,
  steering: 9,
  missedSlot: 10,
  blobTide: 11,
  blobSwell: 12,
  blobDemand: 13,
  tipLevel: 14,
  tipLadder: 15,
  hash: 16,
} as const;
export type NoisePurpose = (typeof NOISE)[keyof typeof NOISE];

function stir(hash: number, word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  const mixed = hash ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** 32 well-mixed bits of four integers (the mixing of MurmurHash3). */
export function randomBits(seed: number, purpose: NoisePurpose, at: number, lane = 0): number {
  let hash = stir(stir(stir(stir(0, seed), purpose), at), lane);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Uniform, above 0 and below 1. */
export function uniform(seed: number, purpose: NoisePurpose, at: number, lane = 0): number {
  return (randomBits(seed, purpose, at, lane) + 0.5) / 2 ** 32;
}

/** Normal with mean 0 and deviation 1 (Box and Muller 1958). */
export function normal(seed: number, purpose: NoisePurpose, at: number): number {
  const radius = Math.sqrt(-2 * Math.log(uniform(seed, purpose, at, 1)));
  return radius * Math.cos(2 * Math.PI * uniform(seed, purpose, at, 2));
}

/** Exponential with mean 1. */
export function exponential(seed: number, purpose: NoisePurpose, at: number, lane: number): number {
  return -Math.log(uniform(seed, purpose, at, lane));
}

/** Answers `compute(at)`, remembering the last answer: a simulation asks for the same place many times in a row. */
export function remembering<T>(compute: (at: number) => T): (at: number) => T {
  let last: { readonly at: number; readonly value: T } | null = null;
  return (at) => {
    if (last?.at !== at) last = { at, value: compute(at) };
    return last.value;
  };
}

/** A smooth walk around 0: normal at whole `x`, eased in between. */
export function smoothNoise(seed: number, purpose: NoisePurpose): (x: number) => number {
  const knots = remembering(
    (knot) => [normal(seed, purpose, knot), normal(seed, purpose, knot + 1)] as const,
  );
  return (x) => {
    const knot = Math.floor(x);
    const part = x - knot;
    const eased = part * part * (3 - 2 * part);
    const [from, to] = knots(knot);
    return from * (1 - eased) + to * eased;
  };
}
