import { LANE_TITLES } from '../advice.ts';
import { type DataFees, type KnownFee, NO_DATA_FEES, transactionDataFee } from '../data-fee.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { exactAmount, exactGwei, formatAmount, formatUsd, priceBeside, usdOf } from '../units.ts';
import { blocks, type Found, needs, passes, unknown, waits, warns } from './check.ts';
import { limitedWords, maxCostWords } from './cost-limit.ts';
import { isFarAbove, OVERPAYS } from './stored-auto-tx.ts';
import {
  type Bid,
  capOf,
  feesAt,
  isDue,
  isReached,
  mostFees,
  type NextPrices,
  paysAt,
  type Target,
  type Unreachable,
  unreachable,
} from './target.ts';

/** The checks of what a transaction pays: whether its account has it, when its target is reached, and what that costs. */

/** What they go by; `null`: unknown. Wei as `bigint`; prices per gas. */
export interface PriceFacts {
  readonly transaction: SignedTransaction;
  readonly order: Target;
  /** The target is the present price, because the user chose none. */
  readonly isTargetPresent?: boolean;
  /** Why this source cannot broadcast, see `cannotBroadcastReason` of target.ts; `null` when it can. */
  readonly cannotBroadcastReason?: string | null;
  readonly nativeSymbol: string;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  readonly balance: bigint | null;
  readonly nextBaseFee: bigint | null;
  /** `null` also on chains without blobs. */
  readonly nextBlobBaseFee: bigint | null;
  readonly lanePrice: bigint | null;
  /** What the chain takes beside gas; left out: nothing. */
  readonly dataFees?: Pick<DataFees, 'parameters' | 'reason'>;
}

const atLeast0 = (wei: bigint) => (wei > 0n ? wei : 0n);

export function balanceCheck(facts: PriceFacts): Found {
  const { transaction, balance, nativeSymbol } = facts;
  const { value, blobCount } = transaction;
  const l1 = l1Fee(facts);
  const withoutL1 = value + mostFees(transaction);
  const most = withoutL1 + (l1.wei ?? 0n);
  const parts = [
    ...(value > 0n ? ['the value'] : []),
    `its gas limit at its ${capName(transaction)}`,
    ...(blobCount > 0 ? ['its blobs at theirs'] : []),
    ...(l1.wei !== null && l1.wei > 0n ? [`the L1 fee of ${formatAmount(l1.wei, nativeSymbol)}`] : []),
  ].join(' + ');
  const needed = `${formatAmount(most, nativeSymbol)} (${parts})`;
  if (balance === null) return unknown(`the balance is unknown; it has to cover ${needed}`);
  const has = formatAmount(balance, nativeSymbol);
  if (balance >= most) {
    return l1.wei === null
      ? unknown(`${has} covers ${needed}, but has to cover the L1 fee too, which is unknown: ${l1.reason}`)
      : passes(`${has} covers ${needed}`);
  }
  const lacking = most - balance;
  // What lacks of the L1 fee alone is too little for three digits of the whole.
  const message =
    balance >= withoutL1
      ? `it waits: lacks ${lacking.toLocaleString('en')} wei of L1 fee: it has ${exactAmount(balance, nativeSymbol)} and needs ${exactAmount(most, nativeSymbol)} (${parts})`
      : `it waits until the account has ${formatAmount(lacking, nativeSymbol)} more: it has ${has} and needs ${needed}`;
  return needs('insufficient_balance', message);
}

/** What a rollup takes beside gas for posting it to L1, operator fee included. */
const l1Fee = ({ transaction, dataFees }: PriceFacts): KnownFee =>
  transactionDataFee(dataFees ?? NO_DATA_FEES, transaction);

/** Checks that the cap covers the next base fee. A target below the base fee waits in any case. */
export function capCheck({ target }: Pick<Target, 'target'>, bid: Bid, nextBaseFee: bigint | null): Found {
  const cap = capOf(bid);
  const limit = `it waits while the base fee is above your ${capWords(bid)}`;
  if (nextBaseFee === null) return unknown(`${limit}; the next base fee is unknown`);
  if (nextBaseFee > cap) {
    const found = target < nextBaseFee ? waits : needs;
    return found('cap_below_base', limit);
  }
  const tip = bid.maxPriorityFeePerGas;
  const left = cap - nextBaseFee;
  const squeezed =
    tip !== null && left < tip
      ? `, which leaves ${gweiBeside(left, tip)} of your priority fee of ${gwei(tip)}`
      : '';
  return passes(
    `your ${capWords(bid)} covers the next base fee of ${gweiBeside(nextBaseFee, cap)}${squeezed}`,
  );
}

export function blobCapCheck({ transaction, nextBlobBaseFee }: PriceFacts): Found {
  const cap = transaction.maxFeePerBlobGas ?? 0n;
  const limit = `it waits while the blob base fee is above your blob cap of ${gwei(cap)}`;
  if (nextBlobBaseFee === null) return unknown(`${limit}; the next blob base fee is unknown`);
  const next = gweiBeside(nextBlobBaseFee, cap);
  return nextBlobBaseFee <= cap
    ? passes(`your blob cap of ${gwei(cap)} covers the next blob base fee of ${next}`)
    : waits('blob_cap_below_base', limit);
}

export function costCheck(facts: PriceFacts): Found {
  const { transaction, nativeSymbol, nextBlobBaseFee } = facts;
  const price = priceToPay(facts);
  const blobCap = transaction.maxFeePerBlobGas ?? 0n;
  const blobPrice = nextBlobBaseFee !== null && nextBlobBaseFee < blobCap ? nextBlobBaseFee : blobCap;
  const l1 = l1Fee(facts);
  const beside = l1.wei ?? 0n;
  const blobs = transaction.blobCount > 0 ? ', blobs included' : '';
  const then = amountWords(feesAt(transaction, price.pays, blobPrice) + beside, facts);
  const most = amountWords(mostFees(transaction) + beside, facts);
  const fees =
    then === most
      ? `fees of at most ${most} at your ${capWords(transaction)}${blobs}`
      : `fees of ${price.pays === price.least ? 'about' : 'up to'} ${then} ${price.words}${blobs}; at most ${most}`;
  const posting =
    l1.wei === null
      ? `, plus the L1 fee, which is unknown: ${l1.reason}`
      : l1.wei > 0n
        ? `, L1 fee of ${amountWords(l1.wei, facts)} included`
        : '';
  const value = transaction.value > 0n ? `; it sends ${exactAmount(transaction.value, nativeSymbol)}` : '';
  if (facts.order.costLimit !== null)
    return passes(
      `${limitedWords(facts.order, transaction)}; ${most} at its ${capName(transaction)}${blobs}${posting}${value}`,
    );
  const cost = `${fees}${posting}${value}`;
  const tooMuch = overpaidWords(price, facts);
  return tooMuch === null ? passes(cost) : warns(OVERPAYS, `${tooMuch}; ${cost}`);
}

/**
 * Whether it can be included at this target, and how far the price is from it.
 * @param hold what holds it back even then
 * @param isHoldKnown whether all that may hold it back is known
 */
export function reachableCheck(facts: PriceFacts, hold: string | null, isHoldKnown: boolean): Found {
  const { order, transaction, nextBaseFee } = facts;
  const reason = unreachable(order, transaction, nextBaseFee === null ? null : nextBaseFee > 0n);
  if (reason !== null) {
    const isOfTarget = reason === 'gas-price' || reason === 'tip';
    return blocks(isOfTarget ? 'unreachable_target' : 'cap_zero', neverWords(reason, facts));
  }
  const { costLimit } = order;
  if (costLimit !== null && costLimit.reason !== null) {
    return waits(
      'target_unknown',
      `it waits to cost ${maxCostWords(costLimit.maxCost)}: ${costLimit.reason}`,
    );
  }
  const next = nextPrices(facts);
  const message = [whenWords(facts, next, hold, isHoldKnown), ...notes(facts, next)].join('; ');
  if (next === null) return unknown(message);
  return isDue(order, transaction, next) ? passes(message) : waits('target_not_reached', message);
}

function neverWords(why: Unreachable, { order, transaction }: PriceFacts): string {
  const target = `your target of ${gwei(order.target)}`;
  switch (why) {
    case 'gas-price':
      return `it always pays its gas price of ${gwei(capOf(transaction))}, which is above ${target}: that is never reached; raise the target, or sign it again with less`;
    case 'tip':
      return `its priority fee of ${gwei(transaction.maxPriorityFeePerGas ?? 0n)} leaves nothing of ${target} for the base fee: that is never reached; raise the target, or sign it again with a lower priority fee`;
    case 'no-cap':
      return `its ${capName(transaction)} is 0, and the base fee never is: it can never be included; sign it again with more`;
    case 'no-blob-cap':
      return 'its blob cap is 0, and the blob base fee is at least 1 wei: it can never be included; sign it again with more';
  }
}

/** The lane's price differs from the price the transaction pays. */
function whenWords(
  facts: PriceFacts,
  next: NextPrices | null,
  hold: string | null,
  isHoldKnown: boolean,
): string {
  const { order, transaction } = facts;
  const canBroadcast = facts.cannotBroadcastReason == null;
  const whose = order.isStrict ? 'its own price' : `the ${LANE_TITLES[order.lane]} lane`;
  const cost = order.costLimit === null ? '' : ` and it costs ${maxCostWords(order.costLimit.maxCost)}`;
  const goal = `${whose} is at or below ${gwei(order.target)}${cost}`;
  const waits = canBroadcast ? 'it waits' : 'it would wait';
  if (next === null) return `${waits} until ${goal}; the price is unknown now`;
  if (!isReached(order, transaction, next)) return `${waits} until ${goal}`;
  if (!isDue(order, transaction, next)) {
    return `target reached; ${waits} until the base fee is at or below your ${capWords(transaction)}`;
  }
  if (!canBroadcast) return 'target reached';
  if (hold !== null) return `target reached; waits for ${hold}`;
  const pays = overpaidBy(facts);
  const own = pays === null ? '' : `, but pays ${gweiBeside(pays, order.target)} itself (see cost)`;
  return `target reached: it ${isHoldKnown ? 'is' : 'may be'} broadcast at once${own}`;
}

/** `null` when a needed price is unknown. A strict target needs no lane price. */
function nextPrices({ order, nextBaseFee, lanePrice }: PriceFacts): NextPrices | null {
  if (nextBaseFee === null || (!order.isStrict && lanePrice === null)) return null;
  return { nextBaseFee, lanePrice: lanePrice ?? 0n };
}

function notes(facts: PriceFacts, next: NextPrices | null): readonly string[] {
  const { order, transaction, cannotBroadcastReason } = facts;
  const isThere = next !== null && isReached(order, transaction, next);
  const isCapped = !order.isStrict && capOf(transaction) < order.target && !isThere;
  const isTipless = transaction.maxFeePerGas !== null && transaction.maxPriorityFeePerGas === 0n;
  return [
    cannotBroadcastReason != null && `nothing is broadcast from here: ${cannotBroadcastReason}`,
    isCapped &&
      `it also waits while the base fee is above your ${capWords(transaction)}, which is below the target`,
    isTipless && 'its priority fee is 0, so blocks may leave it out',
  ].filter((each) => each !== false);
}

/** `pays`: wei per gas; `least`: if only the base fee falls; `isMost`: an upper bound, because a price is unknown. */
interface PriceToPay {
  readonly pays: bigint;
  readonly least: bigint;
  readonly isMost: boolean;
  /** `at 5.35 gwei, its own tip included, when the Average lane is at your target of 5 gwei` */
  readonly words: string;
}

/**
 * In the next block when its target is reached, else at the target. Its lane comes down by base fee or tips: where the present
 * base fee is no higher than the target, it may stay, and the transaction adds its own signed tip. A strict target is the
 * transaction's own price.
 */
function priceToPay(facts: PriceFacts): PriceToPay {
  const { transaction, order, lanePrice, nextBaseFee, isTargetPresent } = facts;
  const { target } = order;
  const cap = capOf(transaction);
  const next = nextPrices(facts);
  if (isTargetPresent || (next !== null && isDue(order, transaction, next))) {
    const pays = nextBaseFee === null ? cap : paysAt(transaction, nextBaseFee);
    const when = isTargetPresent ? 'at the present price of' : 'in the next block, at';
    return { pays, least: pays, isMost: nextBaseFee === null, words: `${when} ${gweiBeside(pays, target)}` };
  }
  const atTarget = `at your target of ${gwei(target)}`;
  if (order.isStrict) {
    const pays = transaction.maxFeePerGas === null || cap < target ? cap : target;
    return { pays, least: pays, isMost: false, words: atTarget };
  }
  const laneTip = nextBaseFee === null || lanePrice === null ? 0n : atLeast0(lanePrice - nextBaseFee);
  const least = paysAt(transaction, atLeast0(target - laneTip));
  const base = nextBaseFee !== null && nextBaseFee < target ? nextBaseFee : target;
  const pays = paysAt(transaction, base);
  const price = `${gweiBeside(pays, target)}${next === null ? ' or less' : ''}`;
  const words = `at ${price}, its own tip included, when the ${LANE_TITLES[order.lane]} lane is ${atTarget}`;
  return { pays, least, isMost: next === null, words };
}

/** The minimum price it pays, wei per gas, when that is far above its lane's target; else `null`. */
function overpaidBy(facts: PriceFacts, { least: known, isMost } = priceToPay(facts)): bigint | null {
  const { transaction, order, isTargetPresent } = facts;
  if (isTargetPresent || order.isStrict) return null;
  // It pays its tip at any base fee.
  const least = isMost ? paysAt(transaction, 0n) : known;
  return isFarAbove(least, order.target) ? least : null;
}

/** A warning where the transaction pays much more than its lane's target; else `null`. */
function overpaidWords(price: PriceToPay, facts: PriceFacts): string | null {
  const { transaction, order } = facts;
  const least = overpaidBy(facts, price);
  if (least === null) return null;
  const tip = transaction.maxFeePerGas === null ? null : transaction.maxPriorityFeePerGas;
  const field = tip === null ? `gas price of ${gwei(least)}` : `own priority fee of ${gwei(tip)}`;
  const pays = `${price.isMost ? 'at least' : 'about'} ${gweiBeside(least, order.target)}`;
  const strict = unreachable({ ...order, isStrict: true }, transaction, true);
  const advice = `${strict === null ? 'use a strict target, or ' : ''}sign it again with a lower one`;
  return `its ${field} makes it pay ${pays}, far above your target of ${gwei(order.target)}: ${advice}`;
}

/** A user-chosen price, exact: `30 gwei`. */
const gwei = (wei: bigint) => `${exactGwei(wei)} gwei`;

/** A price next to a user-chosen one: three digits, or as many as distinguish the two. */
const gweiBeside = (wei: bigint, chosen: bigint) => `${priceBeside(wei, chosen)} gwei`;

/** The limiting field: `cap of 30 gwei`, `gas price of 30 gwei`. */
const capWords = (bid: Bid) => `${capName(bid)} of ${gwei(capOf(bid))}`;

const capName = ({ maxFeePerGas }: Bid) => (maxFeePerGas === null ? 'gas price' : 'cap');

/** `0.00105 ETH ($3.20)`; without dollars when the coin's price is unknown. */
function amountWords(wei: bigint, { nativeSymbol, nativeUsd }: PriceFacts): string {
  const native = formatAmount(wei, nativeSymbol);
  return nativeUsd === null ? native : `${native} (${formatUsd(usdOf(wei, nativeUsd))})`;
}
