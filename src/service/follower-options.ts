import type { ChainSource } from '../chain/chain-source.ts';
import type { DigestedChainOptions } from './digested-chain-options.ts';
import type { News } from './source-news.ts';

export interface FollowerOptions extends DigestedChainOptions {
  readonly source: ChainSource;
  readonly signal: AbortSignal;
  readonly historySec: number;
  /** Told of errors that should not happen; the follower goes on. */
  readonly onError: (error: unknown) => void;
  /** Told when the source, or a node of several, goes away or comes back. */
  readonly onNews: (news: News) => void;
  /** That nothing is kept, and why, in words; left out: it is. */
  readonly unsaved?: string | undefined;
}
