import type { AlertView } from '../client/views/alerts.ts';

/** About a block of the chain that most speak of: a service elsewhere counts questions. */
const ELSEWHERE_MS = 15_000;
/** Where nothing is to be announced only the number beside the tab depends on it. */
const IDLE_MS = 300_000;
/** Of the time that passes, at most a twentieth goes into listing alerts, however many there are. */
const SHARE = 20;

interface AlertsPaceOptions {
  /** How often prices are asked for, ms; longer while a quota wants that. */
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  /** The list is on the screen. */
  readonly isShown: boolean;
  /** `null`: not known yet. */
  readonly alerts: readonly AlertView[] | null;
  /** How long the last answer took, ms. */
  readonly tookMs: number;
}

/** How long to wait before the alerts are listed again, ms: what this terminal announces decides. */
export function alertsPaceMs(options: AlertsPaceOptions): number {
  const { intervalMs, isOwnService, isShown, alerts, tookMs } = options;
  const least = Math.max(intervalMs, tookMs * SHARE);
  if (isOwnService) return least;
  const isAwaited = alerts?.some(
    ({ channels, status }) => channels.includes('TERMINAL') && status !== 'DISABLED',
  );
  return Math.max(least, isShown || isAwaited ? ELSEWHERE_MS : IDLE_MS);
}
