import type { MadeAttempt } from '../../service/alerts/dispatcher.ts';
import type { ServeLog } from './serve-log.ts';

/**
 * One line per attempt to tell somebody of a fired alert: its id, channel and what came of it, never where it went. What
 * the receiver said may say that, so that it is left to the alert's own deliveries.
 */
export function logAttempt(
  log: Pick<ServeLog, 'info' | 'warn'>,
  { delivery, attempt, verdict }: MadeAttempt,
): void {
  const what = `alert delivery ${delivery.id}`;
  switch (verdict.kind) {
    case 'delivered':
      log.info(`${what}: delivered in ${attempt.latencyMs.toFixed(0)} ms`);
      return;
    case 'waits':
      // Our own words, and what the operator has to do.
      log.warn(`${what}: ${attempt.answer}`);
      return;
    case 'again':
      log.warn(`${what}: ${statusOf(attempt.answer)}; tried again at ${new Date(verdict.at).toISOString()}`);
      return;
    case 'failed':
      log.warn(`${what}: ${statusOf(attempt.answer)}; given up`);
      return;
    case 'gone':
      log.warn(`${what}: ${statusOf(attempt.answer)}; its alert is disabled`);
  }
}

function statusOf(answer: string): string {
  const status = /^[1-5]\d\d\b/.exec(answer)?.[0];
  return status === undefined ? 'not taken' : `answered ${status}`;
}
