import type { DataFees } from '../data-fee.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import type { AutoTxOrder, Check } from './kept-auto-tx.ts';

/** An auto-tx of the same sender with a lower nonce, which is sent first. */
export interface WaitingBelow {
  readonly id: string;
  readonly nonce: number;
  /** `PENDING`, `DISABLED` or `SUBMITTED`. */
  readonly status: string;
}

/** The facts of a pre-flight; `null`: unknown. Wei as `bigint`; prices per gas. */
export interface PreflightFacts {
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  /** The target is the present price, because the user chose none. */
  readonly isTargetPresent?: boolean;
  /** Why this source cannot broadcast, see `cannotBroadcastReason` of target.ts; `null` when it can. */
  readonly cannotBroadcastReason?: string | null;
  readonly chainId: number;
  readonly chainName: string;
  readonly nativeSymbol: string;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  /** The sender's next nonce: the number of its transactions on the chain. */
  readonly nextNonce: number | null;
  /** The same, including the node's pool. */
  readonly pendingNonce: number | null;
  readonly balance: bigint | null;
  readonly nextBaseFee: bigint | null;
  /** `null` also on chains without blobs. */
  readonly nextBlobBaseFee: bigint | null;
  readonly lanePrice: bigint | null;
  /** Ms since epoch. */
  readonly now: number;
  readonly waitingBelow: readonly WaitingBelow[];
  /** What the chain takes beside gas; left out: nothing. */
  readonly dataFees?: Pick<DataFees, 'parameters' | 'reason'>;
}

export type Found = Omit<Check, 'name'>;

export const passes = (message: string): Found => ({ result: 'pass', ok: true, code: null, message });

export const unknown = (message: string): Found => ({ result: 'unknown', ok: null, code: null, message });

/** Passes, but is likely to be a mistake. */
export const warns = (code: string, message: string): Found => ({ result: 'pass', ok: false, code, message });

/** Passes by itself in time. */
export const waits = (code: string, message: string): Found => ({ result: 'wait', ok: true, code, message });

/** Passes once the user has acted. */
export const needs = (code: string, message: string): Found => ({ result: 'wait', ok: false, code, message });

/** Never passes. */
export const blocks = (code: string, message: string): Found => ({
  result: 'block',
  ok: false,
  code,
  message,
});
