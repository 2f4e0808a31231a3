import type { PreflightFacts } from './preflight-facts.ts';
import { gwei, gweiBeside, laneWords } from './preflight-words.ts';
import { capOf, isDue, paysAt, unreachable } from './target.ts';

type Facts = Pick<PreflightFacts, 'transaction' | 'order' | 'lanePrice' | 'nextBaseFee' | 'isTargetPresent'>;

/** What a transaction is going to pay per gas, wei, and when that is. */
export interface PriceToPay {
  readonly when: 'now' | 'at-target';
  readonly pays: bigint;
  /** It may be less: nobody says what the lane leaves of the target for the base fee. */
  readonly isMost: boolean;
}

/**
 * What it pays when it goes out: in the next block where its target is reached, else when it is. A lane's price is a base
 * fee and a tip of its own, so that with a normal target the base fee is then what today's tip of the lane leaves of the
 * target, to which the transaction adds the tip that was signed. A strict target is what it pays itself.
 */
export function priceToPay({
  transaction,
  order,
  lanePrice,
  nextBaseFee,
  isTargetPresent,
}: Facts): PriceToPay {
  const at = (baseFee: bigint) => paysAt(transaction, baseFee);
  if (isTargetPresent === true) {
    if (nextBaseFee === null) return { when: 'now', pays: capOf(transaction), isMost: true };
    return { when: 'now', pays: at(nextBaseFee), isMost: false };
  }
  const isLaneKnown = order.isStrict || lanePrice !== null;
  if (nextBaseFee !== null && isLaneKnown) {
    const next = { nextBaseFee, lanePrice: lanePrice ?? 0n };
    if (isDue(order, transaction, next)) return { when: 'now', pays: at(nextBaseFee), isMost: false };
  }
  const cap = capOf(transaction);
  if (order.isStrict) {
    const pays = transaction.maxFeePerGas === null || cap < order.target ? cap : order.target;
    return { when: 'at-target', pays, isMost: false };
  }
  if (nextBaseFee === null || lanePrice === null) {
    return { when: 'at-target', pays: at(order.target), isMost: true };
  }
  const laneTip = lanePrice > nextBaseFee ? lanePrice - nextBaseFee : 0n;
  const baseFee = order.target > laneTip ? order.target - laneTip : 0n;
  return { when: 'at-target', pays: at(baseFee), isMost: false };
}

/** `at about 5.35 gwei, which it pays when the Average lane is at your target of 5 gwei` */
export function priceWords({ when, pays, isMost }: PriceToPay, { order, isTargetPresent }: Facts): string {
  const { target, isStrict, lane } = order;
  const price = gweiBeside(pays, target);
  if (isTargetPresent === true) return `at the present price of ${price}`;
  if (when === 'now') return `in the next block, at ${price}`;
  if (isStrict) return `at your target of ${gwei(target)}`;
  return `at ${isMost ? 'most' : 'about'} ${price}, which it pays when the ${laneWords(lane)} lane is at your target of ${gwei(target)}`;
}

/** More than by half: that it pays a little more, the cost says. */
const isFarAbove = (pays: bigint, target: bigint) => 2n * pays > 3n * target;

/** What it pays at least, wei per gas, where that is far above the target of its lane; `null`: it is not. */
export function overpaidBy(facts: Facts, { pays, isMost } = priceToPay(facts)): bigint | null {
  const { transaction, order, isTargetPresent } = facts;
  if (isTargetPresent === true || order.isStrict) return null;
  // It pays its tip, whatever the base fee is.
  const least = isMost ? paysAt(transaction, 0n) : pays;
  return isFarAbove(least, order.target) ? least : null;
}

/** That a lane's price reaches the target does not mean that it pays no more itself; `null`: it does not pay much more. */
export function overpaidWords(price: PriceToPay, facts: Facts): string | null {
  const { when, isMost } = price;
  const { transaction, order } = facts;
  const { target, lane } = order;
  const least = overpaidBy(facts, price);
  if (least === null) return null;
  if (transaction.maxFeePerGas === null) {
    return `it always pays its gas price of ${gwei(least)}, whatever the ${laneWords(lane)} lane costs: sign it again with less to pay your target of ${gwei(target)}`;
  }
  const strict = unreachable({ ...order, isStrict: true }, transaction, true);
  const advice = `${strict === null ? 'use a strict target, or ' : ''}sign it again with a lower one`;
  const then =
    when === 'now'
      ? `in the next block, above your target of ${gwei(target)}`
      : `when the ${laneWords(lane)} lane is at your target of ${gwei(target)}`;
  return `its own priority fee of ${gwei(transaction.maxPriorityFeePerGas ?? 0n)} makes it pay ${isMost ? 'at least' : 'about'} ${gweiBeside(least, target)} ${then}: ${advice}`;
}
