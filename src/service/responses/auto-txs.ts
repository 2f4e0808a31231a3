import type { AutoTx } from '../../contract/auto-txs.ts';
import { LISTED_DATA_LONGEST, SPEED_OF_LANE } from '../../contract/choices.ts';
import type { Chance } from '../../core/advice.ts';
import { KEY_GONE, withKeyCheck } from '../../core/auto-txs/preflight.ts';
import { capCheck } from '../../core/auto-txs/price-checks.ts';
import { type AutoTxState, isWaiting, takenWords } from '../../core/auto-txs/state-machine.ts';
import { paidInAll, type Saving, type StoredAutoTx, savingsOf } from '../../core/auto-txs/stored-auto-tx.ts';
import { forecastPrice, forecastWithin, isReached, isUnpriced } from '../../core/auto-txs/target.ts';
import { type ChainProfile, chainProfile } from '../../core/chains.ts';
import { gweiString } from '../../core/units.ts';
import { type PublishedChain, unlessOutdated } from '../published-chain.ts';
import { integerOrNull, isoFromMs, isoOrNull, thresholdWarnings, usdOrNull } from './wire.ts';

/** An auto-tx as v1 shows it to `asker` (as `StoredAutoTx.owner`), without its signature. */
export function autoTxResponse(
  autoTx: StoredAutoTx,
  asker: string,
  moment: AutoTxMoment,
  { isListed }: { readonly isListed: boolean },
): AutoTx {
  const { order, signed, state, chainId, nativeUsd } = autoTx;
  const { inclusion, failure } = state;
  const { type = null, from = null, nonce = null, hash = null } = signed ?? {};
  const hold = moment.hold(autoTx);
  const isUnseen = state.status === 'SUBMITTED' && state.unseenSince !== null;
  const isExpired = order.expiresAt !== null && order.expiresAt <= (state.resendAt ?? 0);
  const isLong = isListed && autoTx.data.length > LISTED_DATA_LONGEST;
  const reach = moment.reach(autoTx);
  const cost = inclusion && paidInAll(inclusion);
  const savings = savingsOf(autoTx);
  const { costLimit: limit } = order;
  const target = isUnpriced(order) ? null : Number(gweiString(order.target));
  const saved = savings?.atCreation?.savedWei ?? null;
  return {
    id: autoTx.id,
    status: state.status,
    targetGasPriceGwei: target,
    threshold: limit?.maxCost ?? null,
    effectiveThresholdGwei: limit === null ? null : target,
    effectiveSince: isoOrNull(limit && (limit.since ?? autoTx.updatedAt)),
    thresholdReason: limit?.reason ?? null,
    warnings: thresholdWarnings(limit?.reason),
    gasSpeed: SPEED_OF_LANE[order.lane],
    strictTargetPrice: order.isStrict,
    note: autoTx.note,
    expiresAt: isoOrNull(order.expiresAt),
    chainId,
    type,
    from,
    to: autoTx.to,
    value: autoTx.value.toString(),
    data: isLong ? null : autoTx.data,
    nonce,
    gasLimit: integerOrNull(signed?.gasLimit),
    maxFeePerGas: integerOrNull(signed?.maxFeePerGas),
    maxPriorityFeePerGas: integerOrNull(signed?.maxPriorityFeePerGas),
    gasPrice: integerOrNull(signed?.gasPrice),
    hash,
    checks: [...moment.checks(autoTx)],
    checkedAt: isoOrNull(autoTx.checkedAt),
    createdAt: isoFromMs(autoTx.createdAt),
    updatedAt: isoFromMs(autoTx.updatedAt),
    submittedAt: isoOrNull(state.submittedAt),
    executedAt: isoOrNull(state.executedAt),
    blockNumber: inclusion?.blockNumber ?? null,
    gasUsed: integerOrNull(inclusion?.gasUsed),
    effectiveGasPrice: integerOrNull(inclusion?.effectiveGasPrice),
    costWei: cost?.toString() ?? null,
    costUsd: usdOrNull(cost, nativeUsd),
    savedWei: saved === null ? null : (saved > 0n ? saved : 0n).toString(),
    savings: savings && { atCreation: savingOf(savings.atCreation), dayMean: savingOf(savings.dayMean) },
    failure: failure && { code: failure.code, message: failure.message },
    hold: hold && { code: hold.code, message: hold.message, retryAt: isoFromMs(hold.retryAt) },
    attempts: state.attempts,
    unseenSince: isoOrNull(isUnseen ? state.unseenSince : null),
    resends: state.resends,
    resendAt: isoOrNull(isUnseen && !isExpired ? state.resendAt : null),
    mayBeMined: state.mayBeOut,
    // The present head may be behind the head of the observation.
    confirmations:
      inclusion === null || moment.head === null
        ? null
        : Math.max(moment.head - inclusion.blockNumber + 1, 1),
    confirmationsNeeded: moment.confirmations(moment.profile ?? chainProfile(chainId)),
    reachProbability: reach?.probability ?? null,
    reachWithinSec: reach?.withinSec ?? null,
    keyId: autoTx.owner === asker ? null : autoTx.owner,
  };
}

const savingOf = (saving: Saving | null) =>
  saving && {
    referencePrice: integerOrNull(saving.referencePrice),
    savedWei: saving.savedWei.toString(),
    savedUsd: saving.savedUsd,
  };

const REMEMBERED_MOST = 2_000;

export interface AutoTxMomentParts {
  readonly profile: () => ChainProfile | null;
  readonly readPublished: () => PublishedChain | null;
  readonly reach: (price: bigint, withinSec: number) => Chance;
  readonly confirmations: (chain: ChainProfile) => number;
  /** Whether no process leads that has the key of signed bytes: they wait until one does. */
  readonly isKeyMissing: () => boolean;
  readonly wallNow: () => number;
}

/** Further data for responses about auto-txs, all of one time. */
type AutoTxMoment = ReturnType<ReturnType<typeof autoTxMoments>>;

/** Forecasts for responses about auto-txs, cached until the next block. */
export function autoTxMoments(parts: AutoTxMomentParts) {
  const { profile, readPublished, reach, confirmations, isKeyMissing, wallNow } = parts;
  const known = new Map<string, number | null>();
  let advice: PublishedChain['advice'] | null = null;

  function probability(
    autoTx: StoredAutoTx,
    withinSec: number,
    published: PublishedChain | null,
  ): number | null {
    if (published === null || isUnpriced(autoTx.order)) return null;
    const { nextBaseFee, lanes } = published.advice;
    const prices = { nextBaseFee, averagePrice: lanes.average.price };
    const price = forecastPrice(autoTx.order, autoTx.signed, prices);
    if (price === null) return 0;
    if (advice !== published.advice || known.size >= REMEMBERED_MOST) known.clear();
    advice = published.advice;
    const key = `${price} ${withinSec}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = reach(price, withinSec).probability;
    known.set(key, made);
    return made;
  }

  return () => {
    const published = readPublished();
    const present = unlessOutdated(published);
    const now = wallNow();
    return {
      head: published?.head.number ?? null,
      profile: profile(),
      confirmations,
      checks: ({ checks, state, signed }: StoredAutoTx) =>
        signed !== null && isWaiting(state) && isKeyMissing() ? withKeyCheck(checks) : checks,
      hold: (autoTx: StoredAutoTx) => {
        const { state, signed } = autoTx;
        const isHeld = state.status === 'PENDING' && signed !== null && isKeyMissing();
        return isHeld ? { ...KEY_GONE, retryAt: now, times: 1 } : presentHold(autoTx, present);
      },
      /** Probability and horizon for the target of a pending one that has not expired. */
      reach: (autoTx: StoredAutoTx) => {
        const { expiresAt } = autoTx.order;
        const withinSec = forecastWithin(expiresAt === null ? null : Math.floor((expiresAt - now) / 1_000));
        if (autoTx.state.status !== 'PENDING' || withinSec <= 0) return null;
        return { probability: probability(autoTx, withinSec, present), withinSec };
      },
    };
  };
}

/** The stored obstacle of its last try, or one of the present head, which may change with each block. */
function presentHold(
  { state, order, signed }: StoredAutoTx,
  published: PublishedChain | null,
): AutoTxState['hold'] {
  if (state.hold !== null || state.status !== 'PENDING' || signed === null) return state.hold;
  if (published === null) return null;
  const { head, advice, profile } = published;
  const retryAt = Math.round((head.timestamp + profile.feeRule.blockTimeSec) * 1_000);
  if (state.takenSince !== null) {
    const message = `${takenWords(signed.nonce)}: it fails once that is final`;
    return { code: 'nonce_used', message, retryAt, times: 1 };
  }
  const { nextBaseFee, lanes } = advice;
  if (!isReached(order, signed, { nextBaseFee, lanePrice: lanes[order.lane].price })) return null;
  const { code, message } = capCheck(order, signed, nextBaseFee);
  return code === null ? null : { code, message, retryAt, times: 1 };
}
