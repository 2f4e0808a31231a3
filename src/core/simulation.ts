import type { Ladder } from './block.ts';
import { ETHEREUM_FEE_RULE } from './eip1559.ts';
import { BPO2_BLOBS, blobBaseFee, GAS_PER_BLOB } from './eip4844.ts';
import { DAY_SEC, HOUR_SEC, MINUTE_SEC } from './time.ts';

/** Stateless randomness: a function of seed, purpose and position, so that any part can be computed by itself. */

/** Purposes of random values; the values of each are independent of the others. */
export const NOISE = {
  regime: 1,
  restlessness: 2,
  tide: 3,
  swell: 4,
  ripple: 5,
  burst: 6,
  flurry: 7,
  demand: 8,
  blobTide: 11,
  blobSwell: 12,
  blobDemand: 13,
  tipLevel: 14,
  tipLadder: 15,
  hash: 16,
  crowd: 17,
  coinTide: 18,
  coinSwell: 19,
} as const;
type NoisePurpose = (typeof NOISE)[keyof typeof NOISE];

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

/** Eight digits for each lane from `lane` on. */
export function randomHex(
  seed: number,
  purpose: NoisePurpose,
  at: number,
  { lane, words }: { readonly lane: number; readonly words: number },
): string {
  const word = (_: unknown, index: number) =>
    randomBits(seed, purpose, at, lane + index)
      .toString(16)
      .padStart(8, '0');
  return Array.from({ length: words }, word).join('');
}

/** Between 0 and 1, never either. */
export const uniform = (seed: number, purpose: NoisePurpose, at: number, lane = 0): number =>
  (randomBits(seed, purpose, at, lane) + 0.5) / 2 ** 32;

/** Normal with mean 0 and deviation 1 (Box and Muller 1958). */
export function normal(seed: number, purpose: NoisePurpose, at: number): number {
  const radius = Math.sqrt(-2 * Math.log(uniform(seed, purpose, at, 1)));
  return radius * Math.cos(2 * Math.PI * uniform(seed, purpose, at, 2));
}

/** Caches the last result of `compute`: a simulation requests the same position many times in a row. */
export function cachingLast<T>(compute: (at: number) => T): (at: number) => T {
  let last: { readonly at: number; readonly value: T } | null = null;
  return (at) => {
    if (last?.at !== at) last = { at, value: compute(at) };
    return last.value;
  };
}

/** A smooth walk around 0: normal at whole `x`, interpolated between. */
function smoothNoise(seed: number, purpose: NoisePurpose): (x: number) => number {
  const knots = cachingLast(
    (knot) => [normal(seed, purpose, knot), normal(seed, purpose, knot + 1)] as const,
  );
  return (x) => {
    const part = x - Math.floor(x);
    const eased = part * part * (3 - 2 * part);
    const [from, to] = knots(Math.floor(x));
    return from * (1 - eased) + to * eased;
  };
}

export const SLOT_SEC = 12;
const WEEK_SEC = 7 * DAY_SEC;

export const BLOCKS_PER_DAY = DAY_SEC / SLOT_SEC;
/** 1 January 2016, midnight UTC. */
const GENESIS_SEC = 1_451_606_400;

/** Unix seconds of a block. */
export const timestampOf = (number: number): number => GENESIS_SEC + number * SLOT_SEC;

/** Number of the newest block at `time` (Unix seconds); 0 before the chain began. */
export const numberAt = (time: number): number => Math.max(Math.floor((time - GENESIS_SEC) / SLOT_SEC), 0);

/**
 * Where the demo begins: it doubles the base fee within 40 s of its start and gives all of that back within five minutes, as its
 * bursts of the hours before did. So waiting pays, the engine finds that, and its advice of that day was kept.
 */
export const OPENING = { seed: 1, block: 26_565_183 } as const;

/** Wei per gas: the sub-gwei mainnet of 2026. */
const TYPICAL_BASE_FEE = 110_000_000;

/** Then demand moves to another level within minutes. */
const REGIME_SEC = 40 * HOUR_SEC;
const SHIFT_SEC = 30 * MINUTE_SEC;

/** Multiplies demand at once and fades to a third; at most one per cell. `least`, `mean` above it and `most` are logarithms. */
type BurstKind = typeof BURST | typeof FLURRY;

/** A mint, a launch, a crash: rare, up to fifty times the usual price. */
const BURST = {
  purpose: NOISE.burst,
  cellSec: 6 * HOUR_SEC,
  probability: 0.4,
  least: 0.9,
  mean: 0.75,
  most: 3.9,
  fadeSec: [4 * MINUTE_SEC, 40 * MINUTE_SEC],
} as const;
/** Liquidations, a popular trade: all the time, small. */
const FLURRY = {
  purpose: NOISE.flurry,
  cellSec: 30 * MINUTE_SEC,
  probability: 0.35,
  least: 0.2,
  mean: 0.25,
  most: 1.2,
  fadeSec: [1 * MINUTE_SEC, 4 * MINUTE_SEC],
} as const;

const CELLS_BACK = 2;

/** The base fee in wei at which blocks would be at their target at a time (Unix seconds). Pure. */
function createFairWei(seed: number): (time: number) => number {
  const regime = regimes(seed, NOISE.regime);
  const restlessness = regimes(seed, NOISE.restlessness);
  const tide = smoothNoise(seed, NOISE.tide);
  const swell = smoothNoise(seed, NOISE.swell);
  const ripple = smoothNoise(seed, NOISE.ripple);
  const burst = bursts(seed, BURST);
  const flurry = bursts(seed, FLURRY);
  return (time) => {
    const restless = Math.exp(0.5 * restlessness(time));
    const level =
      dailyCycle(time) +
      weeklyCycle(time) +
      0.4 * regime(time) +
      0.3 * tide(time / (8 * HOUR_SEC)) +
      0.16 * restless * swell(time / (45 * MINUTE_SEC)) +
      0.07 * restless * ripple(time / (5 * MINUTE_SEC));
    return TYPICAL_BASE_FEE * Math.exp(level + burst(time) + flurry(time));
  };
}

/** Highest in the American afternoon, lowest in the European early morning. */
function dailyCycle(time: number): number {
  const angle = (2 * Math.PI * ((time % DAY_SEC) - 17 * HOUR_SEC)) / DAY_SEC;
  return 0.3 * Math.cos(angle) + 0.08 * Math.cos(2 * angle);
}

/** Highest on Wednesdays, lowest around Sunday. Unix time began on a Thursday. */
function weeklyCycle(time: number): number {
  return 0.16 * Math.cos((2 * Math.PI * ((time % WEEK_SEC) - 6.5 * DAY_SEC)) / WEEK_SEC);
}

/** Normally distributed, constant for a day or two, then another value within minutes. */
function regimes(seed: number, purpose: typeof NOISE.regime | typeof NOISE.restlessness) {
  const regime = cachingLast((cell) => ({
    before: normal(seed, purpose, cell - 1),
    after: normal(seed, purpose, cell),
    // Level and volatility change together.
    shiftAt: (cell + 0.1 + 0.8 * uniform(seed, NOISE.regime, cell, 3)) * REGIME_SEC,
  }));
  return (time: number): number => {
    const { before, after, shiftAt } = regime(Math.floor(time / REGIME_SEC));
    const shifted = Math.min(Math.max((time - shiftAt) / SHIFT_SEC, 0), 1);
    return before * (1 - shifted) + after * shifted;
  };
}

function bursts(seed: number, kind: BurstKind) {
  const inCell = (cell: number) => {
    const { purpose, cellSec, fadeSec } = kind;
    if (uniform(seed, purpose, cell, 0) > kind.probability) return null;
    const start = (cell + uniform(seed, purpose, cell, 1)) * cellSec;
    const log = Math.min(kind.least + kind.mean * -Math.log(uniform(seed, purpose, cell, 2)), kind.most);
    const fade = fadeSec[0] * (fadeSec[1] / fadeSec[0]) ** uniform(seed, purpose, cell, 3);
    return { start, height: Math.expm1(log), fadeSec: fade };
  };
  // The last cells up to `cell`: older bursts have faded.
  const around = cachingLast((cell) =>
    Array.from({ length: CELLS_BACK + 1 }, (_, i) => inCell(cell - i)).filter((burst) => burst !== null),
  );
  return (time: number): number => {
    let height = 0;
    for (const burst of around(Math.floor(time / kind.cellSec))) {
      if (time >= burst.start) height += burst.height * Math.exp((burst.start - time) / burst.fadeSec);
    }
    return Math.log1p(height);
  };
}

/** The simulated chain has no reserve price (EIP-7918), so that the excess is always a whole number of blobs. */
const BLOBS_PER_E = BPO2_BLOBS.baseFeeUpdateFraction / Number(GAS_PER_BLOB);
/** A block's excess strays by so many blobs at most, half of it either way: what its neighbours can lead to. */
const BLOB_NOISE = 6;

/** The excess in blobs of the block at a time (Unix seconds): it moves so little that some number of blobs leads there. */
function createExcessBlobs(seed: number): (time: number) => number {
  const tide = smoothNoise(seed, NOISE.blobTide);
  const swell = smoothNoise(seed, NOISE.blobSwell);
  return (time) => {
    const fair = Math.max(14.5 + 2.2 * tide(time / 172_800) + 0.9 * swell(time / 18_000), 1) * BLOBS_PER_E;
    return Math.round(fair + BLOB_NOISE * (uniform(seed, NOISE.blobDemand, time / SLOT_SEC) - 0.5));
  };
}

export const blobsBetween = (excess: number, next: number) => next - excess + BPO2_BLOBS.target;

export const blobBaseFeeOf = (excess: number) =>
  blobBaseFee(BigInt(excess) * GAS_PER_BLOB, BPO2_BLOBS.baseFeeUpdateFraction);

const TYPICAL_USD = 3_000;

/** Dollars for one coin at a time (Unix seconds), in whole cents. */
export function createNativeUsd(seed: number): (time: number) => number {
  const tide = smoothNoise(seed, NOISE.coinTide);
  const swell = smoothNoise(seed, NOISE.coinSwell);
  return (time) => {
    const level = 0.06 * tide(time / (3 * DAY_SEC)) + 0.012 * swell(time / (2 * HOUR_SEC));
    return Math.round(TYPICAL_USD * Math.exp(level) * 100) / 100;
  };
}

/** Median tip in wei while blocks are at their target. */
const TYPICAL_TIP = 12_000_000;
const NO_TIPS: Ladder<bigint> = [0n, 0n, 0n, 0n, 0n, 0n, 0n];

/** Wei per gas: they rise with demanded over available gas; a full block pushes out the cheap ones. An empty one has zeros. */
export function createTips(seed: number) {
  const mood = smoothNoise(seed, NOISE.tipLevel);
  return (number: number, timestamp: number, gasUsed: number, demand: number): Ladder<bigint> => {
    if (gasUsed === 0) return NO_TIPS;
    const own = 0.15 * normal(seed, NOISE.tipLevel, number) + 0.35 * mood(timestamp / 5_400);
    const p50 = Math.log(TYPICAL_TIP) + own + 0.7 * Math.log(Math.max(demand, 0.15) * 2);
    const squeeze = 1 / (1 + 0.6 * Math.max(demand - 0.8, 0));
    const rung = (lane: number, least: number, more: number) =>
      least + more * uniform(seed, NOISE.tipLadder, number, lane);
    const p25 = p50 - rung(1, 0.7, 0.5) * squeeze;
    const p10 = p25 - rung(2, 0.8, 0.9) * squeeze;
    const p75 = p50 + rung(3, 0.4, 0.6);
    const p90 = p75 + rung(4, 0.5, 0.6);
    const p95 = p90 + rung(5, 0.3, 0.5);
    const p99 = p95 + rung(6, 0.6, 1.2);
    const wei = (log: number) => BigInt(Math.round(Math.exp(log)));
    return [wei(p10), wei(p25), wei(p50), wei(p75), wei(p90), wei(p95), wei(p99)];
  };
}

export const SIMULATED_GAS_LIMIT = 60_000_000;
const GAS_TARGET = SIMULATED_GAS_LIMIT / ETHEREUM_FEE_RULE.elasticity;
const SCALE = GAS_TARGET * ETHEREUM_FEE_RULE.denominator;

/** How strongly demanded gas falls as the price rises; with this value, ratios behave as on mainnet after the Merge. */
const ELASTICITY = 3;
const BLOCK_NOISE = 0.33;
const EMPTY_SHARE = 0.002;
const MOST_DEMAND = 8;
/** A simulation forgets its first fee within fewer blocks than these: demand pulls every fee towards the fair one. */
const RUN_UP = 1_200;

/** A UTC day of blocks in columns. */
export type SimulatedDay = ReturnType<typeof simulateDay>;

/** One UTC day by itself (10 ms), begun in the day before, so that both meet at midnight. Block 0 is the first of day 0. */
export function simulateDay(seed: number, day: number) {
  /** Wei; a last entry beyond the day belongs to the next day's first block. */
  const baseFee = new Float64Array(BLOCKS_PER_DAY + 1);
  const gasUsed = new Uint32Array(BLOCKS_PER_DAY);
  /** Demanded gas over gas limit, above 1 when it exceeds the block. */
  const demand = new Float32Array(BLOCKS_PER_DAY);
  /** In whole blobs, as `baseFee`. */
  const excessBlobs = new Uint32Array(BLOCKS_PER_DAY + 1);
  const fairWei = createFairWei(seed);
  const excessAt = createExcessBlobs(seed);
  const first = day * BLOCKS_PER_DAY;

  let fee = Math.round(fairWei(timestampOf(first - RUN_UP)));
  for (let index = -RUN_UP; index < BLOCKS_PER_DAY; index++) {
    const number = first + index;
    const time = timestampOf(number);
    const demanded = demandedShare(seed, number, fairWei(time) / fee);
    const gas = Math.round(Math.min(demanded, 1) * SIMULATED_GAS_LIMIT);
    if (index >= 0) {
      baseFee[index] = fee;
      gasUsed[index] = gas;
      demand[index] = demanded;
      excessBlobs[index] = excessAt(time);
    }
    fee = nextFee(fee, gas);
  }
  baseFee[BLOCKS_PER_DAY] = fee;
  excessBlobs[BLOCKS_PER_DAY] = excessAt(timestampOf(first + BLOCKS_PER_DAY));
  return { baseFee, gasUsed, demand, excessBlobs };
}

/** @param cheapness the fair price over the base fee */
function demandedShare(seed: number, number: number, cheapness: number): number {
  if (uniform(seed, NOISE.demand, number, 3) < EMPTY_SHARE) return 0;
  const noise = Math.exp(BLOCK_NOISE * normal(seed, NOISE.demand, number) - BLOCK_NOISE ** 2 / 2);
  const asked = cheapness ** ELASTICITY / ETHEREUM_FEE_RULE.elasticity;
  return Math.min(Math.max(asked, 0.03) * noise, MOST_DEMAND);
}

/** EIP-1559 in doubles, exact: with the fee split at `SCALE` every product stays below 2^53. */
function nextFee(fee: number, gas: number): number {
  const off = Math.abs(gas - GAS_TARGET);
  const change = Math.floor(fee / SCALE) * off + Math.floor(((fee % SCALE) * off) / SCALE);
  if (gas > GAS_TARGET) return fee + Math.max(change, 1);
  return fee - change;
}
