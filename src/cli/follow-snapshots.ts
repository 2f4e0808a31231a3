import { ClientError } from '../client/errors.ts';
import { followPrices, type RetryRule } from '../client/follow-prices.ts';
import { pauseMs } from '../client/rate-limit.ts';
import { updateSecOf } from '../client/views/chain-status.ts';
import { backOffMs } from '../core/time.ts';
import { type OpenedClient, type ToldSnapshot, toldSnapshot, toldSnapshots } from './open-source.ts';

export const FASTEST_POLL_MS = 500;
const SLOWEST_POLL_MS = 10_000;

interface Persistence {
  readonly signal: AbortSignal;
  /** Told of each failure that may pass. */
  readonly onTrouble: (reason: string) => void;
  /** Before it has worked the address may be wrong. */
  readonly hasWorked: boolean;
}

/** The same one may come twice. Rejects on abort and for what no waiting fixes. */
export function followSnapshots(
  { client, intervalMs }: Pick<OpenedClient, 'client' | 'intervalMs'>,
  { signal, ...patience }: Persistence,
): AsyncGenerator<ToldSnapshot, void> {
  let { hasWorked } = patience;
  return followPrices({
    poll: {
      read: async () => {
        const told = await toldSnapshot(client, signal);
        hasWorked = true;
        return told;
      },
      // Twice the update frequency, so that little time is lost.
      everyMs: ({ snapshot }) =>
        intervalMs ??
        Math.min(Math.max((updateSecOf(snapshot) * 1_000) / 2, FASTEST_POLL_MS), SLOWEST_POLL_MS),
      retryMs: (error, failures) => retryRule({ ...patience, hasWorked })(error, failures),
    },
    stream: () => toldSnapshots(client, signal),
    signal,
  });
}

const LONGEST_RETRY_MS = 30_000;

/** Tells of what may pass, and throws the rest. */
export const retryRule =
  ({ onTrouble, hasWorked }: Omit<Persistence, 'signal'>): RetryRule =>
  (error, failures) => {
    if (!(error instanceof ClientError) || !mayPass(error, hasWorked)) throw error;
    onTrouble(reasonOf(error));
    if (error.code === 'quota') return pauseMs(error);
    const wantedMs = Math.min((error.retryAfterSec ?? 0) * 1_000, LONGEST_RETRY_MS);
    return Math.max(wantedMs, backOffMs(failures, 1_000, LONGEST_RETRY_MS));
  };

function mayPass({ code, status }: ClientError, hasWorked: boolean): boolean {
  if (code === 'quota' || code === 'unreachable' || code === 'unavailable') return true;
  if (code === 'server') return hasWorked || (status ?? 500) >= 500;
  return hasWorked && (code === 'not-found' || code === 'unreadable');
}

const NAMED_DETAILS = 3;

/** One line per node if there are several; hints for choosing another source do not help while waiting. */
function reasonOf({ message, details }: ClientError): string {
  if (details.length === 0) return message;
  const named = details.slice(0, NAMED_DETAILS).map((detail) => `${detail.path}: ${detail.message}`);
  const more = details.length > NAMED_DETAILS ? `; and ${details.length - NAMED_DETAILS} more` : '';
  return `${message.split('; ')[0]} (${named.join('; ')}${more})`;
}
