import { environmentManager, QueryClient } from '@tanstack/react-query';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import { pauseMs } from '../../client/rate-limit.ts';
import { PATHS } from '../../contract/routes.ts';

const CACHED_MS = 60 * 60_000;
const DETAILS_CACHED_MS = 2 * 60_000;
const DETAILS = [
  ...['block', 'block-txs', 'block-txs-page', 'tx', 'raw', 'reach'],
  ...['alert', 'alert-savings', 'alert-preview', 'auto-tx', 'auto-tx-account'],
];

export function createQueryClient(): QueryClient {
  // Without a `window` it would neither poll nor drop anything.
  environmentManager.setIsServer(() => false);
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // A permanent failure is not requested again when another screen was shown in between.
        retryOnMount: false,
        retry: (failures, error) => retryDelayMs(error, failures) !== null,
        retryDelay: (failures, error) => {
          const delayMs = retryDelayMs(error, failures) ?? 0;
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

const LONGEST_MS = 30_000;

/** First and longest wait, ms. */
const BACK_OFF: Partial<Record<ClientErrorCode, readonly [firstMs: number, longestMs: number]>> = {
  // A service with invalid responses is not corrected within seconds, and each try may cost quota.
  unreadable: [10_000, 60_000],
  // An invalid request seldom becomes valid, except when a chain grows.
  invalid: [LONGEST_MS, 600_000],
};

/** Routes without path parameters: they exist or not. */
const FIXED: ReadonlySet<string> = new Set(Object.values(PATHS).filter((path) => !path.includes('{')));

/**
 * The wait after `failures` failures before this one, ms; `null` when a retry is useless without the user (a missing
 * or refused key, a route that the plan or the service lacks) or unwelcome.
 */
function retryDelayMs(error: Error, failures: number): number | null {
  if (error instanceof ClientError) {
    const { code, endpoint, retryAfterSec } = error;
    if (code === 'key' || code === 'plan') return null;
    // Proxies respond that way while a service restarts, so the prices are requested again.
    if (code === 'not-found') return FIXED.has(endpoint) && endpoint !== PATHS.gasCurrent ? null : LONGEST_MS;
    if (code === 'quota' || retryAfterSec !== null) return pauseMs(error);
  }
  const known = error instanceof ClientError ? BACK_OFF[error.code] : undefined;
  const [firstMs, longestMs] = known ?? [1_000, LONGEST_MS];
  // With jitter, so that many monitors do not poll in step.
  return Math.round(Math.min(firstMs * 2 ** failures, longestMs) * (0.75 + Math.random() / 2));
}
