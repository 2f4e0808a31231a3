import { isHTTPError, isTimeoutError } from 'ky';
import { retryAfterSec } from '../core/retry-after.ts';
import { OF_CERTIFICATE, systemCode, WITHOUT_TLS } from '../core/system-code.ts';
import { cleanText } from '../core/text.ts';
import {
  ClientError,
  type ClientErrorCode,
  type ErrorWords,
  errorWords,
  type LimitKind,
  LONGEST_RAW,
} from './errors.ts';
import { isWebPage, parseJson } from './values.ts';

const RATE_WITHIN_SEC = 120;

function limitKind({ errorCode, message }: ErrorWords, waitSec: number | null): LimitKind | null {
  const words = `${errorCode} ${message}`;
  if (/per[\s_-]*(sec|min)|too[\s_-]*(many|fast)/i.test(words)) return 'rate';
  if (/daily|\bday\b|midnight|quota/i.test(words)) return 'daily';
  if (waitSec === null) return null;
  return waitSec <= RATE_WITHIN_SEC ? 'rate' : 'daily';
}

const STATUSES: Readonly<Record<number, ClientErrorCode>> = {
  ...{ 400: 'invalid', 413: 'invalid', 422: 'invalid', 401: 'key', 402: 'plan', 403: 'plan' },
  ...{ 404: 'not-found', 405: 'not-found', 410: 'not-found', 501: 'not-found' },
  ...{ 409: 'conflict', 429: 'quota', 503: 'unavailable' },
};

const codeOf = (status: number): ClientErrorCode => STATUSES[status] ?? 'server';

const QUOTA: Readonly<Record<LimitKind | 'unknown', string>> = {
  daily: 'the daily quota of this key is used up',
  rate: 'more requests at once than this key may make',
  unknown: 'this key has made as many requests as it may for now',
};

export interface SentRequest {
  readonly url: URL;
  readonly endpoint: string;
  readonly withKey: boolean;
  readonly keyAdvice: string;
  readonly write: string | null;
}

export function refusal({ status, headers, type }: Response, text: string, sent: SentRequest): ClientError {
  const { endpoint, withKey } = sent;
  if ((status >= 300 && status < 400) || type === 'opaqueredirect') return redirection(status, headers, sent);
  const said = errorWords(parseJson(text));
  // A service refuses in JSON; a web page comes from a proxy, which does not know plans.
  const isGuarded = status === 403 && isWebPage(text);
  const code = isGuarded ? 'server' : codeOf(status);
  const waitSec = retryAfterSec(headers.get('retry-after'), Date.now());
  const limit = code === 'quota' ? limitKind(said, waitSec) : null;
  const message = isGuarded
    ? 'a proxy or firewall before the service refuses with a web page (403)'
    : sentence(code, status, said, limit, sent);
  return new ClientError(code, message, {
    ...{ endpoint, status, limit, retryAfterSec: waitSec, details: said.details },
    // v1's code; some services call a missing key invalid.
    errorCode: (code === 'key' && !withKey ? 'api_key_missing' : said.errorCode) || null,
    raw: text.trim() === '' ? null : cleanText(text, LONGEST_RAW),
  });
}

/** Names the target of a redirect: the user decides whether that is the service. */
function redirection(status: number, headers: Headers, { url, endpoint }: SentRequest): ClientError {
  const to = URL.parse(headers.get('location') ?? '', url.href);
  const isElsewhere = to !== null && to.host !== '' && to.origin !== url.origin;
  const message = isElsewhere
    ? `${url.host} redirects to ${cleanText(to.origin, 200)}; if that is right, use it as the URL`
    : // A browser reveals neither target nor status.
      `${url.host} redirects to another ${status === 0 ? 'address' : `path (${status})`}; check the URL`;
  return new ClientError('server', message, { endpoint, status });
}

/** Advice for the user. The service's own message follows, or replaces it when there is little room. */
function sentence(
  code: ClientErrorCode,
  status: number,
  { errorCode, message }: ErrorWords,
  limit: LimitKind | null,
  { endpoint, withKey, keyAdvice, write }: SentRequest,
): string {
  const reason = message === '' ? '' : `: ${message}`;
  switch (code) {
    case 'key': {
      if (!withKey) return `the service asks for a key: ${keyAdvice}`;
      const isRevoked = errorCode === 'api_key_revoked';
      const what = isRevoked ? 'this key has been revoked' : 'the service refused the key';
      return `${what}${reason === '' ? ':' : `${reason.replace(/[.;]$/, '')};`} ${keyAdvice}`;
    }
    case 'plan':
      if (!withKey) return `the service does not allow ${endpoint} without a key: ${keyAdvice}`;
      return `the plan of this key does not allow ${endpoint}${reason}`;
    case 'not-found':
      if (write !== null && (status === 405 || status === 501))
        return `the service does not offer ${write.toUpperCase()} ${endpoint}${reason}`;
      return `the service has no ${endpoint}${reason || '; check the URL'}`;
    case 'invalid':
      if (status === 413) return `this is more than the service takes at once${reason}`;
      return `the service did not accept ${write === null ? 'the request' : 'this'}${reason}`;
    case 'conflict':
      return message || 'the service cannot do this as things stand';
    case 'quota':
      return /used up|more than .* per second/i.test(message)
        ? message
        : `${QUOTA[limit ?? 'unknown']}${reason}`;
    case 'unavailable':
      return message || 'the service cannot answer now (503)';
    default:
      return `the service failed (${status})${reason}`;
  }
}

const FAILURES: readonly (readonly [codes: RegExp, words: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens at HOST: is the service running there?'],
  [/^ENOTFOUND$/, 'no such host: HOST; check the URL'],
  [/^EAI_AGAIN$/, 'HOST could not be looked up: is there a network?'],
  [/^(ECONNRESET|UND_ERR_SOCKET|EPIPE)$/, 'HOST closed the connection'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'HOST did not take the connection'],
  [/^E(HOST|NET)UNREACH$/, 'there is no way to HOST: is there a network?'],
  [WITHOUT_TLS, 'HOST does not speak https; try http://'],
  [/^HPE_/, 'HOST answers, but not as a web service does; check the URL'],
];

const CERTIFICATE_FAULTS: readonly (readonly [codes: RegExp, words: string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'has expired'],
  [/^CERT_NOT_YET_VALID$/, "is not valid yet: is this machine's clock right?"],
  [/^DEPTH_ZERO_SELF/, 'is self-signed; NODE_EXTRA_CA_CERTS can name it as trusted'],
  [/^ERR_TLS_CERT_ALTNAME/, 'is for another host'],
  [OF_CERTIFICATE, 'is not trusted by this machine; NODE_EXTRA_CA_CERTS can name its authority'],
];

const wordsFor = (code: string, table: typeof FAILURES) =>
  table.find(([codes]) => codes.test(code))?.[1] ?? null;

/** `has expired`: the problem with a certificate; `null` for another code. */
export const certificateFault = (code: string) => wordsFor(code, CERTIFICATE_FAULTS);

/** The original error is not the `cause`, because it holds the request with the key. */
export function networkFailure(error: unknown, endpoint: string, host: string): ClientError {
  const code = systemCode(error);
  if (code.startsWith('Z_')) {
    const message = `the response of ${host} is packed wrongly and could not be read`;
    return new ClientError('unreadable', message, { endpoint });
  }
  const fault = certificateFault(code);
  const unknown = `HOST could not be reached${code === '' ? '' : ` (${code})`}`;
  const words = fault === null ? (wordsFor(code, FAILURES) ?? unknown) : `the certificate of HOST ${fault}`;
  return new ClientError(
    'unreachable',
    words.replace('HOST', () => host),
    { endpoint },
  );
}

/** `passedMs` of a request that was too slow, or was aborted for that: the caller's deadline may pass before ours. */
export function abortion(
  error: unknown,
  signal: AbortSignal,
  { url: { host }, endpoint }: SentRequest,
  passedMs: number,
): ClientError | null {
  const isLate = isTimeoutError(error) || signal.reason?.name === 'TimeoutError';
  if (!isLate && !signal.aborted) return null;
  const message = isLate
    ? `${host} did not respond within ${Number((passedMs / 1_000).toPrecision(2))} s`
    : `the request to ${host} was aborted`;
  return new ClientError('unreachable', message, { endpoint });
}

/** No connection, so the request cannot have arrived. */
const NEVER_SENT =
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SSL_.*|ERR_TLS_.*|EPROTO|.*CERT.*|UNABLE_TO_.*)$/;

/** After a refusal a write may be done all the same; some services respond to a successful form with 302 or 303. */
export function mayBeDone(error: unknown): boolean {
  if (!isHTTPError(error)) return !NEVER_SENT.test(systemCode(error));
  const { status } = error.response;
  return status === 302 || status === 303 || (codeOf(status) === 'server' && status >= 500);
}
