import {
  environmentManager,
  focusManager,
  notifyManager,
  onlineManager,
  QueryClient,
} from '@tanstack/react-query';
import { ClientError } from '../../client/errors.ts';
import { pauseMs } from '../../client/rate-limit.ts';
import { PATHS } from '../../contract/routes.ts';

/** How long an answer may wait for others that are on their way, ms: too short to be seen. */
const LONGEST_GATHER_MS = 30;
/** How often is looked whether they have come, ms. */
const LOOK_MS = 2;

/**
 * Has what came of several questions drawn in one frame: what is told while others are asked still waits for them, but
 * for no more than 30 ms. A new block is half a dozen questions, and each frame costs as much as the whole of them.
 *
 * @param isAsking whether answers are on their way
 * @returns runs what it is given, in its order
 */
export function gatherAnswers(isAsking: () => boolean): (tell: () => void) => void {
  let waiting: (() => void)[] = [];
  let since = 0;
  const look = () => {
    if (isAsking() && performance.now() - since < LONGEST_GATHER_MS) {
      setTimeout(look, LOOK_MS);
      return;
    }
    const due = waiting;
    waiting = [];
    for (const tell of due) tell();
  };
  return (tell) => {
    waiting.push(tell);
    if (waiting.length > 1) return;
    since = performance.now();
    setTimeout(look, 0);
  };
}

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
      return pauseMs(error);
    case 'not-found':
      // Proxies answer so while a service restarts, so the prices themselves are asked for again.
      return FIXED.has(error.endpoint) && error.endpoint !== PATHS.gasCurrent ? null : LONGEST_MS;
    case 'invalid':
      return backOff(LONGEST_MS, LONGEST_INVALID_MS);
    case 'unreadable':
      return backOff(STRANGE_MS, LONGEST_STRANGE_MS);
    default:
      return error.retryAfterSec === null ? backOff(FIRST_MS, LONGEST_MS) : pauseMs(error);
  }
}
