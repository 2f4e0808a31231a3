import type { ChainReceipt, ChainSource } from '../../chain/chain-source.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { type Inclusion, isFinal, type Look } from '../../core/auto-txs/state-machine.ts';
import { ownPriceAt } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { abortable, mapBounded } from '../async.ts';
import { type Beside, type EngineContext, happen, ruleFacts, stepKept } from './broadcast.ts';

/** Requests at once, of one sender. */
export const PARALLEL = 8;

export interface Followed {
  /** As it is after the look. */
  readonly kept: KeptAutoTx;
  /** `null`: the node's answers did not fit together. */
  readonly look: Look | null;
  /** It is worth looking again in a moment, without a new head: what does not fit together may by then. */
  readonly isSoon: boolean;
}

/**
 * A node that says that a nonce is used may be ahead of the one that has no receipt yet: nothing is said before the next head,
 * or for so long where none comes.
 */
const CERTAIN_MS = 3_000;

/** A nonce that another transaction seems to have used. */
interface UsedNonce {
  /** When that was first seen, by the steady clock, and at which head. */
  readonly since: number;
  readonly first: number;
  /** The last head at which it was. */
  readonly head: number;
}

export interface FollowOptions {
  readonly context: EngineContext;
  readonly head: Block;
  /** By auto-tx id. */
  readonly used: Map<string, UsedNonce>;
  readonly signal: AbortSignal;
}

/** Looks what has become of one that may be with a node, and writes it down. Rejects as the node or the store do. */
export async function followOne(
  kept: KeptAutoTx,
  sender: SenderQuestions,
  { context, head, used, signal }: FollowOptions,
): Promise<Followed> {
  const { source, blocks } = context;
  const { confirmations } = ruleFacts(context, kept);
  const look = await lookAt(kept, sender, { source, blocks, head, confirmations, signal });
  if (look === null) return { kept, look, isSoon: true };
  if (look.inclusion !== null || look.nextNonce <= (kept.signed?.nonce ?? 0)) used.delete(kept.id);
  else {
    const nothing = { kept, look: null, isSoon: false };
    // How deep it lies is told by the head, which has to be of now.
    if (context.present() === null) return nothing;
    const now = context.steadyNow();
    const { since, first } = used.get(kept.id) ?? { since: now, first: head.number };
    used.set(kept.id, { since, first, head: head.number });
    const isCertain = head.number > first || now - since >= CERTAIN_MS;
    if (!isCertain && kept.state.takenSince === null) return { ...nothing, isSoon: true };
  }
  const isNews = look.inclusion !== null && look.inclusion.blockHash !== kept.state.inclusion?.blockHash;
  const beside = isNews ? await pricesOf(kept, look.inclusion, context) : undefined;
  // Most looks tell nothing new, and every write waits for the disk.
  if (beside === undefined && stepKept(kept, { type: 'look', look }, context) === null) {
    return { kept, look, isSoon: false };
  }
  const changed = await happen(kept, { type: 'look', look }, context, beside);
  return { kept: changed?.after ?? kept, look, isSoon: false };
}

const BUCKET_SEC = 300;
const NEARLY_A_DAY_SEC = 23 * 3_600;

/** What its savings are told by. */
export async function pricesOf(
  { signed }: Pick<KeptAutoTx, 'signed'>,
  { minedAt }: Pick<Inclusion, 'minedAt'>,
  { history, nativeUsd }: Pick<EngineContext, 'history' | 'nativeUsd'>,
): Promise<Beside> {
  const minedAtSec = Math.floor(minedAt / 1_000);
  const [day, oldest] = await Promise.all([
    history.referencePrices(minedAtSec),
    history.reachesBackTo(BUCKET_SEC),
  ]);
  // A chain's first hours have no mean of a day.
  const isDay = oldest !== null && oldest <= minedAtSec - NEARLY_A_DAY_SEC;
  const dayMeanPrice =
    day === null || signed === null || !isDay ? null : ownPriceAt(signed, BigInt(day.base));
  return { dayMeanPrice, nativeUsd: nativeUsd() };
}

interface LookContext {
  readonly source: ChainSource;
  readonly blocks: BlockStore;
  readonly head: Block;
  /** Blocks that make it final. */
  readonly confirmations: number;
  readonly signal: AbortSignal;
}

/**
 * What the chain says of an auto-tx that may be with a node; `null` where its answers do not fit together, so that the next
 * head has to tell. Rejects with a `ChainError` or a `StoreError`, or on abort.
 */
export async function lookAt(
  { state, signed }: KeptAutoTx,
  sender: SenderQuestions,
  context: LookContext,
): Promise<Look | null> {
  if (signed === null) return null;
  const { source, head, signal } = context;
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
  const told = isInPool && !isTaken ? null : await abortable(source.receipt(signed.hash), signal);
  const isToBeFinal = isTaken && head.number - (state.takenSince ?? head.number) + 1 >= context.confirmations;
  const receipt =
    told ?? (isToBeFinal ? await receiptInBlocks(signed.hash, state.takenSince, context) : null);
  if (receipt === undefined) return null;
  if (receipt !== null) {
    const inclusion = await inclusionOf(receipt, context);
    return inclusion && { head: head.number, inclusion, isKnown: true, nextNonce };
  }
  const transaction = await abortable(source.transaction(signed.hash), signal);
  // Mined, as one node says, while another has no receipt yet.
  if (transaction !== null && transaction.blockNumber !== null) return null;
  return { head: head.number, inclusion: null, isKnown: transaction !== null, nextNonce };
}

/** Blocks below the first head at which its nonce was seen to be used: senders are looked at once a minute at least. */
const SEARCHED = 32;

/**
 * A node may have neither the receipt nor the hash of what it mined. Before its nonce is said to be used by another, the
 * blocks in which it was used are looked through, once; `null`: none has it, `undefined`: one has it, and no receipt.
 */
async function receiptInBlocks(
  hash: Hex,
  takenSince: number | null,
  { source, head, signal }: LookContext,
): Promise<ChainReceipt | null | undefined> {
  const last = takenSince ?? head.number;
  const numbers = Array.from({ length: Math.min(SEARCHED, last) }, (_, place) => last - place);
  const read = await mapBounded(numbers, PARALLEL, signal, (number) => source.block(number, { signal }));
  const block = read.find((each) => each?.transactionHashes.includes(hash)) ?? null;
  if (block === null) return null;
  const included = await abortable(source.transactionsOf(block, { signal }), signal);
  return included?.find(({ receipt }) => receipt.hash === hash)?.receipt;
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
