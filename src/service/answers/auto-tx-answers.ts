import type { AutoTx, AutoTxAccount, AutoTxDetails } from '../../contract/auto-txs.ts';
import { LISTED_DATA_LONGEST, SPEED_OF_LANE } from '../../contract/choices.ts';
import type { KeptAutoTx, TimelineEntry } from '../../core/auto-txs/kept-auto-tx.ts';
import { paidInAll, type Saving, savingsOf } from '../../core/auto-txs/savings.ts';
import type { Hex } from '../../core/block.ts';
import { chainProfile } from '../../core/chains.ts';
import { gweiString, usdOf } from '../../core/units.ts';
import type { AutoTxMoment } from './auto-tx-outlook.ts';
import { isoFromMs, wireInteger, wireWei } from './wire.ts';

/** An auto-tx as v1 says it to `asker` (as `KeptAutoTx.owner`). Nothing of it can send it. */
export function autoTxAnswer(
  autoTx: KeptAutoTx,
  asker: string,
  moment: AutoTxMoment,
  { isListed }: { readonly isListed: boolean },
): AutoTx {
  const { order, signed, state, checkedAt } = autoTx;
  const { inclusion, failure } = state;
  const hold = moment.hold(autoTx);
  const isLong = isListed && autoTx.data.length > LISTED_DATA_LONGEST;
  const reach = moment.reach(autoTx);
  return {
    id: autoTx.id,
    status: state.status,
    targetGasPriceGwei: Number(gweiString(order.target)),
    gasSpeed: SPEED_OF_LANE[order.lane],
    strictTargetPrice: order.isStrict,
    note: autoTx.note,
    expiresAt: isoOrNull(order.expiresAt),
    chainId: autoTx.chainId,
    type: signed?.type ?? null,
    from: signed?.from ?? null,
    to: autoTx.to,
    value: autoTx.value.toString(),
    data: isLong ? null : autoTx.data,
    nonce: signed?.nonce ?? null,
    gasLimit: signed === null ? null : wireInteger(signed.gasLimit),
    maxFeePerGas: weiOrNull(signed?.maxFeePerGas),
    maxPriorityFeePerGas: weiOrNull(signed?.maxPriorityFeePerGas),
    gasPrice: weiOrNull(signed?.gasPrice),
    hash: signed?.hash ?? null,
    checks: autoTx.checks.map(({ name, ok, message }) => ({ name, ok, message })),
    checkedAt: isoOrNull(checkedAt),
    createdAt: isoFromMs(autoTx.createdAt),
    updatedAt: isoFromMs(autoTx.updatedAt),
    submittedAt: isoOrNull(state.submittedAt),
    executedAt: isoOrNull(state.executedAt),
    blockNumber: inclusion?.blockNumber ?? null,
    gasUsed: inclusion === null ? null : wireInteger(inclusion.gasUsed),
    effectiveGasPrice: weiOrNull(inclusion?.effectiveGasPrice),
    ...paidBy(autoTx),
    failure: failure === null ? null : { code: failure.code, message: failure.message },
    hold: hold === null ? null : { code: hold.code, message: hold.message, retryAt: isoFromMs(hold.retryAt) },
    attempts: state.attempts,
    mayBeMined: state.mayBeOut,
    // The head that is known may be behind the one that was looked at.
    confirmations:
      inclusion === null || moment.head === null
        ? null
        : Math.max(moment.head - inclusion.blockNumber + 1, 1),
    confirmationsNeeded: moment.confirmations(moment.chain ?? chainProfile(autoTx.chainId)),
    reachProbability: reach?.probability ?? null,
    reachWithinSec: reach?.withinSec ?? null,
    keyId: autoTx.owner === asker ? null : autoTx.owner,
  };
}

export function autoTxDetails(
  autoTx: KeptAutoTx,
  timeline: readonly TimelineEntry[],
  asker: string,
  moment: AutoTxMoment,
): AutoTxDetails {
  return {
    ...autoTxAnswer(autoTx, asker, moment, { isListed: false }),
    timeline: timeline.map(({ at, kind, blockNumber, message }) => ({
      at: isoFromMs(at),
      kind,
      blockNumber,
      message,
    })),
  };
}

/** A sender, and what waits of it, by nonce. */
export function accountAnswer(
  sender: {
    readonly chainId: number;
    readonly address: Hex;
    readonly nextNonce: number;
    readonly pendingNonce: number;
    readonly balance: bigint;
  },
  waiting: readonly KeptAutoTx[],
): AutoTxAccount {
  const { chainId, address, nextNonce, pendingNonce, balance } = sender;
  return {
    chainId,
    address,
    nonce: nextNonce,
    pendingNonce,
    balanceWei: balance.toString(),
    waiting: waiting.flatMap(({ id, signed, state: { status } }) =>
      signed === null ? [] : [{ id, nonce: signed.nonce, status }],
    ),
  };
}

function paidBy(autoTx: KeptAutoTx): Pick<AutoTx, 'costWei' | 'costUsd' | 'savedWei' | 'savings'> {
  const { state, nativeUsd } = autoTx;
  if (state.inclusion === null) return { costWei: null, costUsd: null, savedWei: null, savings: null };
  const cost = paidInAll(state.inclusion);
  const savings = savingsOf(autoTx);
  const saved = savings?.atCreation?.savedWei ?? null;
  return {
    costWei: cost.toString(),
    costUsd: nativeUsd === null ? null : usdOf(cost, nativeUsd),
    savedWei: saved === null ? null : (saved < 0n ? 0n : saved).toString(),
    savings:
      savings === null
        ? null
        : { atCreation: savingAnswer(savings.atCreation), dayMean: savingAnswer(savings.dayMean) },
  };
}

function savingAnswer(saving: Saving | null) {
  if (saving === null) return null;
  const { referencePrice, savedWei, savedUsd } = saving;
  return { referencePrice: wireWei(referencePrice), savedWei: savedWei.toString(), savedUsd };
}

const isoOrNull = (ms: number | null) => (ms === null ? null : isoFromMs(ms));

const weiOrNull = (wei: bigint | null | undefined) =>
  wei === null || wei === undefined ? null : wireWei(wei);
