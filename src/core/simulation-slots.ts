import { NOISE, randomBits } from './simulation-noise.ts';

export const SLOT_SEC = 12;
export const DAY_SEC = 86_400;

/** One slot of every stretch of 200 is missed, near no end of it. */
const STRETCH = 200;
const SLOTS_PER_DAY = DAY_SEC / SLOT_SEC;
export const BLOCKS_PER_DAY = (SLOTS_PER_DAY / STRETCH) * (STRETCH - 1);
/** 1 January 2016 in days since 1970: block 0 is at its midnight UTC. */
const GENESIS_DAY = 16_801;

/** Where in its stretch the missed slot lies. */
function missedAt(seed: number, day: number, stretch: number): number {
  return 10 + (randomBits(seed, NOISE.missedSlot, day, stretch) % 140);
}

/** A block's place: days since 1970 and position within the day. */
export function placeOf(number: number): { readonly day: number; readonly index: number } {
  return { day: GENESIS_DAY + Math.floor(number / BLOCKS_PER_DAY), index: number % BLOCKS_PER_DAY };
}

/** Unix seconds of the block at `index` (0 to `BLOCKS_PER_DAY` − 1) of a day. */
export function timestampOf(seed: number, day: number, index: number): number {
  const stretch = Math.floor(index / (STRETCH - 1));
  const within = index % (STRETCH - 1);
  const slot = stretch * STRETCH + within + (within >= missedAt(seed, day, stretch) ? 1 : 0);
  return day * DAY_SEC + slot * SLOT_SEC;
}

/** Number of the newest block at `time` (Unix seconds); 0 before the chain began. */
export function numberAt(seed: number, time: number): number {
  const day = Math.floor(time / DAY_SEC);
  if (day < GENESIS_DAY) return 0;
  const slot = Math.floor((time - day * DAY_SEC) / SLOT_SEC);
  const stretch = Math.floor(slot / STRETCH);
  const within = slot % STRETCH;
  const blocks = within >= missedAt(seed, day, stretch) ? within - 1 : within;
  return (day - GENESIS_DAY) * BLOCKS_PER_DAY + stretch * (STRETCH - 1) + blocks;
}
