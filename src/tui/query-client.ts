import {
  environmentManager,
  focusManager,
  notifyManager,
  onlineManager,
  QueryClient,
} from '@tanstack/react-query';
import { gatherAnswers } from './gathered-answers.ts';

/** Blocks come one after the other for as long as the monitor runs; these are kept long enough to go back to. */
const BLOCK_KEPT_MS = 5 * 60_000;

/**
 * A query client for a terminal, which is no browser: without a `window` the library takes itself for a server
 * and never polls; focus and network state are not known, so both count as there.
 */
export function createQueryClient(): QueryClient {
  environmentManager.setIsServer(() => false);
  focusManager.setFocused(true);
  onlineManager.setOnline(true);
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchIntervalInBackground: true,
        refetchOnReconnect: false,
        refetchOnWindowFocus: false,
        // Failures are counted and timed by `usePolledQuery`, so that the screen can say when the next try is.
        retry: false,
        gcTime: 60 * 60_000,
      },
    },
  });
  for (const key of ['block', 'block-txs', 'block-txs-page']) {
    queries.setQueryDefaults([key], { gcTime: BLOCK_KEPT_MS });
  }
  notifyManager.setScheduler(gatherAnswers(() => queries.isFetching() > 0));
  return queries;
}
