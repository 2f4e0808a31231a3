import { ChainError, type ChainSource } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import { type ChainProfile, chainProfile, isDevelopmentChain } from '../core/chains.ts';
import type { BlockStore } from '../store/block-store.ts';
import { isSameBlock } from './same-block.ts';

/** Ordinary reorgs are the subscription's to find; what differs this deep is another chain. */
const DEPTHS = [0, 16, 128] as const;
/** A node of a quick chain, or one of several behind one address, may be this late without anything being wrong. */
const TOLERATED_LAG = 16;

/** What to do with the stored history before following the chain. */
export type Reconciliation =
  /** `behind`: why nothing new will come for a while, one line. */
  | { readonly type: 'keep'; readonly behind: string | null }
  | { readonly type: 'rewind'; readonly to: number }
  /** The chain began anew, or it is another recording: nothing of it is true any more. */
  | { readonly type: 'begin-anew' };

/**
 * Compares the stored history with the chain: its genesis, and blocks at a few depths. History is a month's work: only
 * what is seen to differ speaks against it, never blocks that a node does not have, and that of a chain which is known
 * by its genesis is never dropped. Rejects with a `ChainError` or `StoreError`.
 */
export async function reconcile(
  source: ChainSource,
  store: BlockStore,
  chain: ChainProfile,
): Promise<Reconciliation> {
  const genesis = await store.genesisHash();
  if (genesis !== null && chain.genesisHash !== undefined && genesis !== chain.genesisHash) {
    await source.confirmChain?.();
    return { type: 'begin-anew' };
  }
  const ours = await store.head();
  if (ours === null) return { type: 'keep', behind: null };
  const head = await source.head();
  const shared = Math.min(ours.number, head.number);
  // These are started over every day: there a low head means a new chain, elsewhere a node that still syncs.
  const startsOver = source.kind !== 'rpc' || isDevelopmentChain(chain);
  const compared = new Set<number>();
  let differs = false;
  let unknown = false;
  for (const depth of DEPTHS) {
    // Across a hole, the stored block next to it.
    const mine = (await store.page(Math.max(0, shared - depth), 1))[0];
    if (mine === undefined || mine.number > shared || compared.has(mine.number)) continue;
    compared.add(mine.number);
    const theirs = mine.number === head.number ? head : await blockAt(source, mine.number);
    if (theirs === null) unknown = true;
    else if (!isSameBlock(mine, theirs)) differs = true;
    else {
      // A recording that plays again from its beginning takes its future back; a node that is behind does not.
      const over = source.kind !== 'rpc' && head.number < ours.number;
      if (differs) return { type: 'rewind', to: await lastShared(source, store, mine.number, shared) };
      return over ? { type: 'rewind', to: mine.number } : keep(source, head, ours);
    }
  }
  const isOther = differs ? startsOver || !unknown : startsOver && head.number < ours.number;
  if (!isOther) return keep(source, head, ours);
  // Before its genesis was noted the history may be of the other one of two chains with this id.
  if (source.kind === 'rpc' && genesis === null && chainProfile(chain.id).genesisHash !== undefined)
    throw store.otherChain(chain);
  if (source.kind !== 'rpc' || chain.borrowsId || chainProfile(chain.id).genesisHash === undefined)
    return { type: 'begin-anew' };
  throw new ChainError(
    'wrong-chain',
    `${source.name} has other blocks than the history at every depth: is it on a fork? Give another node`,
  );
}

function keep(source: ChainSource, head: Block, ours: Block): Reconciliation {
  if (source.kind !== 'rpc' || head.number + TOLERATED_LAG >= ours.number)
    return { type: 'keep', behind: null };
  const behind = `${source.name} is at block ${head.number}, the history at ${ours.number}: waiting for it to catch up`;
  return { type: 'keep', behind };
}

/** The last of the blocks `from`–`to` before the first one that differs: what is taken back is evaluated again. */
async function lastShared(source: ChainSource, store: BlockStore, from: number, to: number): Promise<number> {
  const theirs = new Map((await source.blocks(from, to)).map((block) => [block.number, block]));
  let last = from;
  for (const mine of await store.page(from, to - from + 1)) {
    const other = theirs.get(mine.number);
    if (mine.number > to || (other !== undefined && !isSameBlock(mine, other))) break;
    if (other !== undefined) last = mine.number;
  }
  return last;
}

async function blockAt(source: ChainSource, number: number): Promise<Block | null> {
  const [block] = await source.blocks(number, number);
  return block?.number === number ? block : null;
}
