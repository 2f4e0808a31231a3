import type { LaneName } from '../advice.ts';
import type { Hex } from '../block.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { usdOf } from '../units.ts';
import type { AutoTxState, Inclusion, NoteKind } from './state-machine.ts';

/** When it is to be sent. Wei per gas; times in ms since epoch. */
export interface AutoTxOrder {
  readonly target: bigint;
  /** Whose price is compared with the target, unless that is strict. */
  readonly lane: LaneName;
  /** Strict: what this very transaction would pay in the next block is compared with the target. */
  readonly isStrict: boolean;
  readonly expiresAt: number | null;
}

/**
 * What a pre-flight check means for sending. `block`: it can never be included; `wait`: it is held until the check passes.
 */
export type CheckResult = 'pass' | 'wait' | 'block' | 'unknown';

/** One line of the pre-flight. */
export interface Check {
  readonly name: string;
  readonly result: CheckResult;
  /** `false`: it needs attention, as a block, a missing balance or a likely mistake does; `null`: unknown. */
  readonly ok: boolean | null;
  /** A word for programs: `insufficient_balance`; `null` where nothing is to be said. */
  readonly code: string | null;
  /** One line that a person understands. */
  readonly message: string;
}

/** The result of a check that says no more than `ok`, as other services' do. */
export const resultOf = (ok: boolean | null): CheckResult =>
  ok === null ? 'unknown' : ok ? 'pass' : 'block';

/** A stored auto-tx. The signed bytes are stored apart and are no part of it. Times in ms since epoch. */
export interface KeptAutoTx {
  readonly id: string;
  /** The id of the key that made it; empty: the operator. */
  readonly owner: string;
  readonly chainId: number;
  readonly order: AutoTxOrder;
  readonly note: string;
  /** The wanted call: a draft has no more than this. */
  readonly to: Hex | null;
  readonly value: bigint;
  readonly data: Hex;
  /** The signed fields except those above, and except delegations, which their check names; `null`: a draft. */
  readonly signed: Omit<SignedTransaction, 'to' | 'value' | 'data' | 'authorizations'> | null;
  readonly state: AutoTxState;
  readonly checks: readonly Check[];
  /** When the checks were made; `null`: never, as of a draft. */
  readonly checkedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What it would have paid per gas in the next block when it was made or signed, wei; `null`: unknown then. */
  readonly priceAtCreation: bigint | null;
  /** What it would have paid per gas at the mean base fee of the 24 h before it was mined, wei. */
  readonly dayMeanPrice: bigint | null;
  /** Dollars for one native coin when it was mined. */
  readonly nativeUsd: number | null;
}

/** The signed transaction without its authorizations, which are not stored; `null`: a draft. */
export function transactionOf({ signed, to, value, data }: KeptAutoTx): SignedTransaction | null {
  return signed === null ? null : { ...signed, to, value, data, authorizations: [] };
}

/** A line of the timeline. */
export interface TimelineEntry {
  /** Ms since epoch. */
  readonly at: number;
  readonly kind: NoteKind;
  readonly blockNumber: number | null;
  readonly message: string;
}

/** What a mined transaction saved against another price; negative where it paid more. */
export interface Saving {
  /** Wei per gas. */
  readonly referencePrice: bigint;
  readonly savedWei: bigint;
  /** At the coin's price when it was mined; `null`: unknown then. */
  readonly savedUsd: number | null;
}

export interface Savings {
  /** Against what it would have paid when it was made or signed; `null`: unknown then. */
  readonly atCreation: Saving | null;
  /** Against what it would have paid at the mean base fee of the 24 h before it was mined; `null`: unknown. */
  readonly dayMean: Saving | null;
}

/** Above by more than half. */
export const isFarAbove = (pays: bigint, target: bigint) => 2n * pays > 3n * target;

/**
 * What it saved by waiting; `null` until a block has it, where it reverted, and where it paid far more than its target: its
 * own tip was then lost beside which nothing was saved.
 */
export function savingsOf({
  state,
  order,
  priceAtCreation,
  dayMeanPrice,
  nativeUsd,
}: Pick<KeptAutoTx, 'state' | 'order' | 'priceAtCreation' | 'dayMeanPrice' | 'nativeUsd'>): Savings | null {
  const { inclusion } = state;
  if (inclusion === null || inclusion.outcome === 'reverted') return null;
  if (isFarAbove(inclusion.effectiveGasPrice, order.target)) return null;
  return {
    atCreation: savingAgainst(priceAtCreation, inclusion, nativeUsd),
    dayMean: savingAgainst(dayMeanPrice, inclusion, nativeUsd),
  };
}

function savingAgainst(
  referencePrice: bigint | null,
  { effectiveGasPrice, gasUsed }: Inclusion,
  nativeUsd: number | null,
): Saving | null {
  if (referencePrice === null) return null;
  const savedWei = (referencePrice - effectiveGasPrice) * gasUsed;
  return { referencePrice, savedWei, savedUsd: nativeUsd === null ? null : usdOf(savedWei, nativeUsd) };
}

/** What a mined transaction paid in all, wei: gas, blobs, and what a rollup takes for posting it. */
export function paidInAll({ gasUsed, effectiveGasPrice, otherFees }: Inclusion): bigint {
  return gasUsed * effectiveGasPrice + otherFees;
}

/** The code of the warning that it pays far more itself than its target. */
export const OVERPAYS = 'above_target';
