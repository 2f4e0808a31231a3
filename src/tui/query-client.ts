import { environmentManager, focusManager, onlineManager, QueryClient } from '@tanstack/react-query';

/**
 * A query client for a terminal, which is no browser: without a `window` the library takes itself for a server
 * and never polls; focus and network state are not known, so both count as there.
 */
export function createQueryClient(): QueryClient {
  environmentManager.setIsServer(() => false);
  focusManager.setFocused(true);
  onlineManager.setOnline(true);
  return new QueryClient({
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
}
