import type { ChainReceipt, ChainSource } from '../../chain/chain-source.ts';
import type { Look } from '../../core/auto-txs/auto-tx-rule.ts';
import { type Inclusion, isFinal } from '../../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Block } from '../../core/block.ts';
import type { BlockStore } from '../../store/block-store.ts';
import { abortable } from '../async.ts';
import type { SenderQuestions } from './sender-questions.ts';

export interface LookContext {
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
