import { LANE_TITLES } from '../advice.ts';
import { chainProfile } from '../chains.ts';
import { type KnownFee, NO_DATA_FEES, transactionDataFee } from '../data-fee.ts';
import { GAS_PER_BLOB } from '../eip4844.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { exactAmount, exactGwei, formatAmount, formatUsd, priceBeside, usdOf } from '../units.ts';
import {
  blocks,
  type Found,
  isFarAbove,
  needs,
  OVERPAYS,
  passes,
  unknown,
  waits,
  warns,
} from './kept-auto-tx.ts';
import type { PreflightFacts } from './preflight.ts';
import {
  type Bid,
  capOf,
  isDue,
  isReached,
  type NextPrices,
  paysAt,
  type Unreachable,
  unreachable,
} from './target.ts';

/** The next block's fees, and the transaction's bid. */
interface CapFacts extends Pick<PreflightFacts, 'order' | 'nextBaseFee' | 'nextBlobBaseFee'> {
  readonly transaction: Bid & Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>;
}

const atLeast0 = (wei: bigint) => (wei > 0n ? wei : 0n);

export function balanceCheck(facts: PreflightFacts): Found {
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
  if (balance >= withoutL1) {
    const missing = `${(most - balance).toLocaleString('en')} wei`;
    const message = `it waits: lacks ${missing} of L1 fee: it has ${exactAmount(balance, nativeSymbol)} and needs ${exactAmount(most, nativeSymbol)} (${parts})`;
    return needs('insufficient_balance', message);
  }
  const lacking = formatAmount(most - balance, nativeSymbol);
  const message = `it waits until the account has ${lacking} more: it has ${has} and needs ${needed}`;
  return needs('insufficient_balance', message);
}

/** What a rollup takes beside gas for posting it to L1, operator fee included. */
const l1Fee = ({ transaction, dataFees }: PreflightFacts): KnownFee =>
  transactionDataFee(dataFees ?? NO_DATA_FEES, transaction);

/** Checks that the cap covers the next base fee. A target below the base fee waits in any case. */
export function capCheck({ order, transaction, nextBaseFee }: CapFacts): Found {
  const cap = capOf(transaction);
  const limit = `it waits while the base fee is above your ${capWords(transaction)}`;
  if (nextBaseFee === null) return unknown(`${limit}; the next base fee is unknown`);
  if (nextBaseFee > cap) {
    const found = order.target < nextBaseFee ? waits : needs;
    return found('cap_below_base', limit);
  }
  const tip = transaction.maxPriorityFeePerGas;
  const left = cap - nextBaseFee;
  const squeezed =
    tip !== null && left < tip
      ? `, which leaves ${gweiBeside(left, tip)} of your priority fee of ${gwei(tip)}`
      : '';
  return passes(
    `your ${capWords(transaction)} covers the next base fee of ${gweiBeside(nextBaseFee, cap)}${squeezed}`,
  );
}

export function blobCapCheck({ transaction, nextBlobBaseFee }: CapFacts): Found {
  const cap = transaction.maxFeePerBlobGas ?? 0n;
  const limit = `it waits while the blob base fee is above your blob cap of ${gwei(cap)}`;
  if (nextBlobBaseFee === null) return unknown(`${limit}; the next blob base fee is unknown`);
  const next = gweiBeside(nextBlobBaseFee, cap);
  return nextBlobBaseFee <= cap
    ? passes(`your blob cap of ${gwei(cap)} covers the next blob base fee of ${next}`)
    : waits('blob_cap_below_base', limit);
}

/** Why the next block does not include it; `null` when nothing prevents it or the fees are unknown. */
export function capObstacle(facts: CapFacts): { readonly code: string; readonly message: string } | null {
  const checks =
    facts.transaction.blobCount === 0 ? [capCheck(facts)] : [capCheck(facts), blobCapCheck(facts)];
  for (const { code, message } of checks) if (code !== null) return { code, message };
  return null;
}

export function costCheck(facts: PreflightFacts): Found {
  const { transaction, nativeSymbol } = facts;
  const price = priceToPay(facts);
  const l1 = l1Fee(facts);
  const beside = l1.wei ?? 0n;
  const blobs = transaction.blobCount > 0 ? ', blobs included' : '';
  const then = amountWords(feesAt(price.pays, facts) + beside, facts);
  const most = amountWords(mostFees(transaction) + beside, facts);
  const fees =
    then === most
      ? `fees of at most ${most} at your ${capWords(transaction)}${blobs}`
      : `fees of about ${then} ${priceWords(price, facts)}${blobs}; at most ${most}`;
  const posting =
    l1.wei === null
      ? `, plus the L1 fee, which is unknown: ${l1.reason}`
      : l1.wei > 0n
        ? `, L1 fee of ${amountWords(l1.wei, facts)} included`
        : '';
  const value = transaction.value > 0n ? `; it sends ${exactAmount(transaction.value, nativeSymbol)}` : '';
  const cost = `${fees}${posting}${value}`;
  const tooMuch = overpaidWords(price, facts);
  return tooMuch === null ? passes(cost) : warns(OVERPAYS, `${tooMuch}; ${cost}`);
}

/** No price reaches the target, whatever gas costs. */
export const UNREACHABLE_TARGET = 'unreachable_target';

/** Whether it can be included at this target, and how far the price is from it. @param hold what holds it back even then */
export function reachableCheck(facts: PreflightFacts, hold: string | null): Found {
  const { order, transaction, nextBaseFee } = facts;
  const reason = unreachable(order, transaction, nextBaseFee === null ? null : nextBaseFee > 0n);
  if (reason !== null) {
    const isOfTarget = reason === 'gas-price' || reason === 'tip';
    return blocks(isOfTarget ? UNREACHABLE_TARGET : 'cap_zero', neverWords(reason, facts));
  }
  const next = nextPrices(facts);
  const message = [whenWords(facts, next, hold), ...notes(facts, next)].join('; ');
  if (next === null) return unknown(message);
  return isDue(order, transaction, next) ? passes(message) : waits('target_not_reached', message);
}

function neverWords(why: Unreachable, { order, transaction }: PreflightFacts): string {
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
function whenWords(facts: PreflightFacts, next: NextPrices | null, hold: string | null): string {
  const { order, transaction } = facts;
  const canBroadcast = facts.cannotBroadcastReason == null;
  const goal = `${order.isStrict ? 'its own price' : `the ${LANE_TITLES[order.lane]} lane`} is at or below ${gwei(order.target)}`;
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
  return `target reached: it is broadcast at once${own}`;
}

/** `null` when a needed price is unknown. A strict target needs no lane price. */
function nextPrices({ order, nextBaseFee, lanePrice }: PreflightFacts): NextPrices | null {
  if (nextBaseFee === null || (!order.isStrict && lanePrice === null)) return null;
  return { nextBaseFee, lanePrice: lanePrice ?? 0n };
}

function notes(facts: PreflightFacts, next: NextPrices | null): readonly string[] {
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

/** Wei per gas; `isMost`: an upper bound, because a price is unknown. */
type PriceToPay = { readonly when: 'now' | 'at-target'; readonly pays: bigint; readonly isMost: boolean };

/**
 * In the next block when its target is reached, else at the target: the base fee is then the target minus today's lane tip,
 * and the transaction adds its own signed tip. A strict target is the transaction's own price.
 */
function priceToPay(facts: PreflightFacts): PriceToPay {
  const { transaction, order, lanePrice, nextBaseFee, isTargetPresent } = facts;
  const cap = capOf(transaction);
  const next = nextPrices(facts);
  if (isTargetPresent === true || (next !== null && isDue(order, transaction, next))) {
    const pays = nextBaseFee === null ? cap : paysAt(transaction, nextBaseFee);
    return { when: 'now', pays, isMost: nextBaseFee === null };
  }
  if (order.isStrict) {
    const pays = transaction.maxFeePerGas === null || cap < order.target ? cap : order.target;
    return { when: 'at-target', pays, isMost: false };
  }
  const laneTip = nextBaseFee === null || lanePrice === null ? 0n : atLeast0(lanePrice - nextBaseFee);
  const pays = paysAt(transaction, atLeast0(order.target - laneTip));
  return { when: 'at-target', pays, isMost: next === null };
}

/** `at 5.35 gwei, its own tip included, when the Average lane is at your target of 5 gwei` */
function priceWords({ when, pays, isMost }: PriceToPay, { order, isTargetPresent }: PreflightFacts): string {
  const { target, isStrict, lane } = order;
  const price = gweiBeside(pays, target);
  if (isTargetPresent === true) return `at the present price of ${price}`;
  if (when === 'now') return `in the next block, at ${price}`;
  if (isStrict) return `at your target of ${gwei(target)}`;
  return `at ${price}${isMost ? ' or less' : ''}, its own tip included, when the ${LANE_TITLES[lane]} lane is at your target of ${gwei(target)}`;
}

/** The minimum price it pays, wei per gas, when that is far above its lane's target; else `null`. */
function overpaidBy(facts: PreflightFacts, { pays, isMost } = priceToPay(facts)): bigint | null {
  const { transaction, order, isTargetPresent } = facts;
  if (isTargetPresent === true || order.isStrict) return null;
  // It pays its tip at any base fee.
  const least = isMost ? paysAt(transaction, 0n) : pays;
  return isFarAbove(least, order.target) ? least : null;
}

/** A warning where the transaction pays much more than its lane's target; else `null`. */
function overpaidWords(price: PriceToPay, facts: PreflightFacts): string | null {
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

/** Blob gas: 131,072 for each blob (EIP-4844). */
const blobGas = ({ blobCount }: SignedTransaction) => BigInt(blobCount) * GAS_PER_BLOB;

/** The whole gas limit at the cap, plus blobs at their cap; wei. Nodes require that balance, and the value. */
const mostFees = (transaction: SignedTransaction) =>
  transaction.gasLimit * capOf(transaction) + blobGas(transaction) * (transaction.maxFeePerBlobGas ?? 0n);

/** Fees at a price per gas when it uses its whole gas limit, wei; blobs at their present price. */
function feesAt(price: bigint, { transaction, nextBlobBaseFee }: PreflightFacts): bigint {
  const blobCap = transaction.maxFeePerBlobGas ?? 0n;
  const blobPrice = nextBlobBaseFee !== null && nextBlobBaseFee < blobCap ? nextBlobBaseFee : blobCap;
  return transaction.gasLimit * price + blobGas(transaction) * blobPrice;
}

/** A user-chosen price, exact: `30 gwei`. */
const gwei = (wei: bigint) => `${exactGwei(wei)} gwei`;

/** A price next to a user-chosen one: three digits, or as many as distinguish the two. */
const gweiBeside = (wei: bigint, chosen: bigint) => `${priceBeside(wei, chosen)} gwei`;

/** The limiting field: `cap of 30 gwei`, `gas price of 30 gwei`. */
const capWords = (bid: Bid) => `${capName(bid)} of ${gwei(capOf(bid))}`;

const capName = ({ maxFeePerGas }: Bid) => (maxFeePerGas === null ? 'gas price' : 'cap');

/** `0.00105 ETH ($3.20)`; without dollars when the coin's price is unknown. */
function amountWords(wei: bigint, { nativeSymbol, nativeUsd }: PreflightFacts): string {
  const native = formatAmount(wei, nativeSymbol);
  return nativeUsd === null ? native : `${native} (${formatUsd(usdOf(wei, nativeUsd))})`;
}

/** `Ethereum (chain 1)`, `chain 4711`. */
export function chainWords(id: number, name = chainProfile(id).name): string {
  const numbered = `chain ${id}`;
  return name === numbered ? name : `${name} (${numbered})`;
}
