import { ClientError } from '../client/client-error.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
const QUOTA_MS = 60_000;

/**
 * How long to wait after the `failures`th failure in a row, ms; `null`: asking again without the user's help is
 * useless (a key that is missing or refused stays so) or unwelcome.
 */
export function retryDelayMs(error: unknown, failures: number): number | null {
  if (error instanceof ClientError) {
    if (error.code === 'key' || error.code === 'plan') return null;
    if (error.retryAfterSec !== null) return Math.max(error.retryAfterSec * 1_000, FIRST_MS);
    if (error.code === 'quota') return QUOTA_MS;
    if (error.code === 'invalid' || error.code === 'not-found') return LONGEST_MS;
  }
  return Math.min(FIRST_MS * 2 ** Math.max(failures - 1, 0), LONGEST_MS);
}
