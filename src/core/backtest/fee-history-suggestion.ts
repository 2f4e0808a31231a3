import type { LaneName } from '../advice.ts';
import type { Offer } from './offer.ts';
import type { Stretch } from './stretch.ts';

const BLOCKS = 300;
/** Share of the weight below which a base fee counts nothing, and from which everything. */
const LOW = 0.1;
const HIGH = 0.3;
/** Of what a longer wait may ask more than a shorter one, this share goes into the tip. */
const EXTRA_TIP = 0.25;
const FULL_BLOCK = 0.9;
/** The rule's time factor, of 0 (now) to 15 (patient). */
const TIME_FACTOR: Readonly<Record<LaneName, number>> = { slow: 15, average: 3, fast: 0 };

/**
 * The rule of geth's fee history document: low quantiles of the last 300 base fees, younger blocks weighted more, smoothed
 * by half a sine between the 10 % and 30 % quantile; a shorter wait never signs less than a longer one.
 */
export function feeHistorySuggestion(blocks: Stretch, at: number, lane: LaneName, tip: number): Offer {
  const fees = recentFees(blocks, at);
  const order = [...fees.keys()].sort((a, b) => (fees[a] ?? 0) - (fees[b] ?? 0));
  let highest = 0;
  for (let factor = 15; factor > TIME_FACTOR[lane]; factor -= 1) {
    highest = Math.max(highest, lowFee(fees, order, factor));
  }
  const own = lowFee(fees, order, TIME_FACTOR[lane]);
  const extra = Math.max(highest - own, 0) * EXTRA_TIP;
  return { cap: Math.round(Math.max(own, highest) + tip + extra), tip: Math.round(tip + extra) };
}

/** The last base fees with the next block's worst case at the end; full blocks count as dear as what follows them. */
function recentFees(blocks: Stretch, at: number): number[] {
  const first = Math.max(at - BLOCKS + 1, 0);
  const fees = Array.from(blocks.baseFee.subarray(first, at + 1));
  fees.push(((blocks.nextBaseFee[at] ?? 0) * 9) / 8);
  for (let index = at; index >= first; index -= 1) {
    if ((blocks.gasUsedRatio[index] ?? 0) > FULL_BLOCK) fees[index - first] = fees[index - first + 1] ?? 0;
  }
  return fees;
}

function lowFee(fees: readonly number[], order: readonly number[], timeFactor: number): number {
  if (timeFactor === 0) return fees.at(-1) ?? 0;
  const newest = (1 - Math.exp(-1 / timeFactor)) / (1 - Math.exp(-fees.length / timeFactor));
  let weight = 0;
  let counted = 0;
  let fee = 0;
  for (const index of order) {
    weight += newest * Math.exp((index - fees.length + 1) / timeFactor);
    const share = halfSine(weight);
    fee += (share - counted) * (fees[index] ?? 0);
    counted = share;
    if (share >= 1) break;
  }
  return fee;
}

function halfSine(weight: number): number {
  if (weight <= LOW) return 0;
  if (weight >= HIGH) return 1;
  return (1 - Math.cos(((weight - LOW) / (HIGH - LOW)) * Math.PI)) / 2;
}
