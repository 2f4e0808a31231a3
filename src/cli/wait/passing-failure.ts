import { ClientError } from '../../client/errors.ts';
import { waitMs } from '../../client/quota-pause.ts';

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

export interface PassingFailure {
  readonly reason: string;
  /** When to ask again. */
  readonly afterMs: number;
}

/**
 * What to do about a failed question when waiting: `null` where waiting does not help and a person must act.
 *
 * @param tries how many failed in a row, this one included. @param hasWorked whether the service was ever understood:
 * an address that never was one is a mistake, one that was will be one again.
 */
export function passingFailure(error: unknown, tries: number, hasWorked: boolean): PassingFailure | null {
  if (!(error instanceof ClientError)) return null;
  const passing = { reason: reasonOf(error), afterMs: retryAfterMs(error, tries) };
  switch (error.code) {
    case 'quota':
      return { reason: error.message, afterMs: waitMs(error) };
    case 'not-found':
    case 'unreadable':
      return hasWorked ? passing : null;
    case 'server':
      return hasWorked || (error.status ?? 500) >= 500 ? passing : null;
    case 'unreachable':
    case 'unavailable':
      return passing;
    default:
      return null;
  }
}

function retryAfterMs({ retryAfterSec }: ClientError, tries: number): number {
  const ownMs = Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LAST_RETRY_MS);
  return retryAfterSec === null ? ownMs : Math.min(Math.max(retryAfterSec * 1_000, ownMs), LAST_RETRY_MS);
}

const NAMED_DETAILS = 3;

/** Node by node where there are several; what else could be chosen at the start is of no help while waiting. */
function reasonOf({ message, details }: ClientError): string {
  if (details.length === 0) return message;
  const named = details.slice(0, NAMED_DETAILS).map((detail) => `${detail.path}: ${detail.message}`);
  const more = details.length > NAMED_DETAILS ? `; and ${details.length - NAMED_DETAILS} more` : '';
  return `${message.split('; ')[0]} (${named.join('; ')}${more})`;
}
