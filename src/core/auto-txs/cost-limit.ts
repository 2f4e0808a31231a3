import {
  type CostBasis,
  type CostedTransaction,
  gasCounted,
  hasMoved,
  maxCostWords,
  targetWithin,
} from '../threshold/max-cost.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { exactGwei, formatCount, formatGwei } from '../units.ts';
import type { AutoTxOrder, StoredAutoTx } from './stored-auto-tx.ts';

/** Of a draft: neither its gas limit nor its bytes are known. */
const UNSIGNED = 'it is not signed yet';

/**
 * The order with the target that its limit of cost stands for by this basis, strict, as a lane's price is not what it pays
 * itself; the same object where the target was given, or is as it was. `now`: ms since epoch.
 */
export function pricedOrder({ order, signed, value }: ToPrice, basis: CostBasis, now: number): AutoTxOrder {
  const { limit } = order;
  if (limit == null) return order;
  const found =
    signed === null
      ? { reason: UNSIGNED }
      : targetWithin(limit.maxCost, { ...signed, value, gas: limit.gas }, basis);
  const target = 'price' in found ? found.price : 0n;
  const reason = 'reason' in found ? found.reason : null;
  const isSame = target === order.target && reason === limit.reason && limit.since !== null;
  return isSame ? order : { ...order, target, isStrict: true, limit: { ...limit, reason, since: now } };
}

/** `signed` of `null`: a draft. */
export interface ToPrice extends Pick<StoredAutoTx, 'order' | 'value'> {
  readonly signed: Omit<CostedTransaction, 'gas' | 'value'> | null;
}

/** Whether the second is to be stored in place of the first. */
export function isNewsOfTarget(before: AutoTxOrder, after: AutoTxOrder): boolean {
  if (before === after) return false;
  const [was, is] = [before.limit, after.limit];
  return (
    was?.since == null ||
    was.reason !== is?.reason ||
    was.gas !== is.gas ||
    hasMoved(before.target, after.target)
  );
}

/** An order without its limit, to be priced anew. */
export const unpriced = (maxCost: NonNullable<AutoTxOrder['limit']>['maxCost']) => ({
  maxCost,
  gas: null,
  since: null,
  reason: 'it is not worked out yet',
});

/** `target 5 → 3 gwei`, `target 5 gwei → at most $3 in all`. */
export function changedTargetWords(before: AutoTxOrder, after: AutoTxOrder): string {
  const words = ({ target, limit }: AutoTxOrder) =>
    limit == null ? `${formatGwei(target)} gwei` : maxCostWords(limit.maxCost);
  const isPrices = before.limit == null && after.limit == null;
  return `target ${isPrices ? formatGwei(before.target) : words(before)} → ${words(after)}`;
}

/** `at most $3 in all: 46,109 gas (the node's estimate) at 0.2 gwei or less`. A later block may ask for more, up to the cap. */
export function limitedWords(
  { target, limit }: Pick<AutoTxOrder, 'target' | 'limit'>,
  { gasLimit }: Pick<SignedTransaction, 'gasLimit'>,
): string {
  if (limit == null) return '';
  const most = maxCostWords(limit.maxCost);
  if (limit.reason !== null) return `fees of ${most}`;
  const gas = formatCount(Number(gasCounted({ gasLimit, gas: limit.gas })));
  const basis = limit.gas === null ? 'its gas limit' : "the node's estimate";
  return `fees of ${most}: ${gas} gas (${basis}) at ${exactGwei(target)} gwei or less`;
}

/** Whether a node's estimate says what it will use: estimates know neither access lists, nor authorizations, nor blobs. */
export const isEstimable = ({ parts }: Pick<SignedTransaction, 'parts'>): boolean =>
  parts !== null && parts.accessedAddresses + parts.accessedKeys + parts.authorizations + parts.blobs === 0;
