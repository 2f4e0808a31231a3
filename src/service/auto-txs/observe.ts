import type { ChainReceipt, ChainSource } from '../../chain/chain-source.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { type Inclusion, isFinal, type Observation } from '../../core/auto-txs/state-machine.ts';
import { ownPriceAt } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import { abortable } from '../async.ts';
import { type Beside, type EngineContext, happen, stepKept } from './broadcast.ts';

export interface Followed {
  readonly kept: KeptAutoTx;
  /** `null` when the node's responses were inconsistent. */
  readonly observation: Observation | null;
}

/** The node may be ahead of one that has no receipt yet: nothing is decided before the next head, or this time. */
const CERTAIN_MS = 3_000;

export interface FollowOptions {
  readonly context: EngineContext;
  readonly head: Block;
  /** When and at which head a nonce was first used by what no node knows. */
  readonly used: Map<string, { readonly since: number; readonly first: number }>;
  readonly signal: AbortSignal;
}

/** Observes an auto-tx that a node may have, and stores the result. Rejects as the node or the store do. */
export async function followOne(
  kept: KeptAutoTx,
  sender: SenderReads,
  options: FollowOptions,
): Promise<Followed> {
  const { context, head, used } = options;
  const observation = await observe(kept, sender, options);
  if (observation === null) return { kept, observation };
  if (observation.inclusion !== null || observation.nextNonce <= (kept.signed?.nonce ?? 0))
    used.delete(kept.id);
  else {
    const now = context.steadyNow();
    const { since, first } = used.get(kept.id) ?? { since: now, first: head.number };
    used.set(kept.id, { since, first });
    const isKnown = kept.state.takenSince !== null || head.number > first || now - since >= CERTAIN_MS;
    // Its confirmations are counted from the head, which must be fresh.
    const isCertain = isKnown && context.present() !== null;
    if (!isCertain) return { kept, observation: null };
  }
  const isNews =
    observation.inclusion !== null && observation.inclusion.blockHash !== kept.state.inclusion?.blockHash;
  const beside = isNews ? await pricesOf(kept, observation.inclusion, context) : undefined;
  // Most observations change nothing, and every write waits for the disk.
  if (beside === undefined && stepKept(kept, { type: 'observe', observation }, context) === null) {
    return { kept, observation };
  }
  const changed = await happen(kept, { type: 'observe', observation }, context, beside);
  return { kept: changed?.after ?? kept, observation };
}

const BUCKET_SEC = 300;
const NEARLY_A_DAY_SEC = 23 * 3_600;

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
  // In a chain's first hours there is no mean of a day.
  const isDay = oldest !== null && oldest <= minedAtSec - NEARLY_A_DAY_SEC;
  const dayMeanPrice =
    day === null || signed === null || !isDay ? null : ownPriceAt(signed, BigInt(day.base));
  return { dayMeanPrice, nativeUsd: nativeUsd() };
}

/** `null` when responses are inconsistent, so that the next head must decide. Rejects as the node or the store do. */
async function observe(
  kept: KeptAutoTx,
  sender: SenderReads,
  options: FollowOptions,
): Promise<Observation | null> {
  const { state, signed } = kept;
  if (signed === null) return null;
  const { context, head, signal } = options;
  const { source } = context;
  // Requested first: a transaction that has used the nonce by then has a receipt in the later request.
  const nextNonce = await sender.nextNonce();
  const isTaken = nextNonce > signed.nonce;
  // For an ended auto-tx only its inclusion matters.
  if (isFinal(state.status) && !isTaken) {
    return { head: head.number, inclusion: null, isKnown: false, nextNonce };
  }
  const receipt = await abortable(source.receipt(signed.hash), signal);
  if (receipt !== null) {
    const inclusion = await inclusionOf(receipt, options);
    return inclusion && { head: head.number, inclusion, isKnown: true, nextNonce };
  }
  const transaction = await abortable(source.transaction(signed.hash), signal);
  // One node has it mined, while another has no receipt yet.
  if (transaction !== null && transaction.blockNumber !== null) return null;
  return { head: head.number, inclusion: null, isKnown: transaction !== null, nextNonce };
}

/** `null` when its block is not on the followed chain, or not known yet. */
async function inclusionOf(
  receipt: ChainReceipt,
  { context: { source, blocks }, signal }: FollowOptions,
): Promise<Inclusion | null> {
  const { blockNumber, blockHash } = receipt;
  const [stored] = await blocks.page(blockNumber, 1);
  // Above the stored head there may be a branch whose reorg is not stored yet.
  if (stored === undefined) return null;
  const ours = stored.number === blockNumber ? stored : null;
  if (ours !== null && ours.hash !== null && ours.hash !== blockHash) return null;
  const block = ours ?? (await abortable(source.block(blockNumber), signal));
  if (block === null || (block.hash !== null && block.hash !== blockHash)) return null;
  return inclusionBy(receipt, block);
}

export const inclusionBy = (receipt: ChainReceipt, { timestamp }: Pick<Block, 'timestamp'>): Inclusion => ({
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash,
  outcome: receipt.status,
  gasUsed: receipt.gasUsed,
  effectiveGasPrice: receipt.effectiveGasPrice,
  otherFees: receipt.blobFee + receipt.dataFee,
  minedAt: timestamp * 1_000,
});

export type SenderReads = ReturnType<typeof senderReads>;

/** Requests to a node about one sender, each made at most once; all end with the abort of `signal`. */
export const senderReads = (source: ChainSource, address: Hex, signal: AbortSignal) => ({
  nextNonce: once(() => abortable(source.nonce(address, 'latest'), signal)),
  balance: once(() => abortable(source.balance(address), signal)),
});

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => (pending ??= read());
}
