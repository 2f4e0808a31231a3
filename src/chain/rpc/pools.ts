import * as z from 'zod';
import type { Hex } from '../../core/block.ts';
import type { PoolView } from '../chain-source.ts';
import { ifSaid, request } from './client.ts';
import { type ChainTransaction, nullish, safeInteger, transactionResponse } from './decode.ts';
import type { NodePool, PoolNode } from './node-pool.ts';

const byNonce = z.record(z.string(), transactionResponse);
/** geth, Erigon, Reth and Nethermind have it; many providers do not offer it. */
const contentResponse = z.object({ pending: nullish(byNonce), queued: nullish(byNonce) });

/** What each node that answers has of a transaction and of its sender: pools are local, and may disagree. */
export async function readPools(pool: NodePool, { hash, from }: { hash: Hex; from: Hex }): Promise<PoolView> {
  const views = await Promise.all(pool.nodes.map((node) => ifSaid(viewOf(pool, node, hash, from))));
  const said = views.flatMap((view) => view ?? []);
  const others = new Map<Hex, ChainTransaction>();
  for (const { content } of said) {
    for (const each of content ?? []) if (each.hash !== hash) others.set(each.hash, each);
  }
  const highest = (values: readonly (number | undefined)[]) => {
    const known = values.flatMap((value) => value ?? []);
    return known.length === 0 ? null : Math.max(...known);
  };
  const found = said.flatMap(({ transaction }) => transaction ?? []);
  return {
    asked: said.filter(({ transaction }) => transaction !== undefined).length,
    pending: found.filter(({ blockNumber }) => blockNumber === null).length,
    mined: found.filter(({ blockNumber }) => blockNumber !== null).length,
    // A nonce that was used stays used; a node may be a block behind.
    nextNonce: highest(said.map(({ nextNonce }) => nextNonce)),
    pendingNonce: highest(said.map(({ pendingNonce }) => pendingNonce)),
    others: said.some(({ content }) => content !== undefined) ? [...others.values()] : null,
  };
}

async function viewOf(pool: NodePool, node: PoolNode, hash: Hex, from: Hex) {
  await pool.verify(node);
  const count = (at: 'latest' | 'pending') =>
    ifSaid(request(node, safeInteger, 'eth_getTransactionCount', [from, at]));
  const [transaction, nextNonce, pendingNonce, content] = await Promise.all([
    ifSaid(request(node, nullish(transactionResponse), 'eth_getTransactionByHash', [hash])),
    count('latest'),
    count('pending'),
    ifSaid(request(node, contentResponse, 'txpool_contentFrom', [from])),
  ]);
  const listed = content && [...Object.values(content.pending ?? {}), ...Object.values(content.queued ?? {})];
  return { transaction, nextNonce, pendingNonce, content: listed };
}
