import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { PATHS } from '../../contract/routes.ts';
import type { Polled } from '../data/queries.ts';

/** By code, and by the service's own error code, limit or endpoint where that says more. */
const TITLES: Readonly<Record<ClientErrorCode, string> & Record<string, string>> = {
  unreachable: 'The service does not answer',
  key: 'The key is refused',
  'key api_key_missing': 'This service asks for a key',
  'key api_key_revoked': 'The key has been revoked',
  plan: 'The plan of this key does not allow this',
  'not-found': 'The service does not have this',
  [`not-found ${PATHS.gasCurrent}`]: 'There is no v1 service at this address',
  invalid: 'The service does not accept the request',
  conflict: 'The service cannot do this as things stand',
  quota: 'This key has asked as much as it may for now',
  'quota daily': 'The daily quota of this key is used up',
  'quota rate': 'Too many requests at once for this key',
  unavailable: 'The service has no prices now',
  server: 'The service fails',
  unreadable: 'The response cannot be read',
};

export function failureTitle(error: Error): string {
  if (!(error instanceof ClientError)) return 'The service does not give prices';
  const { code, limit, errorCode, endpoint } = error;
  const more = [errorCode, limit, endpoint].map((part) => TITLES[`${code} ${part}`]);
  return more.find((title) => title !== undefined) ?? TITLES[code];
}

export function failureHint(error: Error): string {
  const code = error instanceof ClientError ? error.code : null;
  if (code === 'quota') return 'it goes on by itself; r asks once now, q quits';
  if (code === 'unreadable') return 'i shows what the service said, r asks again now; is the URL right?';
  return 'r asks again now, i shows what the service said, q quits';
}

/** How far the screen can be trusted, and what happens next. */
export type Health =
  /** `none`: no source could be opened, and nothing retries by itself. `catching-up`: prices of the last run. */
  | { readonly kind: 'connecting' | 'none' | 'live' | 'ended' | 'frozen' | 'catching-up' }
  /** Live, but nothing is stored: `note` says what will be lost at the next start. */
  | { readonly kind: 'unsaved'; readonly note: string }
  /** Old data. `title` is a short form of `reason`. `refused`: a retry is useless until the user acts. */
  | {
      readonly kind: 'stale' | 'reconnecting' | 'limited' | 'refused';
      readonly reason: string;
      readonly title?: string;
      readonly remedy?: string;
      readonly retryAt: number | null;
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
    const code = error instanceof ClientError ? error.code : null;
    // A key's refusal already says what to do.
    if (remedy !== null)
      return { kind: 'refused', reason: code === 'key' ? title : error.message, title, remedy, retryAt };
    return { kind: code === 'quota' ? 'limited' : 'reconnecting', reason: error.message, title, retryAt };
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

export const isPast = (health: Health): boolean => 'reason' in health || health.kind === 'catching-up';

/** What only the user can do about an error; `null` when waiting helps. */
export function remedyFor(error: Error): string | null {
  if (!(error instanceof ClientError)) return null;
  // The key is read when gastop starts.
  if (error.code === 'key') return 'set GASTOP_API_KEY and start again; r asks once more';
  if (error.code === 'plan') return 'it takes another plan or key; GASTOP_API_KEY sets it, r asks once more';
  return null;
}

/** Why a service refused, in one line: its messages about single fields are the most precise. */
export function refusalText(error: Error): string {
  const details = error instanceof ClientError ? error.details : [];
  const messages = details.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return (messages.length > 0 ? messages.join(', ') : error.message).replaceAll('\n', ' ');
}
