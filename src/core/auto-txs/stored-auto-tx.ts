import type { Hex } from '../block.ts';
import { chainProfile } from '../chains.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { exactAmount, usdOf } from '../units.ts';
import type { Check } from './check.ts';
import type { AutoTxOrder } from './order.ts';
import {
  type AutoTxEvent,
  type AutoTxState,
  type Inclusion,
  type RuleFacts,
  stepAutoTx,
  type TimelineNote,
} from './state-machine.ts';

/** A stored auto-tx, without its signed bytes, which have their own table. Times in ms since epoch. */
export interface StoredAutoTx {
  readonly id: string;
  /** The id of the key that made it; empty: the operator. */
  readonly owner: string;
  readonly chainId: number;
  readonly order: AutoTxOrder;
  readonly note: string;
  /** The requested call: a draft has only this. */
  readonly to: Hex | null;
  readonly value: bigint;
  readonly data: Hex;
  /** The signed fields except the three above and the delegations, which their check names; `null`: a draft. */
  readonly signed: Omit<SignedTransaction, 'to' | 'value' | 'data' | 'authorizations'> | null;
  readonly state: AutoTxState;
  readonly checks: readonly Check[];
  /** Time of the checks; `null`: never, as for a draft. */
  readonly checkedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Price per gas it would have paid in the next block when it was created or signed, wei; `null` when unknown. */
  readonly priceAtCreation: bigint | null;
  /** Price per gas it would have paid at the mean base fee of the 24 h before it was mined, wei. */
  readonly dayMeanPrice: bigint | null;
  readonly nativeUsd: number | null;
}

/** A change of an auto-tx at `at` (ms since epoch), with the notes for its timeline. */
export interface AutoTxStep {
  readonly autoTx: StoredAutoTx;
  readonly notes: readonly TimelineNote[];
  readonly at: number;
  /** The bytes of its new signature. */
  readonly signedBytes?: Uint8Array;
}

/** Applies an event; `null` when its state does not allow it, or nothing changes. */
export function stepStored(
  stored: StoredAutoTx,
  event: AutoTxEvent,
  { confirmations, now }: Omit<RuleFacts, 'nonce'>,
): AutoTxStep | null {
  const next = stepAutoTx(stored.state, event, { nonce: stored.signed?.nonce ?? 0, confirmations, now });
  if (next === null) return null;
  const text = (state: AutoTxState) =>
    JSON.stringify({ ...state, inclusion: state.inclusion?.blockHash ?? null });
  if (next.notes.length === 0 && text(next.state) === text(stored.state)) return null;
  return { autoTx: { ...stored, state: next.state, updatedAt: now }, notes: next.notes, at: now };
}

/** The signed transaction without its authorizations, which are not stored; `null`: a draft. */
export function transactionOf({ signed, to, value, data }: StoredAutoTx): SignedTransaction | null {
  return signed === null ? null : { ...signed, to, value, data, authorizations: [] };
}

/** Where a signed transaction is not the wanted one, of which only known fields are compared: `null` is unknown, except in `to`. */
export function callDifferences(
  signed: Pick<SignedTransaction, 'to' | 'value' | 'data' | 'chainId'>,
  wanted: { to: Hex | null; value: bigint | null; data: Hex | null; chainId: number | null },
) {
  const { to, value, data, chainId } = wanted;
  const isOther = (one: string | null, other: string | null) => one?.toLowerCase() !== other?.toLowerCase();
  const whom = (address: Hex | null) => address ?? 'a new contract';
  const chain = signed.chainId ?? chainId;
  const amount = (wei: bigint) =>
    exactAmount(wei, chain === null ? 'coins' : chainProfile(chain).nativeSymbol);
  const size = (hex: Hex) => hex.length / 2 - 1;
  const found: { readonly field: 'to' | 'value' | 'data' | 'chain'; readonly words: string }[] = [];
  if (isOther(signed.to, to))
    found.push({ field: 'to', words: `it is to ${whom(signed.to)} and not to ${whom(to)}` });
  if (value !== null && signed.value !== value)
    found.push({ field: 'value', words: `it sends ${amount(signed.value)} and not ${amount(value)}` });
  if (data !== null && isOther(signed.data, data)) {
    // By their lengths: call data is a part of the signed transaction.
    const words = `its ${size(signed.data)} bytes of data are not the ${size(data)} given`;
    found.push({ field: 'data', words });
  }
  if (chainId !== null && signed.chainId !== null && signed.chainId !== chainId) {
    const [has, should] = [signed.chainId, chainId].map((id) => chainProfile(id).name);
    found.push({ field: 'chain', words: `it is for ${has} and not for ${should}` });
  }
  return found;
}

export interface TimelineEntry extends TimelineNote {
  /** Ms since epoch. */
  readonly at: number;
}

/** Whether it pays more than 1.5 times the target. */
export const isFarAbove = (pays: bigint, target: bigint) => 2n * pays > 3n * target;

export type Saving = NonNullable<NonNullable<ReturnType<typeof savingsOf>>['atCreation']>;

/** `null` until it is mined, when it reverted, and when it paid far more than its target by its own tip. */
export function savingsOf(
  of: Pick<StoredAutoTx, 'state' | 'order' | 'priceAtCreation' | 'dayMeanPrice' | 'nativeUsd'>,
) {
  const { inclusion } = of.state;
  if (inclusion === null || inclusion.outcome === 'reverted') return null;
  const { effectiveGasPrice, gasUsed } = inclusion;
  if (isFarAbove(effectiveGasPrice, of.order.target)) return null;
  /** Negative when it paid more; dollars at the coin's price when it was mined. `null`: unknown. */
  const against = (referencePrice: bigint | null) => {
    if (referencePrice === null) return null;
    const savedWei = (referencePrice - effectiveGasPrice) * gasUsed;
    return {
      referencePrice,
      savedWei,
      savedUsd: of.nativeUsd === null ? null : usdOf(savedWei, of.nativeUsd),
    };
  };
  return { atCreation: against(of.priceAtCreation), dayMean: against(of.dayMeanPrice) };
}

/** Total cost of a mined transaction, wei: gas, blobs, and a rollup's posting fee. */
export const paidInAll = ({ gasUsed, effectiveGasPrice, otherFees }: Inclusion): bigint =>
  gasUsed * effectiveGasPrice + otherFees;

/** Code of the warning that its own price is far above its target. */
export const OVERPAYS = 'above_target';
