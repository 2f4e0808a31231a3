import { GAS_PER_BLOB } from '../eip4844.ts';
import { driftOf } from '../threshold/threshold.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import type { AutoTxOrder } from './order.ts';

export type Bid = Pick<SignedTransaction, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** When to send: {@link AutoTxOrder} without its expiry. */
export type Target = Pick<AutoTxOrder, 'target' | 'lane' | 'isStrict' | 'costLimit'>;

export interface NextPrices {
  readonly nextBaseFee: bigint;
  readonly lanePrice: bigint;
}

/** The maximum price per gas, wei: `maxFeePerGas`, or the gas price. No block with a higher base fee includes it. */
export const capOf = ({ maxFeePerGas, gasPrice }: Bid): bigint => maxFeePerGas ?? gasPrice ?? 0n;

/** The price per gas in a block with this base fee, wei (EIP-1559). Below the base fee no block includes it. */
export function paysAt(bid: Bid, baseFee: bigint): bigint {
  const cap = capOf(bid);
  if (bid.maxFeePerGas === null) return cap;
  const price = baseFee + (bid.maxPriorityFeePerGas ?? 0n);
  return price < cap ? price : cap;
}

interface GasAndBlobs extends Pick<SignedTransaction, 'gasLimit'> {
  readonly blobCount: number | null;
}

/** Wei for its whole gas limit and its blobs (EIP-4844) at these prices. */
export const feesAt = ({ gasLimit, blobCount }: GasAndBlobs, price: bigint, blobPrice: bigint): bigint =>
  gasLimit * price + BigInt(blobCount ?? 0) * GAS_PER_BLOB * blobPrice;

/** The same at its caps: nodes require that balance, and the value. */
export const mostFees = (
  transaction: GasAndBlobs & Bid & Pick<SignedTransaction, 'maxFeePerBlobGas'>,
): bigint => feesAt(transaction, capOf(transaction), transaction.maxFeePerBlobGas ?? 0n);

/** The price per gas of sending it at this base fee, wei; if its cap is too low, as if the cap sufficed. */
export const ownPriceAt = (bid: Bid, baseFee: bigint): bigint =>
  capOf(bid) < baseFee ? baseFee + (bid.maxPriorityFeePerGas ?? 0n) : paysAt(bid, baseFee);

/** The price compared with the target, wei per gas. `null`: of a strict draft, whose bid is unknown. */
export function comparedPrice(order: Target, bid: Bid | null, next: NextPrices): bigint | null {
  if (!order.isStrict) return next.lanePrice;
  return bid === null ? null : paysAt(bid, next.nextBaseFee);
}

/** Whether its limit of cost stands for no price now, so that it waits. */
export const isUnpriced = ({ costLimit }: Pick<AutoTxOrder, 'costLimit'>): boolean =>
  costLimit !== null && costLimit.reason !== null;

/** Whether the compared price is at or below the target, even if no block can include it. */
export function isReached(order: Target, bid: Bid, next: NextPrices): boolean {
  if (isUnpriced(order)) return false;
  const price = comparedPrice(order, bid, next);
  return price !== null && price <= order.target;
}

/** Whether to send it: its target is reached, and its cap covers the next base fee. */
export const isDue = (order: Target, bid: Bid, next: NextPrices): boolean =>
  capOf(bid) >= next.nextBaseFee && isReached(order, bid, next);

/**
 * Prices at which an auto-tx is due, as index columns, equivalent to {@link isDue}: the lane's price is at or below
 * `wakePrice`, or the next base fee at or below `wakeBase`; always with the next base fee at or below `cap`. Wei per gas.
 * With a limit of cost those of the highest target that the stored one may stand for.
 */
export function autoTxWakes(order: Target, bid: Bid) {
  const cap = capOf(bid);
  if (isUnpriced(order)) return { wakeLane: null, wakePrice: null, wakeBase: null, cap };
  if (order.costLimit !== null) {
    const target = order.target + driftOf(order.target);
    return { wakeLane: null, wakePrice: null, wakeBase: highestBaseWithin(target, bid), cap };
  }
  if (!order.isStrict) return { wakeLane: order.lane, wakePrice: order.target, wakeBase: null, cap };
  return { wakeLane: null, wakePrice: null, wakeBase: highestBaseWithin(order.target, bid), cap };
}

/** The highest base fee at which it pays at most `target` and a block includes it; `null` when there is none. */
function highestBaseWithin(target: bigint, bid: Bid): bigint | null {
  const cap = capOf(bid);
  if (cap <= target) return cap;
  if (bid.maxFeePerGas === null) return null;
  const base = target - (bid.maxPriorityFeePerGas ?? 0n);
  return base >= 0n ? base : null;
}

/**
 * The price per gas, wei, with a usual tip, at which its target is reached and a block includes it: what a forecast is
 * asked about. `bid` of `null`: not signed yet. `prices` of `null`: unknown; a lane's price is asked about as it is, where no
 * cap lies below it. `null`: there is no such price, or it takes prices to know it.
 */
export function forecastPrice(
  order: Target,
  bid: Bid | null,
  prices: { readonly nextBaseFee: bigint; readonly averagePrice: bigint } | null,
): bigint | null {
  if (bid === null) return isUnpriced(order) ? null : order.target;
  const { wakePrice, wakeBase, cap } = autoTxWakes(order, bid);
  if (prices === null) return wakePrice !== null && wakePrice <= cap ? wakePrice : null;
  const { nextBaseFee, averagePrice } = prices;
  const usualTip = averagePrice > nextBaseFee ? averagePrice - nextBaseFee : 0n;
  const price = wakePrice ?? (wakeBase === null ? null : wakeBase + usualTip);
  return price === null || price < cap + usualTip ? price : cap + usualTip;
}

/** The furthest that a forecast reaches. */
export const FORECAST_SEC = 86_400;

/** How far ahead a forecast is asked about: whole minutes, since each second would need its own. `null`: no deadline. */
export function forecastWithin(leftSec: number | null): number {
  const left = Math.min(leftSec ?? FORECAST_SEC, FORECAST_SEC);
  return left > 60 ? left - (left % 60) : left;
}

/** Why it can never be sent, whatever the price. */
export type Unreachable = 'gas-price' | 'tip' | 'no-cap' | 'no-blob-cap';

/**
 * `null` when it can be reached. A base fee falls by a share of itself, rounded down (EIP-1559), so never to 0; a blob base
 * fee is at least 1 wei (EIP-4844). @param chainHasBaseFee `null`: unknown
 */
export function unreachable(
  order: Target,
  transaction: Bid & Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>,
  chainHasBaseFee: boolean | null,
): Unreachable | null {
  if (chainHasBaseFee === true && capOf(transaction) === 0n) return 'no-cap';
  if (transaction.blobCount > 0 && transaction.maxFeePerBlobGas === 0n) return 'no-blob-cap';
  // A limit of cost may stand for a higher target tomorrow.
  if (!order.isStrict || order.costLimit !== null) return null;
  const highest = highestBaseWithin(order.target, transaction);
  if (highest === null) return transaction.maxFeePerGas === null ? 'gas-price' : 'tip';
  return highest === 0n && chainHasBaseFee === true ? 'tip' : null;
}

/** Why the source of the prices cannot broadcast, such as `a recording takes no transactions`; `null` when it can. */
export const cannotBroadcastReason = (kind: 'rpc' | 'replay' | 'simulated' | 'service'): string | null =>
  kind === 'replay' ? 'a recording takes no transactions' : null;
