import type { DigestedChain } from './digested-chain.ts';
import type { FollowerOptions } from './follower-options.ts';
import { HistoryFiller } from './history-filler.ts';

/** What fills the holes in the history of a chain that is followed: what is found is gone through and judged anew. */
export function fillerOf(options: FollowerOptions, chain: DigestedChain): HistoryFiller {
  const { track } = options;
  return new HistoryFiller(options, {
    head: () => chain.head,
    isWriting: () => chain.isWriting,
    flush: () => chain.flush(),
    rebuild: async (from) => {
      void track.lookBack();
      await chain.rebuild(from);
    },
    filled: (until) => void track.filled(until),
    onRewind: (listener) => chain.onRewind(listener),
  });
}
