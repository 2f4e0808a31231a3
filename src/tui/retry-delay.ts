import { ClientError } from '../client/errors.ts';
import { waitMs } from '../client/quota-pause.ts';
import { PATHS } from '../contract/routes.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A service that answers, but not as v1, is not put right within seconds; each try may cost quota. */
const STRANGE_MS = 10_000;
const LONGEST_STRANGE_MS = 60_000;
/** The same question seldom becomes acceptable; a chain that grows may make it so. */
const LONGEST_INVALID_MS = 600_000;

/** Routes that are there or not, whatever is asked of them. */
const FIXED: ReadonlySet<string> = new Set(Object.values(PATHS).filter((path) => !path.includes('{')));

/**
 * How long to wait after the `failures`th failure in a row, ms; `null`: asking again without the user's help is
 * useless (a key that is missing or refused, a route that the plan or the service does not have) or unwelcome.
 *
 * @param chance 0 to 1, spreads the waits by a quarter either way, so that many monitors do not ask in step.
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
      return waitMs(error);
    case 'not-found':
      // Proxies answer so while a service restarts, so the prices themselves are asked for again.
      return FIXED.has(error.endpoint) && error.endpoint !== PATHS.gasCurrent ? null : LONGEST_MS;
    case 'invalid':
      return backOff(LONGEST_MS, LONGEST_INVALID_MS);
    case 'unreadable':
      return backOff(STRANGE_MS, LONGEST_STRANGE_MS);
    default:
      return error.retryAfterSec === null ? backOff(FIRST_MS, LONGEST_MS) : waitMs(error);
  }
}
