import type { AutoTxCreationInput, AutoTxUpdateInput } from '../../contract/auto-txs.ts';
import type { Hex } from '../../core/block.ts';

/** An auto-tx as it is sent to a service, which may offer further words than the contract's. */
export interface NewAutoTx extends Omit<AutoTxCreationInput, 'gasSpeed'> {
  readonly gasSpeed?: string | undefined;
}

export interface AutoTxChange extends Omit<AutoTxUpdateInput, 'gasSpeed' | 'status'> {
  readonly gasSpeed?: string | undefined;
  readonly status?: string | undefined;
}

export interface CheckView {
  readonly name: string;
  /** `null`: it could not be told. */
  readonly ok: boolean | null;
  readonly message: string;
}

/** What it paid against another price. */
export interface ComparisonView {
  /** Wei per gas. */
  readonly referencePrice: bigint | null;
  /** Negative for a loss. */
  readonly savedWei: bigint | null;
  readonly savedUsd: number | null;
}

/** What was signed. `null`: the service does not say, or it has none. */
export interface SignedTransactionView {
  readonly chainId: number | null;
  readonly type: number | null;
  readonly from: Hex | null;
  readonly to: Hex | null;
  /** Wei. */
  readonly value: bigint | null;
  readonly data: Hex | null;
  readonly nonce: number | null;
  readonly gasLimit: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly gasPrice: bigint | null;
  readonly hash: Hex | null;
}

/** An auto-tx. `null`: the service does not say. Words a service uses that are none of the contract's stay as they are. Times in ms. */
export interface AutoTxView extends SignedTransactionView {
  readonly id: string;
  /** One of the contract's, or a service's own word. */
  readonly status: string | null;
  /** Wei per gas. */
  readonly target: bigint | null;
  readonly gasSpeed: string | null;
  readonly isStrict: boolean | null;
  readonly note: string | null;
  readonly expiresAt: number | null;
  readonly checks: readonly CheckView[];
  readonly checkedAt: number | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly submittedAt: number | null;
  readonly executedAt: number | null;
  readonly blockNumber: number | null;
  readonly gasUsed: bigint | null;
  readonly effectiveGasPrice: bigint | null;
  readonly costWei: bigint | null;
  readonly costUsd: number | null;
  readonly savedWei: bigint | null;
  readonly atCreation: ComparisonView | null;
  readonly dayMean: ComparisonView | null;
  readonly failure: { readonly code: string | null; readonly message: string } | null;
  readonly hold: {
    readonly code: string | null;
    readonly message: string;
    readonly retryAt: number | null;
  } | null;
  readonly attempts: number | null;
  /** Nodes may have its signed bytes, so that it may be mined although it waits or is cancelled. */
  readonly mayBeMined: boolean | null;
  readonly confirmations: number | null;
  readonly confirmationsNeeded: number | null;
  /** Chance that its target is reached within `reachWithinSec`. */
  readonly reachProbability: number | null;
  readonly reachWithinSec: number | null;
  /** The key that made it; `null`: one's own, or the service does not say. */
  readonly keyId: string | null;
}

export interface TimelineEntryView {
  readonly at: number | null;
  readonly kind: string | null;
  readonly blockNumber: number | null;
  readonly message: string;
}

export interface AutoTxDetailsView extends AutoTxView {
  /** Newest first; `null` where the service keeps none. */
  readonly timeline: readonly TimelineEntryView[] | null;
}

export interface AutoTxListView {
  readonly items: readonly AutoTxView[];
  /** How many there are in all; `null` where the service does not say. */
  readonly total: number | null;
  /** Rows of the answer that could not be read; `items` are the others. */
  readonly unreadable: number;
}

/** A sender as the chain knows it. */
export interface AutoTxAccountView {
  readonly chainId: number | null;
  /** The next nonce that the chain takes. */
  readonly nonce: number | null;
  /** The next one after those in the node's pool. */
  readonly pendingNonce: number | null;
  /** Wei. */
  readonly balance: bigint | null;
  /** Auto-txs of the sender that may still be sent, by nonce. */
  readonly waiting: readonly {
    readonly id: string;
    readonly nonce: number;
    readonly status: string | null;
  }[];
}

/** Whether nodes may have it, whatever is decided of it now. Of a service that does not say: whether it was ever sent. */
export function mayBeMined({ mayBeMined: said, attempts, submittedAt }: AutoTxView): boolean {
  return said ?? (submittedAt !== null || (attempts ?? 0) > 0);
}
