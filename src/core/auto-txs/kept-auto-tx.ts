import type { LaneName } from '../advice.ts';
import type { Hex } from '../block.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import type { NoteKind } from './auto-tx-rule.ts';
import type { AutoTxState } from './auto-tx-state.ts';

/** When it is to be sent. Wei per gas; times in ms since epoch. */
export interface AutoTxOrder {
  readonly target: bigint;
  /** Whose price is compared with the target, unless that is strict. */
  readonly lane: LaneName;
  /** Strict: what this very transaction would pay in the next block is compared with the target. */
  readonly isStrict: boolean;
  readonly expiresAt: number | null;
}

/** One line of the pre-flight. */
export interface Check {
  readonly name: string;
  /** `null`: it could not be told. */
  readonly ok: boolean | null;
  /** One line that a person understands. */
  readonly message: string;
}

/** An auto-tx as it is kept. The signed bytes are kept apart and are no part of it. Times in ms since epoch. */
export interface KeptAutoTx {
  readonly id: string;
  /** The id of the key that made it; empty: who runs the service. */
  readonly owner: string;
  readonly chainId: number;
  readonly order: AutoTxOrder;
  readonly note: string;
  /** What it is to do: a draft has no more than this. */
  readonly to: Hex | null;
  readonly value: bigint;
  readonly data: Hex;
  /** What was signed, but for what stands above, and for what it delegates, which its check says; `null`: a draft. */
  readonly signed: Omit<SignedTransaction, 'to' | 'value' | 'data' | 'authorizations'> | null;
  readonly state: AutoTxState;
  readonly checks: readonly Check[];
  /** When those were made; `null`: never, as of a draft. */
  readonly checkedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The lane's price per gas when it was made, wei; `null`: nobody knew. */
  readonly priceAtCreation: bigint | null;
  /** The lane's mean price per gas of the 24 h before it was mined, wei. */
  readonly dayMeanPrice: bigint | null;
  /** Dollars for one native coin when it was mined. */
  readonly nativeUsd: number | null;
}

/** What was signed, whole but for its authorizations, which are not kept; `null`: a draft. */
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
