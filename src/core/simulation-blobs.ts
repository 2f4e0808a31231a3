import { type BlobParams, BPO2_BLOBS, blobBaseFee, GAS_PER_BLOB } from './eip4844.ts';
import { NOISE, normal, smoothNoise } from './simulation-noise.ts';

/**
 * The simulated chain's blob parameters: mainnet's since BPO2 without EIP-7918's reserve price, so that the
 * excess is always a whole number of blobs.
 */
export const SIMULATED_BLOBS: BlobParams = { ...BPO2_BLOBS, reservePrice: false };

const { target, max, updateFraction } = SIMULATED_BLOBS;
const BLOBS_PER_E = Number(updateFraction) / Number(GAS_PER_BLOB);
/** So much excess that nothing is cut off at zero while the day's last blocks are steered. */
const LEAST_AT_MIDNIGHT = 40;

export interface BlobDemand {
  /** Excess, in blobs, of the first block of the UTC day that begins at `time` (Unix seconds). */
  excessAtMidnight(time: number): number;
  /** How many blobs a block carries when nothing else is decided. `at` makes it this block's own. */
  blobs(time: number, excess: number, at: number): number;
}

/** What rollups ask for; the answers are a function of seed and arguments alone. */
export function createBlobDemand(seed: number): BlobDemand {
  const tide = smoothNoise(seed, NOISE.blobTide);
  const swell = smoothNoise(seed, NOISE.blobSwell);
  /** Excess, in blobs, at which demand would be at its target. */
  const fairExcess = (time: number) =>
    Math.max(14.5 + 2.2 * tide(time / 172_800) + 0.9 * swell(time / 18_000), 0) * BLOBS_PER_E;
  return {
    excessAtMidnight: (time) => Math.max(Math.round(fairExcess(time)), LEAST_AT_MIDNIGHT),
    blobs(time, excess, at) {
      const pull = (fairExcess(time) - excess) / 25;
      return clampBlobs(target + pull + 4 * normal(seed, NOISE.blobDemand, at));
    },
  };
}

/** How many blobs lead to `wanted` in `blocksLeft` blocks, of which this is the first. */
export function steeredBlobs(excess: number, wanted: number, blocksLeft: number, noise: number): number {
  return clampBlobs(target + (wanted - excess) / blocksLeft + noise);
}

/** EIP-4844 in whole blobs: excess of the next block. */
export function nextExcessBlobs(excess: number, blobs: number): number {
  return Math.max(excess + blobs - target, 0);
}

/** Wei per blob gas at an excess of so many blobs. */
export function blobBaseFeeOf(excess: number): bigint {
  return blobBaseFee(BigInt(excess) * GAS_PER_BLOB, SIMULATED_BLOBS);
}

function clampBlobs(blobs: number): number {
  return Math.min(Math.max(Math.round(blobs), 0), max);
}
