import { ClientError, type ClientErrorCode } from './client-error.ts';
import { type ErrorWords, errorWords } from './reading/error-words.ts';
import { parseJson } from './reading/json.ts';
import { retryAfterSec } from './retry-after.ts';

const CODE_BY_STATUS: Readonly<Record<number, ClientErrorCode>> = {
  400: 'invalid',
  401: 'key',
  403: 'plan',
  404: 'not-found',
  422: 'invalid',
  429: 'quota',
  503: 'unavailable',
};

/** The typed error for an HTTP answer that is not a success. */
export function refusal(
  response: { readonly status: number; readonly headers: Headers },
  text: string,
  context: { readonly endpoint: string; readonly withKey: boolean; readonly now: number },
): ClientError {
  const said = errorWords(parseJson(text));
  const code = CODE_BY_STATUS[response.status] ?? 'server';
  return new ClientError(code, sentence(code, response.status, said, context), {
    endpoint: context.endpoint,
    status: response.status,
    retryAfterSec: retryAfterSec(response.headers.get('retry-after'), context.now),
    details: said.details,
  });
}

function sentence(
  code: ClientErrorCode,
  status: number,
  said: ErrorWords,
  { endpoint, withKey }: { readonly endpoint: string; readonly withKey: boolean },
): string {
  const reason = said.message === '' ? '' : `: ${said.message}`;
  switch (code) {
    case 'key':
      if (!withKey) return 'the service asks for a key: set GASTOP_API_KEY or put it in the config file';
      return said.errorCode === 'api_key_revoked'
        ? 'this key has been revoked: set another in GASTOP_API_KEY or the config file'
        : 'the service refused the key: set GASTOP_API_KEY or put it in the config file';
    case 'plan':
      return `the plan of this key does not allow ${endpoint}${reason}`;
    case 'not-found':
      return `the service has no ${endpoint}${reason === '' ? '; check the URL' : reason}`;
    case 'invalid':
      return `the service did not accept the question${reason}`;
    case 'quota':
      return `the quota of this key is used up${reason}`;
    case 'unavailable':
      return said.message === '' ? 'the service cannot answer now (503)' : said.message;
    default:
      return `the service failed (${status})${reason}`;
  }
}
