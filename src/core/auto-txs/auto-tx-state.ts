import type { Hex } from '../block.ts';

export type AutoTxStatus =
  | 'DRAFT'
  | 'PENDING'
  | 'DISABLED'
  | 'SUBMITTED'
  | 'EXECUTED'
  | 'CANCELLED'
  | 'EXPIRED'
  | 'FAILED';

/** Why it failed, or what keeps it from being sent. */
export interface Obstacle {
  /** A word for programs: `nonce_used`, `insufficient_balance`. */
  readonly code: string;
  /** One line for people that says what to do. */
  readonly message: string;
}

/** Where a block has it. Wei per gas; fees in wei. */
export interface Inclusion {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly outcome: 'success' | 'reverted';
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  /** Beside gas: blobs, and what a rollup takes for posting the data. */
  readonly otherFees: bigint;
  /** The block's time, ms. */
  readonly minedAt: number;
}

/** Where an auto-tx stands. Times in ms since epoch, wall clock. */
export interface AutoTxState {
  readonly status: AutoTxStatus;
  /** How often it was decided to send it. */
  readonly attempts: number;
  /** The last decision to send it. */
  readonly submittedAt: number | null;
  /** Since when a node is known to have it, of this attempt; `null`: nobody can say yet. */
  readonly sentAt: number | null;
  /** A node may have its bytes, so that it may be mined whatever is decided here. */
  readonly mayBeOut: boolean;
  readonly inclusion: Inclusion | null;
  /**
   * The status of one that nobody wanted sent any more (disabled, cancelled, expired, failed) when a node or a block
   * turned out to have it all the same: should they lose it, it has this status again. `null`: it goes back to
   * waiting for its price.
   */
  readonly returnsTo: Exclude<AutoTxStatus, 'DRAFT' | 'PENDING' | 'SUBMITTED' | 'EXECUTED'> | null;
  /** The head at which another transaction was first seen to have its nonce. */
  readonly takenSince: number | null;
  /**
   * The head of the first look of those in a row, up to the latest, at which no node knew it; 0: the latest found it.
   */
  readonly unseen: number;
  /** When it was final in a block. */
  readonly executedAt: number | null;
  readonly failure: Obstacle | null;
  /**
   * What kept it from being sent when its target was reached, when that is tried again (ms), and how often it was in
   * the way.
   */
  readonly hold: (Obstacle & { readonly retryAt: number; readonly times: number }) | null;
}

export const NEW_DRAFT: AutoTxState = {
  status: 'DRAFT',
  attempts: 0,
  submittedAt: null,
  sentAt: null,
  mayBeOut: false,
  inclusion: null,
  returnsTo: null,
  takenSince: null,
  unseen: 0,
  executedAt: null,
  failure: null,
  hold: null,
};

export const NEW_PENDING: AutoTxState = { ...NEW_DRAFT, status: 'PENDING' };

/** States that nothing leaves by itself, but for a reorg, or bytes that were out before they were cancelled. */
const FINAL: ReadonlySet<AutoTxStatus> = new Set(['EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED']);

export const isFinal = (status: AutoTxStatus): boolean => FINAL.has(status);
