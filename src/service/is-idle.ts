import type { ChainSource } from '../chain/chain-source.ts';
import { type ChainProfile, isDevelopmentChain } from '../core/chains.ts';

/** Which chain is followed, and how far. */
interface Followed {
  readonly source: Pick<ChainSource, 'kind' | 'health'>;
  readonly chain: ChainProfile | null;
  readonly head: number | undefined;
}

/** A chain for development may make no block until somebody sends something: its head is now while its node is well. */
export function isIdle({ source, chain, head }: Followed): boolean {
  if (chain === null || !isDevelopmentChain(chain) || source.kind !== 'rpc') return false;
  return source.health().some((node) => node.state === 'ok' && node.head === head);
}
