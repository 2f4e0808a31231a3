import { cleanText } from '../core/clean-text.ts';
import { formatDuration } from '../core/units.ts';
import type { AnswerHeaders } from '../http/answered.ts';
import { ClientError, type ClientErrorCode, LONGEST_RAW } from './client-error.ts';
import { type LimitKind, limitKind } from './limit-kind.ts';
import { type ErrorWords, errorWords } from './reading/error-words.ts';
import { isWebPage, parseJson } from './reading/json.ts';
import { askedWaitSec } from './retry-after.ts';

const CODE_BY_STATUS: Readonly<Record<number, ClientErrorCode>> = {
  400: 'invalid',
  401: 'key',
  402: 'plan',
  403: 'plan',
  404: 'not-found',
  405: 'not-found',
  409: 'conflict',
  410: 'not-found',
  413: 'invalid',
  422: 'invalid',
  501: 'not-found',
  429: 'quota',
  503: 'unavailable',
};

/** v1's own word, also where a service calls a key that was never sent invalid. */
const KEY_MISSING = 'api_key_missing';
/** Longer than anybody waits for an answer, or than the client does. */
const NEVER_SEC = 25 * 3_600;

const QUOTA: Readonly<Record<LimitKind | 'unknown', string>> = {
  daily: 'the daily quota of this key is used up',
  rate: 'more questions at once than this key may ask',
  unknown: 'this key has asked as much as it may for now',
};

/** Where the service's own words say all of it: ours before them would say it twice. */
const SAYS_ITSELF: Readonly<Record<LimitKind | 'revoked', RegExp>> = {
  daily: /^(?=.*(day|daily|quota)).*(used up|exhausted|spent)/i,
  rate: /(more than|at most|exceed).*per[\s-]*(second|sec)\b/i,
  revoked: /^th(is|e) key (was|is|has been) (revoked|rotated)\b/i,
};

/** The typed error for an HTTP answer that is not a success. */
export function refusal(
  response: { readonly status: number; readonly headers: AnswerHeaders },
  text: string,
  context: {
    readonly endpoint: string;
    readonly withKey: boolean;
    readonly now: number;
    /** The method, where something was to be changed. */
    readonly write?: string;
  },
): ClientError {
  const said = errorWords(parseJson(text));
  const { status } = response;
  // A service refuses in JSON; a page comes from what stands before it and knows nothing of plans.
  const isGuarded = status === 403 && isWebPage(text);
  const code = isGuarded ? 'server' : (CODE_BY_STATUS[status] ?? 'server');
  const waitSec = askedWaitSec(status, response.headers, context.now);
  const limit = code === 'quota' ? limitKind(said, waitSec) : null;
  const message = isGuarded
    ? 'a proxy or firewall before the service refuses with a web page (403)'
    : sentence(code, status, said, { ...context, limit });
  const isTooLong = waitSec !== null && waitSec > NEVER_SEC;
  return new ClientError(
    code,
    isTooLong ? `${message}; it asks to wait ${formatDuration(waitSec)}` : message,
    {
      endpoint: context.endpoint,
      status,
      retryAfterSec: waitSec,
      limit,
      errorCode: code === 'key' && !context.withKey ? KEY_MISSING : said.errorCode,
      details: said.details,
      raw: text.trim() === '' ? null : cleanText(text, LONGEST_RAW),
    },
  );
}

function sentence(
  code: ClientErrorCode,
  status: number,
  said: ErrorWords,
  {
    endpoint,
    withKey,
    limit,
    write,
  }: {
    readonly endpoint: string;
    readonly withKey: boolean;
    readonly limit: LimitKind | null;
    readonly write?: string;
  },
): string {
  const reason = said.message === '' ? '' : `: ${said.message}`;
  // Only the service knows whether a key was mistyped, rotated, or is one of another service.
  const then = reason === '' ? ':' : `${reason.replace(/[.;]$/, '')};`;
  switch (code) {
    case 'key':
      if (!withKey) return 'the service asks for a key: set GASTOP_API_KEY or put it in the config file';
      return said.errorCode === 'api_key_revoked'
        ? `${told('revoked', 'this key has been revoked', said)}; set another in GASTOP_API_KEY or the config file`
        : `the service refused the key${then} set GASTOP_API_KEY or put it in the config file`;
    case 'plan':
      if (!withKey)
        return `the service does not allow ${endpoint} without a key: set GASTOP_API_KEY or put it in the config file${reason === '' ? '' : ` (its words${reason})`}`;
      return `the plan of this key does not allow ${endpoint}${reason}`;
    case 'not-found':
      if (write !== undefined && (status === 405 || status === 501)) {
        return `the service does not offer ${write.toUpperCase()} ${endpoint}${reason}`;
      }
      return `the service has no ${endpoint}${reason === '' ? '; check the URL' : reason}`;
    case 'invalid':
      if (status === 413) return `this is more than the service takes at once${reason}`;
      return `the service did not accept ${write === undefined ? 'the question' : 'this'}${reason}`;
    case 'conflict':
      // Its own words say what stands in the way, and a line has room for little else.
      return said.message === '' ? 'the service cannot do this as things stand' : said.message;
    case 'quota':
      return limit === null ? `${QUOTA.unknown}${reason}` : told(limit, QUOTA[limit], said);
    case 'unavailable':
      return said.message === '' ? 'the service cannot answer now (503)' : said.message;
    default:
      return `the service failed (${status})${reason}`;
  }
}

/** What happened, in the service's own words where they are enough. */
function told(what: LimitKind | 'revoked', ours: string, { message }: ErrorWords): string {
  const theirs = message.replace(/[.;]$/, '');
  if (theirs === '') return ours;
  return SAYS_ITSELF[what].test(theirs) ? theirs.replace(/^Th/, 'th') : `${ours}: ${theirs}`;
}
