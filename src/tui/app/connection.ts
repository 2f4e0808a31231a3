import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { PATHS } from '../../contract/routes.ts';
import type { Polled } from '../data/queries.ts';

const TITLES: Readonly<Record<ClientErrorCode, string>> = {
  unreachable: 'The service does not answer',
  key: 'The key is refused',
  plan: 'The plan of this key does not allow this',
  'not-found': 'The service does not have this',
  invalid: 'The service does not accept the request',
  conflict: 'The service cannot do this as things stand',
  quota: 'This key has asked as much as it may for now',
  unavailable: 'The service has no prices now',
  server: 'The service fails',
  unreadable: 'The response cannot be read',
};

export function failureTitle(error: Error): string {
  if (!(error instanceof ClientError)) return 'The service does not give prices';
  const { code, limit, errorCode, endpoint } = error;
  if (code === 'key' && errorCode === 'api_key_missing') return 'This service asks for a key';
  if (code === 'key' && errorCode === 'api_key_revoked') return 'The key has been revoked';
  if (code === 'quota' && limit === 'daily') return 'The daily quota of this key is used up';
  if (code === 'quota' && limit === 'rate') return 'Too many requests at once for this key';
  if (code === 'not-found' && endpoint === PATHS.gasCurrent) return 'There is no v1 service at this address';
  return TITLES[code];
}

export function failureHint(error: Error): string {
  const code = error instanceof ClientError ? error.code : null;
  if (code === 'quota') return 'it goes on by itself; r asks once now, q quits';
  if (code === 'unreadable') return 'i shows what the service said, r asks again now; is the URL right?';
  return 'r asks again now, i shows what the service said, q quits';
}

/** How far the screen can be trusted, and what happens next. `title` is a short form of `reason`, for narrow places. */
export type Health =
  | { readonly kind: 'connecting' }
  /** No source could be opened, and nothing retries by itself. */
  | { readonly kind: 'none' }
  | { readonly kind: 'live' }
  /** Live, but nothing is stored: `note` says what will be lost at the next start. */
  | { readonly kind: 'unsaved'; readonly note: string }
  | { readonly kind: 'ended' }
  | { readonly kind: 'frozen' }
  /** The prices are from the last run: the embedded service waits for its source and for newer blocks. */
  | { readonly kind: 'catching-up' }
  | { readonly kind: 'stale'; readonly reason: string; readonly retryAt: number | null }
  /** The service does not respond, or its rate limit is reached; requests are retried. */
  | {
      readonly kind: 'reconnecting' | 'limited';
      readonly reason: string;
      readonly title: string;
      readonly retryAt: number | null;
    }
  /** The service refuses; a retry is useless until the user acts. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly title: string;
      readonly remedy: string;
    };

/** The embedded service knows why its prices are stale once its source has responded. */
export function isCatchingUp({ stale, source }: SnapshotView): boolean {
  return stale === true && source.problem === null && !source.ended;
}

export function healthOf(
  { data, error, retryAt }: Pick<Polled<SnapshotView>, 'data' | 'error' | 'retryAt'>,
  frozen: boolean,
  isOwn = false,
  overdue = false,
): Health {
  if (error !== null) {
    const remedy = remedyFor(error);
    const title = failureTitle(error);
    if (remedy !== null) {
      // A key's refusal already says what to do.
      const isKey = error instanceof ClientError && error.code === 'key';
      return { kind: 'refused', reason: isKey ? title : error.message, title, remedy };
    }
    const isLimited = error instanceof ClientError && error.code === 'quota';
    return { kind: isLimited ? 'limited' : 'reconnecting', reason: error.message, title, retryAt };
  }
  if (data === undefined) return { kind: 'connecting' };
  if (frozen) return { kind: 'frozen' };
  const { problem, ended } = data.source;
  if (ended) return { kind: 'ended' };
  // The prices are fresh; something else is wrong.
  if (problem !== null && problem.retryAt === null && data.stale !== true)
    return { kind: 'unsaved', note: problem.message };
  if (problem !== null) return { kind: 'stale', reason: problem.message, retryAt: problem.retryAt };
  if (isOwn && isCatchingUp(data)) return { kind: 'catching-up' };
  if (data.stale === true || overdue)
    return { kind: 'stale', reason: 'no new block for longer than usual', retryAt: null };
  return { kind: 'live' };
}

export function isPast(health: Health): boolean {
  return 'reason' in health || health.kind === 'catching-up';
}

/** What only the user can do about an error; `null` when waiting helps. */
export function remedyFor(error: Error): string | null {
  if (!(error instanceof ClientError)) return null;
  // The key is read when gastop starts.
  if (error.code === 'key') return 'set GASTOP_API_KEY and start again; r asks once more';
  if (error.code === 'plan') return 'it takes another plan or key; GASTOP_API_KEY sets it, r asks once more';
  return null;
}

const SHORT_SEC = 3;

export function isShortWait(error: Error): boolean {
  if (!(error instanceof ClientError) || error.code !== 'quota' || error.limit !== 'rate') return false;
  return error.retryAfterSec !== null && error.retryAfterSec <= SHORT_SEC;
}

/** Why a service refused, in one line: its messages about single fields are the most precise. */
export function refusalText(error: Error): string {
  const details = error instanceof ClientError ? error.details : [];
  const messages = details.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return (messages.length > 0 ? messages.join(', ') : error.message).replaceAll('\n', ' ');
}
