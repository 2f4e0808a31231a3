import type { MadeAttempt } from '../service/alerts/dispatcher.ts';
import type { ServeLog } from './serve-log.ts';

/** One line per attempt to tell somebody of a fired alert: its id, channel and what came of it, never where it went. */
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
    case 'again':
      log.warn(`${what}: ${attempt.answer}; tried again at ${new Date(verdict.at).toISOString()}`);
      return;
    case 'failed':
      log.warn(`${what}: ${attempt.answer}; given up`);
      return;
    case 'gone':
      log.warn(`${what}: ${attempt.answer}; its alert is disabled`);
  }
}
