import { environmentManager, focusManager, onlineManager, QueryClient } from '@tanstack/react-query';
import { ClientError } from '../../client/errors.ts';
import { pauseMs } from '../../client/rate-limit.ts';
import { PATHS } from '../../contract/routes.ts';

const CACHED_MS = 60 * 60_000;
const DETAILS_CACHED_MS = 2 * 60_000;
const DETAILS = [
  ...['block', 'block-txs', 'block-txs-page', 'tx', 'raw', 'reach'],
  ...['alert', 'alert-savings', 'alert-preview', 'auto-tx', 'auto-tx-account'],
];

/** A query client without a `window`, whose focus and network state are unknown: both count as present. */
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
        // A permanent failure is not requested again when another screen was shown in between.
        retryOnMount: false,
        retry: (failures, error) => retryDelayMs(error, failures + 1) !== null,
        retryDelay: (failures, error) => {
          const delayMs = retryDelayMs(error, failures + 1, Math.random()) ?? 0;
          retryTimes.set(error, Date.now() + delayMs);
          return delayMs;
        },
        gcTime: CACHED_MS,
      },
    },
  });
  for (const key of DETAILS) queries.setQueryDefaults([key], { gcTime: DETAILS_CACHED_MS });
  return queries;
}

const retryTimes = new WeakMap<Error, number>();

export const retryAtOf = (error: Error): number | null => retryTimes.get(error) ?? null;

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A service with invalid responses is not corrected within seconds, and each try may cost quota. */
const STRANGE_MS = 10_000;
const LONGEST_STRANGE_MS = 60_000;
/** An invalid request seldom becomes valid, except when a chain grows. */
const LONGEST_INVALID_MS = 600_000;

/** Routes without path parameters: they exist or not. */
const FIXED: ReadonlySet<string> = new Set(Object.values(PATHS).filter((path) => !path.includes('{')));

/**
 * The wait after the `failures`th failure in a row, ms; `null` when a retry is useless without the user (a missing or
 * refused key, a route that the plan or the service lacks) or unwelcome.
 *
 * @param chance 0 to 1, varies the wait by a quarter either way, so that many monitors do not poll in step.
 */
export function retryDelayMs(error: unknown, failures: number, chance = 0.5): number | null {
  const backOff = (firstMs: number, longestMs: number) =>
    Math.round(Math.min(firstMs * 2 ** Math.max(failures - 1, 0), longestMs) * (0.75 + chance / 2));
  if (!(error instanceof ClientError)) return backOff(FIRST_MS, LONGEST_MS);
  switch (error.code) {
    case 'key':
    case 'plan':
      return null;
    case 'quota':
      return pauseMs(error);
    case 'not-found':
      // Proxies respond that way while a service restarts, so the prices are requested again.
      return FIXED.has(error.endpoint) && error.endpoint !== PATHS.gasCurrent ? null : LONGEST_MS;
    case 'invalid':
      return backOff(LONGEST_MS, LONGEST_INVALID_MS);
    case 'unreadable':
      return backOff(STRANGE_MS, LONGEST_STRANGE_MS);
    default:
      return error.retryAfterSec === null ? backOff(FIRST_MS, LONGEST_MS) : pauseMs(error);
  }
}
