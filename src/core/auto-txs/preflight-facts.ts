import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import type { AutoTxOrder } from './kept-auto-tx.ts';

/** An auto-tx of the same sender with a lower nonce, which goes out first. */
export interface WaitingBelow {
  readonly id: string;
  readonly nonce: number;
  /** `PENDING`, `DISABLED` or `SUBMITTED`. */
  readonly status: string;
}

/** What a pre-flight is made from. What nobody knows is `null`. Wei as `bigint`, per gas where it is a price. */
export interface PreflightFacts {
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  /** Nobody chose the target: it stands for the present price, and there is none to reach. */
  readonly isTargetPresent?: boolean;
  /** Why nothing can be sent from here: see `takes-none.ts`; `null`: something can. */
  readonly takesNone?: string | null;
  /** The chain that it is to be sent on. */
  readonly chainId: number;
  readonly chainName: string;
  readonly nativeSymbol: string;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  /** The sender's next nonce: how many of its transactions the chain has. */
  readonly nextNonce: number | null;
  /** The same with those in the node's pool. */
  readonly pendingNonce: number | null;
  readonly balance: bigint | null;
  readonly nextBaseFee: bigint | null;
  /** `null` also where the chain has no blobs. */
  readonly nextBlobBaseFee: bigint | null;
  /** Of the lane that the order names. */
  readonly lanePrice: bigint | null;
  /** Ms since epoch. */
  readonly now: number;
  readonly waitingBelow: readonly WaitingBelow[];
}
