import { ClientError, type ClientErrorCode } from '../client/errors.ts';
import { PATHS } from '../contract/routes.ts';

const TITLES: Readonly<Record<ClientErrorCode, string>> = {
  unreachable: 'The service does not answer',
  key: 'The key is refused',
  plan: 'The plan of this key does not allow this',
  'not-found': 'The service does not have this',
  invalid: 'The service does not accept the question',
  conflict: 'The service cannot do this as things stand',
  quota: 'This key has asked as much as it may for now',
  unavailable: 'The service has no prices now',
  server: 'The service fails',
  unreadable: 'The answer cannot be read',
};

/** What has happened, in a few words: each kind of failure has its own. */
export function failureTitle(error: Error): string {
  if (!(error instanceof ClientError)) return 'The service does not give prices';
  const { code, limit, errorCode, endpoint } = error;
  if (code === 'key' && errorCode === 'api_key_missing') return 'This service asks for a key';
  if (code === 'key' && errorCode === 'api_key_revoked') return 'The key has been revoked';
  if (code === 'quota' && limit === 'daily') return 'The daily quota of this key is used up';
  if (code === 'quota' && limit === 'rate') return 'Too many questions at once for this key';
  if (code === 'not-found' && endpoint === PATHS.gasCurrent) return 'There is no v1 service at this address';
  return TITLES[code];
}

/** What the user can do where waiting helps too. */
export function failureHint(error: Error): string {
  const code = error instanceof ClientError ? error.code : null;
  if (code === 'quota') return 'it goes on by itself; r asks once now, q quits';
  if (code === 'unreadable') return 'i shows what the service said, r asks again now; is the URL right?';
  return 'r asks again now, i shows what the service said, q quits';
}
