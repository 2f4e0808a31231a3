import {
  ChainError,
  type ChainReceipt,
  type ChainSource,
  type IncludedTransaction,
} from '../../chain/chain-source.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { type Inclusion, isFinal, type Look } from '../../core/auto-txs/state-machine.ts';
import { ownPriceAt } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { abortable } from '../async.ts';
import { type Beside, type EngineContext, happen, stepKept } from './broadcast.ts';

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

const BUCKET_SEC = 300;
const NEARLY_A_DAY_SEC = 23 * 3_600;

/** What its savings are told by. */
export async function pricesOf(
  { signed }: Pick<KeptAutoTx, 'signed'>,
  { minedAt }: Pick<Inclusion, 'minedAt'>,
  {
    history,
    nativeUsd,
    nativeUsdAt,
    wallNow,
  }: Pick<EngineContext, 'history' | 'nativeUsd' | 'nativeUsdAt' | 'wallNow'>,
): Promise<Beside> {
  const minedAtSec = Math.floor(minedAt / 1_000);
  const isNow = Math.abs(wallNow() - minedAt) <= NOW_MS;
  const [day, oldest, usd] = await Promise.all([
    history.referencePrices(minedAtSec),
    history.reachesBackTo(BUCKET_SEC),
    isNow ? nativeUsd() : nativeUsdAt(minedAtSec),
  ]);
  // A chain's first hours have no mean of a day.
  const isDay = oldest !== null && oldest <= minedAtSec - NEARLY_A_DAY_SEC;
  const dayMeanPrice =
    day === null || signed === null || !isDay ? null : ownPriceAt(signed, BigInt(day.base));
  return { dayMeanPrice, nativeUsd: usd };
}

interface LookContext {
  readonly source: ChainSource;
  readonly blocks: BlockStore;
  readonly head: Block;
  readonly signal: AbortSignal;
}

/**
 * What the chain says of an auto-tx that may be with a node; `null` where its answers do not fit together, so that the next
 * head has to tell. Rejects with a `ChainError` or a `StoreError`, or on abort.
 */
export async function lookAt(
  { state, signed }: KeptAutoTx,
  sender: SenderQuestions,
  { source, blocks, head, signal }: LookContext,
): Promise<Look | null> {
  if (signed === null) return null;
  // First of all: whoever has used the nonce by then is in the chain when it is asked for the receipt.
  const nextNonce = await sender.nextNonce();
  const isTaken = nextNonce > signed.nonce;
  // Of what is not wanted any more only that it was mined all the same is news.
  if (isFinal(state.status) && !isTaken) {
    return { head: head.number, inclusion: null, isKnown: false, nextNonce };
  }
  // A node has it: what is not mined has no receipt, and what is behind others in the pool waits for them.
  const isInPool = state.status === 'SUBMITTED' && state.sentAt !== null && state.inclusion === null;
  if (isInPool && signed.nonce > nextNonce && signed.nonce < (await sender.pendingNonce())) {
    return { head: head.number, inclusion: null, isKnown: true, nextNonce };
  }
  const receipt = isInPool && !isTaken ? null : await abortable(source.receipt(signed.hash), signal);
  if (receipt !== null) {
    const inclusion = await inclusionOf(receipt, { source, blocks, signal });
    return inclusion && { head: head.number, inclusion, isKnown: true, nextNonce };
  }
  const transaction = await abortable(source.transaction(signed.hash), signal);
  // Mined, as one node says, while another has no receipt yet.
  if (transaction !== null && transaction.blockNumber !== null) return null;
  return { head: head.number, inclusion: null, isKnown: transaction !== null, nextNonce };
}

/** `null`: its block is not of the chain that is followed, or not known yet. */
export async function inclusionOf(
  receipt: ChainReceipt,
  { source, blocks, signal }: Pick<LookContext, 'source' | 'blocks' | 'signal'>,
): Promise<Inclusion | null> {
  const { blockNumber, blockHash } = receipt;
  const [stored] = await blocks.page(blockNumber, 1);
  // What is above the stored head may be of a branch whose reorg is still to be written.
  if (stored === undefined) return null;
  const ours = stored.number === blockNumber ? stored : null;
  if (ours !== null && ours.hash !== null && ours.hash !== blockHash) return null;
  const block = ours ?? (await abortable(source.block(blockNumber), signal));
  if (block === null || (block.hash !== null && block.hash !== blockHash)) return null;
  return {
    blockNumber,
    blockHash,
    outcome: receipt.status,
    gasUsed: receipt.gasUsed,
    effectiveGasPrice: receipt.effectiveGasPrice,
    otherFees: receipt.blobFee + receipt.dataFee,
    minedAt: block.timestamp * 1_000,
  };
}

/** Whole blocks are large: it is looked for in as many at most. */
const MOST_BLOCKS = 6;

interface NonceSearch {
  /** What has the nonce: another transaction, or the auto-tx itself; `null`: it is in none of the blocks. */
  readonly found: IncludedTransaction | null;
  /** Whether all of the blocks could be read. */
  readonly isComplete: boolean;
}

/**
 * Looks for the transaction that has an auto-tx's nonce in the newest blocks up to `head` and after `seen`, where the nonce
 * was free or nothing was found. Does not reject where a node does
 * not say it.
 */
async function searchNonce(
  { signed }: KeptAutoTx,
  {
    source,
    seen,
    head,
    signal,
  }: {
    readonly source: ChainSource;
    readonly seen: number | null;
    readonly head: number;
    readonly signal: AbortSignal;
  },
): Promise<NonceSearch> {
  const from = signed?.from.toLowerCase();
  const above = Math.max(seen ?? 0, head - MOST_BLOCKS);
  let isComplete = true;
  try {
    for (let number = head; number > above; number--) {
      const block = await abortable(source.block(number, { signal }), signal);
      const included = block && (await abortable(source.transactionsOf(block, { signal }), signal));
      const found = included?.find(
        ({ transaction }) => transaction.nonce === signed?.nonce && transaction.from.toLowerCase() === from,
      );
      if (found !== undefined) return { found, isComplete: true };
      // The newest one may not be whole yet where the one that has it is.
      if (!included) isComplete = false;
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return { found: null, isComplete: false };
  }
  return { found: null, isComplete };
}

/** What a node says of one sender, each asked at most once. */
export interface SenderQuestions {
  /** The next nonce that the chain takes. */
  nextNonce(): Promise<number>;
  /** The next one after those in the node's pool. */
  pendingNonce(): Promise<number>;
  /** Wei. */
  balance(): Promise<bigint>;
}

/** @param signal nothing is waited for any longer than until it aborts */
export function askOfSender(source: ChainSource, address: Hex, signal: AbortSignal): SenderQuestions {
  return {
    nextNonce: once(() => abortable(source.nonce(address, 'latest'), signal)),
    pendingNonce: once(() => abortable(source.nonce(address, 'pending'), signal)),
    balance: once(() => abortable(source.balance(address), signal)),
  };
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
}
