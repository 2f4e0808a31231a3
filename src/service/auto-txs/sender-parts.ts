import type { ChainSource } from '../../chain/chain-source.ts';
import type { AutoTxEvent } from '../../core/auto-txs/state-machine.ts';
import { type AutoTxStep, type StoredAutoTx, stepStored } from '../../core/auto-txs/stored-auto-tx.ts';
import { isDue } from '../../core/auto-txs/target.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { AutoTxStore } from '../../store/auto-txs.ts';
import type { BlockStore } from '../../store/blocks.ts';
import type { HistoryStore } from '../../store/history.ts';
import type { FreshChain } from '../follow/fresh-head.ts';
import type { CoinPrice } from '../published-chain.ts';
import type { CostLimits } from './cost-limits.ts';

export interface SenderParts {
  readonly source: ChainSource;
  /** Checks the lease at every write. */
  readonly store: AutoTxStore;
  readonly blocks: BlockStore;
  readonly history: Pick<HistoryStore, 'referencePrices' | 'reachesBackTo'>;
  readonly profile: () => ChainProfile | null;
  readonly confirmations: (chain: ChainProfile) => number;
  /** `null` unless the head is fresh (`Follower.freshChain`). */
  readonly freshChain: () => FreshChain | null;
  readonly coinPrice: () => CoinPrice;
  readonly wallNow: () => number;
  /** The same, but no later than the chain's time allows, because expiry is final. */
  readonly agreedNow: () => number;
  readonly steadyNow: () => number;
  /** Time limit of the requests about one sender, ms; default 10 s. */
  readonly senderMs?: number | undefined;
  readonly onError: (error: unknown) => void;
}

export interface SenderContext extends SenderParts {
  readonly limits: CostLimits;
}

/** Applies an event at this moment; `null`: its state does not allow it, or nothing changes. */
export function stepNow(stored: StoredAutoTx, event: AutoTxEvent, context: SenderContext): AutoTxStep | null {
  const { confirmations, profile, wallNow } = context;
  const chain = profile();
  // Nothing is followed while the chain is unknown.
  const needed = chain === null ? Number.POSITIVE_INFINITY : confirmations(chain);
  return stepStored(stored, event, { confirmations: needed, now: wallNow() });
}

/** Applies an event in its own transaction, to the state of that moment, stores the result, and sets what belongs to it beside that. */
export async function applyAndStore(
  { id, owner, signed }: StoredAutoTx,
  event: AutoTxEvent,
  context: SenderContext,
  beside: Partial<StoredAutoTx> = {},
): Promise<StoredAutoTx | null> {
  // The observation belongs to the transaction that was signed then.
  const decide = (stored: StoredAutoTx) =>
    stored.signed?.hash === signed?.hash ? stepNow({ ...stored, ...beside }, event, context) : null;
  const changed = await context.store.change({ owner, id }, decide, 'leader');
  return changed === null || 'rival' in changed ? null : changed;
}

/** By its exact target at the fresh head. */
export function isDueNow(stored: StoredAutoTx, { freshChain, limits }: SenderContext): boolean {
  const fresh = freshChain();
  if (fresh === null || stored.signed === null) return false;
  const { lanes, nextBaseFee } = fresh.advice;
  const order = limits.orderNow(stored);
  return isDue(order, stored.signed, { lanePrice: lanes[order.lane].price, nextBaseFee });
}
