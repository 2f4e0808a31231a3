import { setImmediate } from 'node:timers/promises';
import type { Block, Hex } from '../core/block.ts';
import {
  blobBaseFeeOf,
  createTips,
  NOISE,
  placeOf,
  randomBits,
  remembering,
  SIMULATED_GAS_LIMIT,
  type SimulatedDay,
  simulateDay,
  timestampOf,
} from '../core/simulation.ts';

/** A day takes 130 kB. */
const DAYS_KEPT = 4;

/** Answers any block of the simulated chain that belongs to `seed`, past or future. */
export function createSimulatedBlocks(seed: number): (number: number) => Promise<Block> {
  /** Least recently used first. */
  const days = new Map<number, Promise<SimulatedDay>>();
  const tipsOf = createTips(seed);
  const blobFees = new Map<number, bigint>();
  const hashAt = remembering((number) => hashOf(seed, number));

  const dayOf = (day: number): Promise<SimulatedDay> => {
    const found = days.get(day) ?? compute(seed, day);
    days.delete(day);
    days.set(day, found);
    for (const oldest of days.keys()) {
      if (days.size <= DAYS_KEPT) break;
      days.delete(oldest);
    }
    return found;
  };
  const blobFeeOf = (excess: number): bigint => {
    // A few thousand values at most: the excess is in whole blobs.
    const fee = blobFees.get(excess) ?? blobBaseFeeOf(excess);
    blobFees.set(excess, fee);
    return fee;
  };

  return async (number) => {
    const { day, index } = placeOf(number);
    const { baseFee, gasUsed, demand, excessBlobs } = await dayOf(day);
    // First the parent's: going up, it is the hash of the block before.
    const parentHash = hashAt(number - 1);
    const timestamp = timestampOf(seed, day, index);
    const gas = gasUsed[index] ?? 0;
    return {
      number,
      hash: hashAt(number),
      parentHash,
      timestamp,
      baseFeePerGas: BigInt(baseFee[index] ?? 0),
      gasUsed: BigInt(gas),
      gasLimit: BigInt(SIMULATED_GAS_LIMIT),
      gasUsedRatio: gas / SIMULATED_GAS_LIMIT,
      blobBaseFee: blobFeeOf(excessBlobs[index] ?? 0),
      nextBaseFee: BigInt(baseFee[index + 1] ?? 0),
      nextBlobBaseFee: blobFeeOf(excessBlobs[index + 1] ?? 0),
      tips: tipsOf({ number, timestamp, gasUsed: gas, demand: demand[index] ?? 0 }),
    };
  };
}

async function compute(seed: number, day: number): Promise<SimulatedDay> {
  const steps = simulateDay(seed, day);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

/** There is one chain per seed, so a hash needs to say no more than seed and number. */
function hashOf(seed: number, number: number): Hex {
  const bytes = Buffer.allocUnsafe(32);
  for (let word = 0; word < 8; word++) {
    bytes.writeUInt32BE(randomBits(seed, NOISE.hash, number, word), word * 4);
  }
  return `0x${bytes.toString('hex')}`;
}
