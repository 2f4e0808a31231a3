/** How often a service elsewhere, which counts questions, is asked: about once a block of Ethereum's. */
const ELSEWHERE_MS = 15_000;
/** The same while something in the list goes out or is mined. */
const URGENT_MS = 10_000;
/** How often while the list is neither shown nor waited for: only the number beside the tab depends on it. */
const IDLE_MS = 300_000;
/** Listing takes at most a twentieth of the time that passes, however long the list is. */
const SHARE = 20;
/**
 * What is looked at or waited for is no older than a block all the same, where no quota was met: then listing may
 * take a third of the time.
 */
const OLDEST_MS = 12_000;
const MOST_SHARE = 3;

export interface ListPaceOptions {
  /** How often prices are asked for, ms; longer while a quota wants that. */
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  /** The list is on the screen. */
  readonly isShown: boolean;
  /** Something in it is waited for, so that its coming is announced. */
  readonly isAwaited: boolean;
  /** Something in it may change with every block. */
  readonly isUrgent?: boolean;
  /** The service has refused questions as too many. */
  readonly isLimited?: boolean;
  /** How long the last answer took, ms. */
  readonly tookMs: number;
}

/** How long to wait before what a service keeps is listed again, ms. */
export function listPaceMs(options: ListPaceOptions): number {
  const {
    intervalMs,
    isOwnService,
    isShown,
    isAwaited,
    isUrgent = false,
    isLimited = false,
    tookMs,
  } = options;
  const isWanted = isShown || isAwaited;
  const sparing = tookMs * SHARE;
  const hurried = Math.max(Math.min(sparing, OLDEST_MS), tookMs * MOST_SHARE);
  const least = Math.max(intervalMs, isWanted && !isLimited ? hurried : sparing);
  if (isOwnService) return least;
  if (!isWanted) return Math.max(least, IDLE_MS);
  return Math.max(least, isUrgent && !isLimited ? URGENT_MS : ELSEWHERE_MS);
}
