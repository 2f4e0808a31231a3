import { ETHEREUM_FEE_RULE } from './fee-rule.ts';
import { createBlobDemand, nextExcessBlobs, steeredBlobs } from './simulation-blobs.ts';
import { createFairGwei } from './simulation-demand.ts';
import { NOISE, normal, uniform } from './simulation-noise.ts';
import { BLOCKS_PER_DAY, DAY_SEC, timestampOf } from './simulation-slots.ts';

export const SIMULATED_GAS_LIMIT = 60_000_000;
const GAS_TARGET = SIMULATED_GAS_LIMIT / ETHEREUM_FEE_RULE.elasticity;
const SCALE = GAS_TARGET * ETHEREUM_FEE_RULE.denominator;

/** How strongly gas asked for falls as the price rises; with this, ratios behave as on mainnet after the Merge. */
const ELASTICITY = 3;
const BLOCK_NOISE = 0.33;
const EMPTY_SHARE = 0.002;
const MOST_DEMAND = 8;
/** The last blocks of a day are filled so that the next day begins where it must. */
const STEERED = 32;
/** The last few of those are exact. */
const EXACT = 6;

const PAUSE = 1_000;

/** A UTC day of blocks in columns; the `next…` entries of its last block are the first ones of the day after. */
export interface SimulatedDay {
  /** Wei, `BLOCKS_PER_DAY` + 1 entries. */
  readonly baseFee: Float64Array;
  readonly gasUsed: Uint32Array;
  /** Gas asked for over gas limit, above 1 where the block could not hold it. */
  readonly demand: Float32Array;
  /** In whole blobs, `BLOCKS_PER_DAY` + 1 entries. */
  readonly excessBlobs: Uint32Array;
}

/**
 * Computes one day (days since 1970) of the chain that belongs to `seed`.
 *
 * Each day begins at a base fee and an excess that follow from seed and date alone, and the last 32 blocks of the
 * day before lead there by blocks as full as it takes. So EIP-1559 and EIP-4844 hold exactly across every
 * midnight, and yet any day can be computed by itself, at any time, always with the same result.
 *
 * A day takes about 10 ms; the generator hands back control every 1,000 blocks and returns the day.
 */
export function* simulateDay(seed: number, day: number): Generator<void, SimulatedDay> {
  const baseFee = new Float64Array(BLOCKS_PER_DAY + 1);
  const gasUsed = new Uint32Array(BLOCKS_PER_DAY);
  const demand = new Float32Array(BLOCKS_PER_DAY);
  const excessBlobs = new Uint32Array(BLOCKS_PER_DAY + 1);
  const midnight = day * DAY_SEC;
  const fairGwei = createFairGwei(seed);
  const blobDemand = createBlobDemand(seed);
  const lastFee = toWei(fairGwei(midnight + DAY_SEC));
  const lastExcess = blobDemand.excessAtMidnight(midnight + DAY_SEC);

  let fee = toWei(fairGwei(midnight));
  let excess = blobDemand.excessAtMidnight(midnight);
  for (let index = 0; index < BLOCKS_PER_DAY; index++) {
    if (index % PAUSE === PAUSE - 1) yield;
    const time = timestampOf(seed, day, index);
    const at = day * BLOCKS_PER_DAY + index;
    const left = BLOCKS_PER_DAY - index;
    let gas: number;
    let blobs: number;
    if (left > STEERED) {
      const asked = demandedShare(seed, at, (fairGwei(time) * 1e9) / fee);
      demand[index] = asked;
      gas = Math.round(Math.min(asked, 1) * SIMULATED_GAS_LIMIT);
      blobs = blobDemand.blobs(time, excess, at);
    } else {
      const noise = left > EXACT ? normal(seed, NOISE.steering, at) : 0;
      gas = steeredGas(fee, lastFee, left, noise);
      demand[index] = gas / SIMULATED_GAS_LIMIT;
      blobs = steeredBlobs(excess, lastExcess, left, 2 * noise);
    }
    baseFee[index] = fee;
    gasUsed[index] = gas;
    excessBlobs[index] = excess;
    fee = nextFee(fee, gas);
    excess = nextExcessBlobs(excess, blobs);
  }
  baseFee[BLOCKS_PER_DAY] = fee;
  excessBlobs[BLOCKS_PER_DAY] = excess;
  return { baseFee, gasUsed, demand, excessBlobs };
}

const toWei = (gwei: number) => Math.round(gwei * 1e9);

/** Gas asked for over gas limit, where `cheapness` is the fair price over the base fee. */
function demandedShare(seed: number, at: number, cheapness: number): number {
  if (uniform(seed, NOISE.demand, at, 3) < EMPTY_SHARE) return 0;
  const noise = Math.exp(BLOCK_NOISE * normal(seed, NOISE.demand, at) - BLOCK_NOISE ** 2 / 2);
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

/** Gas that brings `fee` towards `wanted`, which must be met after `left` blocks. */
function steeredGas(fee: number, wanted: number, left: number, noise: number): number {
  if (left === 1) {
    const gas = gasBetween(fee, wanted);
    if (gas === null) throw new Error(`no block leads from ${fee} to ${wanted} wei`);
    return gas;
  }
  const near = fee * (wanted / fee) ** (1 / left) * Math.exp(0.04 * noise);
  if (left === 2) return steppingStone(fee, wanted, near);
  const gas = Math.round(GAS_TARGET + (near / fee - 1) * SCALE);
  return Math.min(Math.max(gas, 0), SIMULATED_GAS_LIMIT);
}

/** Above `SCALE` wei not every fee can be reached from every other: finds one in between that can be passed by. */
function steppingStone(fee: number, wanted: number, near: number): number {
  // Off the geometric mean: exactly there the two steps' roundings exclude each other in lockstep.
  const middle = Math.round(near * 1.02);
  for (let step = 0; step < 10_000; step++) {
    const stone = middle + (step % 2 === 0 ? step / 2 : -(step + 1) / 2);
    const gas = gasBetween(fee, stone);
    if (gas !== null && gasBetween(stone, wanted) !== null) return gas;
  }
  throw new Error(`no two blocks lead from ${fee} to ${wanted} wei`);
}

/** Gas used by a block that leads from one base fee to exactly the other; `null` where there is none. */
function gasBetween(fee: number, next: number): number | null {
  const off = Math.ceil((Math.abs(next - fee) * SCALE) / fee);
  // The quotient is a double and may be one off.
  for (const each of [off, off - 1, off + 1]) {
    const gas = GAS_TARGET + (next >= fee ? each : -each);
    if (gas >= 0 && gas <= SIMULATED_GAS_LIMIT && nextFee(fee, gas) === next) return gas;
  }
  return null;
}
