import { ChainError, type ChainSource } from '../../chain/chain-source.ts';
import type { Block } from '../../core/block.ts';
import { type ChainProfile, chainProfile, isDevelopmentChain } from '../../core/chains.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { isSameBlock } from './ingested-chain.ts';

/** The subscription finds ordinary reorgs; where blocks differ at this depth, the chain is another one. */
const DEEPEST = 128;
const DEPTHS = [0, 16, DEEPEST] as const;
/** A node of a fast chain, or one of several behind an address, may lag this much without a fault. */
const TOLERATED_LAG = 16;

export type Reconciliation =
  /** `behind`: why no new blocks will come for a while, one line. */
  | { readonly type: 'keep'; readonly behind: string | null }
  | { readonly type: 'rewind'; readonly to: number }
  /** The chain restarted, or it is another recording: the history is invalid. */
  | { readonly type: 'begin-anew' };

/**
 * Compares the stored history with the chain: its genesis, and blocks at a few depths. The history took a month to
 * collect: only a proven difference counts against it, never blocks that a node lacks. That of a chain identified by its
 * genesis is never dropped, unless it is so short that a reorg may have replaced it. Rejects with a `ChainError` or `StoreError`.
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
  // These restart every day: for them a low head means a new chain, for others a node that still syncs.
  const startsOver = source.kind !== 'rpc' || isDevelopmentChain(chain);
  let differs = false;
  let unknown = false;
  for (const depth of DEPTHS) {
    const mine = (await store.page(Math.max(0, shared - depth), 1))[0];
    if (mine === undefined || mine.number > shared) continue;
    const theirs = mine.number === head.number ? head : await blockAt(source, mine.number);
    if (theirs === null) unknown = true;
    else if (!isSameBlock(mine, theirs)) differs = true;
    else {
      // A recording that restarts is below its old head; for a node that means a lag.
      const over = source.kind !== 'rpc' && head.number < ours.number;
      if (differs) return { type: 'rewind', to: await lastShared(source, store, mine.number, shared) };
      return over ? { type: 'rewind', to: mine.number } : keep(source, head, ours);
    }
  }
  const isOther = differs ? startsOver || !unknown : startsOver && head.number < ours.number;
  if (!isOther) return keep(source, head, ours);
  const oldest = (await store.oldest()) ?? ours;
  // A reorg may replace all of a short history, such as the only block of a process that was killed at its first start.
  const isShort = ours.number - oldest.number < DEEPEST && head.number >= ours.number;
  const isSame = genesis !== null && genesis === chain.genesisHash;
  if (isShort && isSame) return { type: 'rewind', to: oldest.number - 1 };
  // Without a stored genesis the history may belong to the other of two chains with this id.
  if (source.kind === 'rpc' && genesis === null && chainProfile(chain.id).genesisHash !== undefined)
    throw store.otherChain(chain);
  if (source.kind !== 'rpc' || chain.borrowsId || chainProfile(chain.id).genesisHash === undefined)
    return { type: 'begin-anew' };
  throw new ChainError(
    'wrong-chain',
    `${source.name} has other blocks than the history at every depth: is it on a fork? Give another node`,
  );
}

function keep({ kind, name }: ChainSource, head: Block, ours: Block): Reconciliation {
  const isBehind = kind === 'rpc' && head.number + TOLERATED_LAG < ours.number;
  const behind = `${name} is at block ${head.number}, the history at ${ours.number}: waiting for it to catch up`;
  return { type: 'keep', behind: isBehind ? behind : null };
}

/** The last of the blocks `from`–`to` before the first difference: rewound blocks are evaluated again. */
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

export async function blockAt(source: ChainSource, number: number): Promise<Block | null> {
  const [block] = await source.blocks(number, number);
  return block?.number === number ? block : null;
}

/** Why a process may not lead a shared database with its node. */
export interface Unfit {
  readonly message: string;
  /** The node is on another chain, or another branch: a person has to do something. Else it only has to catch up. */
  readonly isOther: boolean;
}

const unfit = (message: string, isOther = true): Unfit => ({ message, isOther });
const DOES_NOT_LEAD = 'this process does not lead; give it the right node';

/**
 * Holds a node against a shared database, which this changes in nothing: its chain and genesis, with
 * `isWhole` its blocks as well. `null`: it may lead. Rejects with a `ChainError` or `StoreError`.
 */
export async function unfitNode(
  source: ChainSource,
  store: BlockStore,
  chain: ChainProfile,
  isWhole: boolean,
): Promise<Unfit | null> {
  const [id, genesis] = [await store.chainId(), await store.genesisHash()];
  if (id !== null && id !== chain.id)
    return unfit(`${source.name} is on chain ${chain.id}, ${store.name} holds chain ${id}: ${DOES_NOT_LEAD}`);
  if (genesis !== null && chain.genesisHash !== undefined && genesis !== chain.genesisHash) {
    const sides = `${source.name} has the genesis ${chain.genesisHash}, ${store.name} ${genesis}`;
    return unfit(`${sides}: ${DOES_NOT_LEAD}, or begin anew with gastop migrate --begin-anew`);
  }
  const ours = isWhole ? await store.head() : null;
  if (ours === null) return null;
  try {
    const found = await reconcile(source, store, chain);
    if (found.type === 'keep') return found.behind === null ? null : unfit(found.behind, false);
    if (found.type === 'rewind') {
      const head = await source.head();
      if (head.number >= ours.number) return null;
      const branch = `${source.name} is at block ${head.number} of another branch`;
      return unfit(
        `${branch}, ${store.name} at ${ours.number}: this process waits for it to catch up`,
        false,
      );
    }
    return unfit(`${source.name} has other blocks than ${store.name}: ${DOES_NOT_LEAD}`);
  } catch (error) {
    if (error instanceof ChainError && error.code === 'wrong-chain') return unfit(error.message);
    throw error;
  }
}
