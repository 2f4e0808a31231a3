import { environmentManager, QueryClient } from '@tanstack/react-query';
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import { withJitter } from '../../client/follow-prices.ts';
import { pauseMs } from '../../client/rate-limit.ts';
import { PATHS } from '../../contract/routes.ts';
import { backOffMs } from '../../core/time.ts';

/** React Query with the monitor's rule of what is requested again, and when. */
export function createQueryClient(): QueryClient {
  // Without a `window` it would neither poll nor drop anything.
  environmentManager.setIsServer(() => false);
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A permanent failure is not requested again when another screen was shown in between.
        retryOnMount: false,
        retry: (_, error) => mayPass(error),
        retryDelay: (failures, error) => {
          const delayMs = retryDelayMs(error, failures);
          retryTimes.set(error, Date.now() + delayMs);
          return delayMs;
        },
      },
    },
  });
}

const retryTimes = new WeakMap<Error, number>();

/** When the request that failed with this error is sent again, ms since epoch. */
export const retryAtOf = (error: Error): number | null => retryTimes.get(error) ?? null;

/** Routes without path parameters: they exist or not. Of the prices a proxy denies it while a service restarts. */
const FIXED: ReadonlySet<string> = new Set(
  Object.values(PATHS).filter((path) => !path.includes('{') && path !== PATHS.gasCurrent),
);

/** `false` for what only the user can change: a refused key, a route that the plan or the service lacks. */
function mayPass(error: Error): boolean {
  if (!(error instanceof ClientError)) return true;
  const { code, endpoint } = error;
  return code !== 'key' && code !== 'plan' && !(code === 'not-found' && FIXED.has(endpoint));
}

/** First and longest wait, ms. */
const BACK_OFF: Partial<Record<ClientErrorCode, readonly [firstMs: number, longestMs: number]>> = {
  // A service with invalid responses is not corrected within seconds, and each try may cost quota.
  unreadable: [10_000, 60_000],
  // An invalid request seldom becomes valid, except when a chain grows.
  invalid: [30_000, 600_000],
  'not-found': [30_000, 30_000],
};

function retryDelayMs(error: Error, failures: number): number {
  const failure = error instanceof ClientError ? error : null;
  if (failure && (failure.code === 'quota' || failure.retryAfterSec !== null)) return pauseMs(failure);
  const [firstMs, longestMs] = (failure && BACK_OFF[failure.code]) ?? [1_000, 30_000];
  return withJitter(backOffMs(failures, firstMs, longestMs));
}
