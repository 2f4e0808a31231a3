import {
  environmentManager,
  focusManager,
  notifyManager,
  onlineManager,
  QueryClient,
} from '@tanstack/react-query';
import { gatherAnswers } from './gathered-answers.ts';

/** What is there once, whatever is looked at. */
const KEPT_MS = 60 * 60_000;

/** Kept long enough to go back to. */
const OPENED_KEPT_MS = 2 * 60_000;
/** What is asked about one thing of many: for as long as the monitor runs there is always another one. */
const OPENED = [
  ...['block', 'block-txs', 'block-txs-page', 'tx', 'raw', 'reach'],
  ...['alert', 'alert-savings', 'alert-preview', 'auto-tx', 'auto-tx-account'],
];

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
        gcTime: KEPT_MS,
      },
    },
  });
  for (const key of OPENED) queries.setQueryDefaults([key], { gcTime: OPENED_KEPT_MS });
  notifyManager.setScheduler(gatherAnswers(() => queries.isFetching() > 0));
  return queries;
}
