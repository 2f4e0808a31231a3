import type { Look } from '../../core/auto-txs/auto-tx-rule.ts';
import type { Inclusion } from '../../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Block } from '../../core/block.ts';
import type { EngineContext } from './engine-context.ts';
import { inclusionOf, lookAt } from './look-at.ts';
import { searchNonce } from './nonce-search.ts';
import type { SenderQuestions } from './sender-questions.ts';
import { type Beside, happen, stepKept } from './step-kept.ts';

/**
 * For so many heads after the first whole blocks are read to find what has a nonce, where those before could not all
 * be read.
 */
const MORE_SEARCHES = 3;

/** A block mined longer ago than this had another price of the coin than there is now. */
const NOW_MS = 600_000;

export interface Followed {
  /** As it is after the look. */
  readonly kept: KeptAutoTx;
  /** `null`: the node's answers did not fit together. */
  readonly look: Look | null;
  /** It is worth looking again in a moment, without a new head: what does not fit together may by then. */
  readonly isSoon: boolean;
}

/** What was seen of one while it is followed. */
export interface Seen {
  /** Up to here the chain was searched for its nonce: at this head it was free, or nothing was found that has it. */
  readonly searched: Pick<Block, 'number' | 'hash'> | null;
  /** The transaction that has its nonce. */
  readonly takenBy: Look['takenBy'];
  /** The first and the last head at which its nonce was used, as far as was known by another transaction. */
  readonly used: { readonly first: number; readonly last: number } | null;
}

const NOTHING: Seen = { searched: null, takenBy: null, used: null };

export interface FollowOptions {
  readonly context: EngineContext;
  readonly head: Block;
  readonly seen: Map<string, Seen>;
  readonly signal: AbortSignal;
  /** Whole blocks are not read to say what has its nonce. */
  readonly isLight?: boolean;
}

/** Looks what has become of one that may be with a node, and writes it down. Rejects as the node or the store do. */
export async function followOne(
  kept: KeptAutoTx,
  sender: SenderQuestions,
  options: FollowOptions,
): Promise<Followed> {
  const { context, head, seen, signal } = options;
  const { source, blocks } = context;
  const found = await lookAt(kept, sender, { source, blocks, head, signal });
  if (found === null) return { kept, look: null, isSoon: true };
  const isTaken = found.inclusion === null && found.nextNonce > (kept.signed?.nonce ?? 0);
  if (!isTaken) {
    // What is mined has its nonce itself: should a reorg take it back, another may have it anywhere above.
    seen.set(kept.id, { ...NOTHING, searched: found.inclusion === null ? head : null });
  }
  const look = isTaken ? await explain(kept, found, options) : found;
  if (look === null) return { kept, look: null, isSoon: false };
  const isNews = look.inclusion !== null && look.inclusion.blockHash !== kept.state.inclusion?.blockHash;
  const beside = isNews ? await pricesOf(kept, look.inclusion, context) : undefined;
  // Most looks tell nothing new, and every write waits for the disk.
  if (beside === undefined && stepKept(kept, { type: 'look', look }, context) === null) {
    return { kept, look, isSoon: false };
  }
  const changed = await happen(kept, { type: 'look', look }, context, beside);
  return { kept: changed?.after ?? kept, look, isSoon: false };
}

/**
 * Says which transaction has used its nonce, where no node has a receipt of it. That may be this very one: one node
 * may be ahead of another, and some know nothing of what they have mined. `null`: that cannot be told before the next
 * head.
 */
async function explain(
  kept: KeptAutoTx,
  found: Look,
  { context, head, seen, signal, isLight = false }: FollowOptions,
): Promise<Look | null> {
  // How deep it lies is told by the head, which has to be of now.
  if (context.present() === null) return null;
  const { source, blocks } = context;
  const before = seen.get(kept.id) ?? NOTHING;
  const first = before.used?.first ?? head.number;
  const used = { first, last: head.number };
  if (before.takenBy) {
    seen.set(kept.id, { ...before, used });
    return { ...found, takenBy: before.takenBy };
  }
  // What used it is in a block of the first look, or of the next one where the node that said so was ahead: after
  // that searching again is in vain.
  const searchedTo = await stillSearched(before, context);
  const isSearched = searchedTo !== null && searchedTo > first;
  const isInVain = isLight || isSearched || (before.used?.last ?? 0) >= first + MORE_SEARCHES;
  const search = isInVain
    ? { found: null, isComplete: false }
    : await searchNonce(kept, {
        source,
        seen: searchedTo,
        head: head.number,
        signal,
      });
  const searched = search.isComplete ? head : before.searched;
  if (search.found === null) {
    seen.set(kept.id, { ...before, searched, used });
    return first === head.number && kept.state.takenSince === null ? null : found;
  }
  const { transaction, receipt } = search.found;
  if (transaction.hash === kept.signed?.hash) {
    const inclusion = await inclusionOf(receipt, { source, blocks, signal });
    return inclusion && { ...found, inclusion, isKnown: true };
  }
  const takenBy = { hash: transaction.hash, blockNumber: receipt.blockNumber };
  seen.set(kept.id, { searched, takenBy, used });
  return { ...found, takenBy };
}

/** The block up to which its nonce was free, unless a reorg has replaced it since. */
async function stillSearched({ searched }: Seen, { blocks }: EngineContext): Promise<number | null> {
  if (searched === null) return null;
  const [stored] = await blocks.page(searched.number, 1);
  return stored?.number === searched.number && stored.hash === searched.hash ? searched.number : null;
}

/** What its savings are told by. */
async function pricesOf(
  { order }: KeptAutoTx,
  { minedAt }: Inclusion,
  { history, nativeUsd, nativeUsdAt, wallNow }: EngineContext,
): Promise<Beside> {
  const minedAtSec = Math.floor(minedAt / 1_000);
  const isNow = Math.abs(wallNow() - minedAt) <= NOW_MS;
  const [day, usd] = await Promise.all([
    history.referencePrices(minedAtSec),
    isNow ? nativeUsd() : nativeUsdAt(minedAtSec),
  ]);
  return { dayMeanPrice: day === null ? null : BigInt(day[order.lane]), nativeUsd: usd };
}
