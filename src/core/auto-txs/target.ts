import type { LaneName } from '../advice.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import type { AutoTxOrder } from './kept-auto-tx.ts';

/** What a transaction bids, wei per gas. */
export type Bid = Pick<SignedTransaction, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** When to send: {@link AutoTxOrder} without its end. */
export type Target = Pick<AutoTxOrder, 'target' | 'lane' | 'isStrict'>;

/** What the next block is expected to ask for, wei per gas. */
export interface NextPrices {
  readonly nextBaseFee: bigint;
  /** Of the lane that the order names. */
  readonly lanePrice: bigint;
}

/** The most that it pays per gas, wei: `maxFeePerGas`, or its gas price. No block with a higher base fee takes it. */
export function capOf({ maxFeePerGas, gasPrice }: Bid): bigint {
  return maxFeePerGas ?? gasPrice ?? 0n;
}

/**
 * What it pays per gas in a block with this base fee, wei: min(maxFeePerGas, base fee + tip), or its gas price
 * (EIP-1559). Where the base fee is above its cap that is the cap, and no block takes it.
 */
export function paysAt(bid: Bid, baseFee: bigint): bigint {
  const cap = capOf(bid);
  if (bid.maxFeePerGas === null) return cap;
  const price = baseFee + (bid.maxPriorityFeePerGas ?? 0n);
  return price < cap ? price : cap;
}

/** What sending it at this base fee costs per gas, wei; where its cap is too low for that: with a cap that is not. */
export function ownPriceAt(bid: Bid, baseFee: bigint): bigint {
  return capOf(bid) < baseFee ? baseFee + (bid.maxPriorityFeePerGas ?? 0n) : paysAt(bid, baseFee);
}

/**
 * The price that is compared with the target, wei per gas: the lane's, or what this very transaction would pay in the
 * next block. `null`: a strict draft, whose bid is unknown yet.
 */
export function comparedPrice(order: Target, bid: Bid | null, next: NextPrices): bigint | null {
  if (!order.isStrict) return next.lanePrice;
  return bid === null ? null : paysAt(bid, next.nextBaseFee);
}

/** Whether the compared price is at or below the target, whether or not a block can take it. */
export function isReached(order: Target, bid: Bid, next: NextPrices): boolean {
  const price = comparedPrice(order, bid, next);
  return price !== null && price <= order.target;
}

/** Whether it goes out: its target is reached, and its cap covers the next base fee. */
export function isDue(order: Target, bid: Bid, next: NextPrices): boolean {
  return capOf(bid) >= next.nextBaseFee && isReached(order, bid, next);
}

/**
 * At which prices an auto-tx is due, for an index: where `wakeLane` is set, once that lane's price is at or below
 * `wakePrice`; where `wakeBase` is, once the next base fee is at or below that; where neither is, never. And in any case
 * only while the next base fee is at or below `cap`. Says exactly what {@link isDue} says. Wei per gas.
 */
export interface Wakes {
  readonly wakeLane: LaneName | null;
  readonly wakePrice: bigint | null;
  readonly wakeBase: bigint | null;
  readonly cap: bigint;
}

export function wakesOf(order: Target, bid: Bid): Wakes {
  const cap = capOf(bid);
  if (!order.isStrict) return { wakeLane: order.lane, wakePrice: order.target, wakeBase: null, cap };
  return { wakeLane: null, wakePrice: null, wakeBase: highestBaseWithin(order.target, bid), cap };
}

/** The highest base fee at which it pays no more than `target` and a block takes it; `null`: there is none. */
function highestBaseWithin(target: bigint, bid: Bid): bigint | null {
  const cap = capOf(bid);
  if (cap <= target) return cap;
  if (bid.maxFeePerGas === null) return null;
  const base = target - (bid.maxPriorityFeePerGas ?? 0n);
  return base >= 0n ? base : null;
}

/** Why it can never go out, whatever the price does. */
export type Unreachable = 'gas-price' | 'tip' | 'no-cap' | 'no-blob-cap';

/**
 * Why the target can never be reached; `null`: it can.
 *
 * A base fee falls by a share of itself, rounded down (EIP-1559), so that one above 0 never comes to 0, and a blob's is
 * at least 1 wei (EIP-4844).
 *
 * @param chainHasBaseFee `null`: unknown
 */
export function unreachable(
  order: Target,
  transaction: Bid & Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>,
  chainHasBaseFee: boolean | null,
): Unreachable | null {
  if (chainHasBaseFee === true && capOf(transaction) === 0n) return 'no-cap';
  if (transaction.blobCount > 0 && transaction.maxFeePerBlobGas === 0n) return 'no-blob-cap';
  if (!order.isStrict) return null;
  const highest = highestBaseWithin(order.target, transaction);
  if (highest === null) return transaction.maxFeePerGas === null ? 'gas-price' : 'tip';
  return highest === 0n && chainHasBaseFee === true ? 'tip' : null;
}

/** Why the source of the prices takes no transactions, `a recording takes no transactions`; `null`: something can. */
export function cannotBroadcastReason(kind: 'rpc' | 'replay' | 'simulated' | 'service'): string | null {
  return kind === 'replay' ? 'a recording takes no transactions' : null;
}
