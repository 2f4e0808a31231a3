import type { ChainSource } from '../../chain/chain-source.ts';
import type { RuleFacts } from '../../core/auto-txs/auto-tx-rule.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { AutoTxStore } from '../../store/auto-tx-store.ts';
import type { BlockStore } from '../../store/block-store.ts';
import type { HistoryStore } from '../../store/history-store.ts';
import type { Present } from '../present.ts';

/** What the engine works with. */
export interface EngineContext {
  readonly source: ChainSource;
  /** Writes by the lease's right. */
  readonly store: AutoTxStore;
  readonly blocks: BlockStore;
  readonly history: Pick<HistoryStore, 'referencePrices'>;
  /** `null` until the chain is known. */
  readonly profile: () => ChainProfile | null;
  /** Blocks of a chain that must have a transaction before what became of it is final. */
  readonly confirmations: (chain: ChainProfile) => number;
  /** `null` unless the head is now. */
  readonly present: () => Present | null;
  /** Dollars for one native coin now, and at an earlier time (Unix seconds). */
  readonly nativeUsd: () => number | null;
  readonly nativeUsdAt: (timestampSec: number) => Promise<number | null>;
  /** Ms since epoch. */
  readonly wallNow: () => number;
  /** Ms of a clock that nobody sets. */
  readonly steadyNow: () => number;
  /** How long one sender's questions may take, ms; default 10 s. */
  readonly senderMs?: number | undefined;
  /** Told of what should not happen. */
  readonly onError: (error: unknown) => void;
}

export function ruleFacts(
  { confirmations, profile, wallNow }: EngineContext,
  { signed }: KeptAutoTx,
): RuleFacts {
  const chain = profile();
  // Nothing is followed before the chain is known.
  const needed = chain === null ? Number.POSITIVE_INFINITY : confirmations(chain);
  return { nonce: signed?.nonce ?? 0, confirmations: needed, now: wallNow() };
}
