import { type DataFees, transactionDataFee } from '../data-fee.ts';
import { GAS_PER_BLOB } from '../eip4844.ts';
import {
  fractionOf,
  hasDrifted,
  MOST_PRICE,
  type PriceOrReason,
  pattern,
  percentText,
  ThresholdError,
  usdText,
  weiForUsd,
  writtenRatio,
  writtenUsd,
} from '../threshold/threshold.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { exactGwei, formatAmount, formatCount, formatGwei } from '../units.ts';
import type { AutoTxOrder, MaxCost } from './order.ts';
import type { StoredAutoTx } from './stored-auto-tx.ts';

const DOLLARS = pattern(String.raw`\$#`);
const PERCENT = pattern('#%');
const DOLLARS_BEHIND = pattern(String.raw`#(?:\$|usd)`);
const OTHER_FORM = /^(?:p\d|-|.*(?:\/|of))/;

/** Whether a text for a target is meant to be a cost and not a price in gwei. */
export const isCostText = (text: string): boolean => /[$%]/.test(text);

/** `$3`, `$0.05`, `2%`, `0.5 %`. @throws {ThresholdError} */
export function parseMaxCost(text: string): MaxCost {
  const written = text.trim().toLowerCase().replaceAll(/\s+/g, '').replaceAll('−', '-');
  const dollars = DOLLARS.exec(written)?.[1];
  if (dollars !== undefined) return { maxCostUsd: writtenUsd(dollars) };
  const percent = PERCENT.exec(written)?.[1];
  if (percent === undefined) throw new ThresholdError(adviceFor(written));
  const maxShareOfValueRatio = writtenRatio(percent);
  if (maxShareOfValueRatio <= 1) return { maxShareOfValueRatio };
  throw new ThresholdError('a share of the value is at most 100 %');
}

function adviceFor(written: string): string {
  const behind = DOLLARS_BEHIND.exec(written)?.[1];
  if (behind !== undefined) return `write $${behind}`;
  if (!OTHER_FORM.test(written)) return 'write $3 (in all), or 2% (of the value that it moves)';
  const cost = /\$[\d.]*\d/.exec(written)?.[0] ?? '$3';
  return `an auto-tx is limited by what it costs itself: write ${cost}, 2% (of the value that it moves), or gwei`;
}

/** `$3`, `2%`: {@link parseMaxCost} reads it back. */
export const maxCostText = (maxCost: MaxCost): string =>
  'maxCostUsd' in maxCost ? usdText(maxCost.maxCostUsd) : percentText(maxCost.maxShareOfValueRatio);

/** `at most $3 in all`, `at most 2% of its value` */
export const maxCostWords = (maxCost: MaxCost): string =>
  'maxCostUsd' in maxCost
    ? `at most ${maxCostText(maxCost)} in all`
    : `at most ${maxCostText(maxCost)} of its value`;

/** What a cost is worked out by, at one block. */
export interface CostBasis {
  /** Dollars for one native coin; `null`: unknown, or outdated. */
  readonly nativeUsd: number | null;
  /** Why it is `null`. Default: `no dollar price of ETH`. */
  readonly nativeUsdReason?: string | undefined;
  readonly nativeSymbol: string;
  /** What the chain takes beside gas. */
  readonly dataFees: Pick<DataFees, 'parameters' | 'reason'>;
  /** Wei; `null`: unknown. Asked for by blob transactions alone. */
  readonly nextBlobBaseFee: bigint | null;
}

/** What a transaction's cost depends on, beside its price per gas. */
export type CostedTransaction = Pick<SignedTransaction, 'gasLimit' | 'value' | 'blobCount'> & {
  /** Gas that it uses by a node's estimate; `null`: none, so that its gas limit counts. */
  readonly gas: bigint | null;
  readonly compressedSize?: number | null;
};

/**
 * The highest price per gas, wei, at which this very transaction costs at most that in all: its gas, its blobs at the next
 * blob base fee, and what a rollup takes beside gas for its bytes. Rounded down: never above the limit. What is missing is the
 * reason, and no other figure takes its place.
 *
 * Gas is what a node estimates for the head's state, since wallets sign limits of up to twice what is used, by which a limit
 * of cost would wait for half the price that was meant. No transaction uses more than its gas limit, which counts where no
 * node estimates.
 */
export function targetWithin(
  maxCost: MaxCost,
  transaction: CostedTransaction,
  basis: CostBasis,
): PriceOrReason {
  const { nativeSymbol } = basis;
  const limit = limitWei(maxCost, transaction.value, basis.nativeUsd);
  if (limit === null) return { reason: basis.nativeUsdReason ?? `no dollar price of ${nativeSymbol}` };
  const gas = gasCounted(transaction);
  const l1 = transactionDataFee(basis.dataFees, { ...transaction, gasLimit: gas });
  if (l1.wei === null) return { reason: `the L1 data fee is unknown: ${l1.reason}` };
  const { blobCount } = transaction;
  if (blobCount > 0 && basis.nextBlobBaseFee === null) return { reason: 'the blob base fee is unknown' };
  const blobs = BigInt(blobCount) * GAS_PER_BLOB * (basis.nextBlobBaseFee ?? 0n);
  const price = gas === 0n ? 0n : (limit - l1.wei - blobs) / gas;
  // A lower target is on the safe side.
  if (price > 0n) return { price: price < MOST_PRICE ? price : MOST_PRICE };
  const beside = l1.wei + blobs;
  const what = blobs === 0n ? 'the L1 fee' : l1.wei === 0n ? 'its blobs' : 'the L1 fee and its blobs';
  return {
    reason:
      beside >= limit && beside > 0n
        ? `${what} alone would cost ${formatAmount(beside, nativeSymbol)}`
        : `that pays for no gas: it takes ${gas.toLocaleString('en')}`,
  };
}

/** The gas that a cost counts: an estimate above the limit ends at the limit. */
export const gasCounted = ({ gas, gasLimit }: Pick<CostedTransaction, 'gas' | 'gasLimit'>): bigint =>
  gas !== null && gas < gasLimit ? gas : gasLimit;

/** Wei, rounded down; `null` without the coin's price. */
function limitWei(maxCost: MaxCost, value: bigint, nativeUsd: number | null): bigint | null {
  if ('maxShareOfValueRatio' in maxCost) {
    const share = fractionOf(maxCost.maxShareOfValueRatio);
    return (value * share.units) / share.per;
  }
  if (nativeUsd === null || !(nativeUsd > 0)) return null;
  return weiForUsd(fractionOf(maxCost.maxCostUsd), nativeUsd);
}

/** Of a draft: neither its gas limit nor its bytes are known. */
const UNSIGNED = 'it is not signed yet';

/**
 * The order with the target that its limit of cost stands for by this basis, strict, as a lane's price is not what it pays
 * itself; the same object where the target was given, or is as it was. `now`: ms since epoch.
 */
export function pricedOrder({ order, signed, value }: ToPrice, basis: CostBasis, now: number): AutoTxOrder {
  const { costLimit: limit } = order;
  if (limit === null) return order;
  const found =
    signed === null
      ? { reason: UNSIGNED }
      : targetWithin(limit.maxCost, { ...signed, value, gas: limit.gas }, basis);
  const target = 'price' in found ? found.price : 0n;
  const reason = 'reason' in found ? found.reason : null;
  const isSame = target === order.target && reason === limit.reason && limit.since !== null;
  return isSame ? order : { ...order, target, isStrict: true, costLimit: { ...limit, reason, since: now } };
}

/** `signed` of `null`: a draft. */
export interface ToPrice extends Pick<StoredAutoTx, 'order' | 'value'> {
  readonly signed: Omit<CostedTransaction, 'gas' | 'value'> | null;
}

/** Whether the second is to be stored in place of the first. */
export function isNewsOfTarget(before: AutoTxOrder, after: AutoTxOrder): boolean {
  if (before === after) return false;
  const [was, is] = [before.costLimit, after.costLimit];
  return (
    was === null ||
    was.since === null ||
    was.reason !== is?.reason ||
    was.gas !== is.gas ||
    hasDrifted(before.target, after.target)
  );
}

/** `target 5 → 3 gwei`, `target 5 gwei → at most $3 in all`. */
export function changedTargetWords(before: AutoTxOrder, after: AutoTxOrder): string {
  const words = ({ target, costLimit }: AutoTxOrder) =>
    costLimit === null ? `${formatGwei(target)} gwei` : maxCostWords(costLimit.maxCost);
  const isPrices = before.costLimit === null && after.costLimit === null;
  return `target ${isPrices ? formatGwei(before.target) : words(before)} → ${words(after)}`;
}

/** `at most $3 in all: 46,109 gas (the node's estimate) at 0.2 gwei or less`. A later block may ask for more, up to the cap. */
export function limitedWords(
  { target, costLimit: limit }: Pick<AutoTxOrder, 'target' | 'costLimit'>,
  { gasLimit }: Pick<SignedTransaction, 'gasLimit'>,
): string {
  if (limit === null) return '';
  const most = maxCostWords(limit.maxCost);
  if (limit.reason !== null) return `fees of ${most}`;
  const gas = formatCount(Number(gasCounted({ gasLimit, gas: limit.gas })));
  const basis = limit.gas === null ? 'its gas limit' : "the node's estimate";
  return `fees of ${most}: ${gas} gas (${basis}) at ${exactGwei(target)} gwei or less`;
}

/** Whether a node's estimate says what it will use: estimates know neither access lists, nor authorizations, nor blobs. */
export const isEstimable = ({ parts }: Pick<SignedTransaction, 'parts'>): boolean =>
  parts !== null && parts.accessedAddresses + parts.accessedKeys + parts.authorizations + parts.blobs === 0;
