/** About a block of the chain that most speak of: a service elsewhere counts questions. */
const ELSEWHERE_MS = 15_000;
/** Where nothing is to be announced only the number beside the tab depends on it. */
const IDLE_MS = 300_000;
/** Of the time that passes, at most a twentieth goes into listing, however much there is. */
const SHARE = 20;

export interface ListPaceOptions {
  /** How often prices are asked for, ms; longer while a quota wants that. */
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  /** The list is on the screen. */
  readonly isShown: boolean;
  /** Something in it is waited for, so that its coming is announced. */
  readonly isAwaited: boolean;
  /** How long the last answer took, ms. */
  readonly tookMs: number;
}

/** How long to wait before what a service keeps is listed again, ms. */
export function listPaceMs(options: ListPaceOptions): number {
  const { intervalMs, isOwnService, isShown, isAwaited, tookMs } = options;
  const least = Math.max(intervalMs, tookMs * SHARE);
  if (isOwnService) return least;
  return Math.max(least, isShown || isAwaited ? ELSEWHERE_MS : IDLE_MS);
}
