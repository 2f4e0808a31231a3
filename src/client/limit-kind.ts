import type { ErrorWords } from './reading/error-words.ts';

/** Which limit a `429` speaks of: so many a day, or so many at once. */
export type LimitKind = 'daily' | 'rate';

const RATE =
  /per[\s_-]*(second|sec|minute|min)\b|\/\s?(s|sec|min)\b|too[\s_-]*(many|fast)|slow\s*down|throttl|burst/i;
const DAILY = /daily|\bday\b|per[\s_-]*day|midnight|tomorrow|quota/i;
/** Nobody waits longer for a limit per second, nor less for a day's. */
const RATE_WITHIN_SEC = 120;
const DAILY_FROM_SEC = 1_800;

/** The limit that a refusal names, in its code, in its words or by how long it asks to wait; `null`: none. */
export function limitKind(said: ErrorWords, retryAfterSec: number | null): LimitKind | null {
  const words = `${said.errorCode} ${said.message}`;
  if (/per[\s_-]*(second|sec)\b/i.test(words)) return 'rate';
  if (DAILY.test(words)) return 'daily';
  if (RATE.test(words)) return 'rate';
  if (retryAfterSec === null) return null;
  if (retryAfterSec <= RATE_WITHIN_SEC) return 'rate';
  return retryAfterSec >= DAILY_FROM_SEC ? 'daily' : null;
}
