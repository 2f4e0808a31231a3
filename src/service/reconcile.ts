import type { ChainSource } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import type { BlockStore } from '../store/block-store.ts';

/** Ordinary reorgs are the subscription's to find; what differs this deep is another chain. */
const DEPTHS = [0, 16, 128] as const;

/** What to do with the stored history before following the chain. */
export type Reconciliation =
  | { readonly type: 'keep' }
  | { readonly type: 'rewind'; readonly to: number }
  /** A development chain that was started anew, another recording: nothing of it is true any more. */
  | { readonly type: 'clear' };

/** Compares the stored history with the chain at a few depths. Rejects with a `ChainError` or `StoreError`. */
export async function reconcile(source: ChainSource, store: BlockStore): Promise<Reconciliation> {
  const ours = await store.head();
  if (ours === null) return { type: 'keep' };
  const head = await source.head();
  const shared = Math.min(ours.number, head.number);
  let compared = false;
  for (const depth of DEPTHS) {
    const number = shared - depth;
    const mine = (await store.page(number, 1))[0];
    const theirs = number === head.number ? head : await blockAt(source, number);
    if (mine?.number !== number || theirs === null) continue;
    compared = true;
    if (!isSame(mine, theirs)) continue;
    // A recording that plays again from its beginning takes its future back; a node that is behind does not.
    const over = source.kind !== 'rpc' && head.number < ours.number;
    return depth > 0 || over ? { type: 'rewind', to: number } : { type: 'keep' };
  }
  return compared || head.number < ours.number ? { type: 'clear' } : { type: 'keep' };
}

async function blockAt(source: ChainSource, number: number): Promise<Block | null> {
  if (number < 0) return null;
  const [block] = await source.blocks(number, number);
  return block?.number === number ? block : null;
}

function isSame(a: Block, b: Block): boolean {
  if (a.hash !== null && b.hash !== null) return a.hash === b.hash;
  return a.baseFeePerGas === b.baseFeePerGas;
}
