import { ownValue } from '../core/own-value.ts';
import { cleanText } from '../core/text.ts';
import { formatDuration } from '../core/units.ts';
import { isRecord, isWebPage, parseJson } from './values.ts';

export type ClientErrorCode =
  /** No response came: refused, reset, timed out, name not found. */
  | 'unreachable'
  /** 401: key missing, wrong or revoked. */
  | 'key'
  /** 403: the plan does not allow this. */
  | 'plan'
  | 'not-found'
  /** 400, 413, 422: the service does not accept a parameter or what it was sent. */
  | 'invalid'
  /** 409: the request conflicts with the present state. */
  | 'conflict'
  /** 429 */
  | 'quota'
  /** 503: the service is there, its chain is not. */
  | 'unavailable'
  /** Any other refusal or a failure of the service. */
  | 'server'
  /** A response came but a required field could not be found in it. */
  | 'unreadable';

/** More of a response than anyone reads in an error. */
export const LONGEST_RAW = 2_000;

/** A v1 call that did not work. `message` is one clean line for people; nothing in it repeats the key. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  /** The v1 path that was requested, e.g. `/gas/current`. */
  readonly endpoint: string;
  readonly status: number | null;
  /** What the service asks to wait before the next try (`Retry-After`). */
  readonly retryAfterSec: number | null;
  /** For `quota`: which limit, where the service says so. */
  readonly limit: LimitKind | null;
  /** The service's own word for it, e.g. `api_key_revoked`. */
  readonly errorCode: string | null;
  /** The service's own details, e.g. one line per parameter or per node. */
  readonly details: readonly { readonly path: string; readonly message: string }[];
  /** For `unreadable`: the field that is missing or makes no sense, e.g. `lanes.slow.price`. */
  readonly field: string | null;
  /** The beginning of the response, stripped of control characters, for the raw view; `null`: there was none. */
  readonly raw: string | null;
  /** Of a write whose response never came or cannot be read: it may have been done all the same. Look before trying again. */
  readonly mayBeDone: boolean;

  constructor(
    code: ClientErrorCode,
    message: string,
    context: {
      readonly endpoint: string;
      readonly status?: number | null;
      readonly retryAfterSec?: number | null;
      readonly limit?: LimitKind | null;
      readonly errorCode?: string | null;
      readonly details?: readonly { readonly path: string; readonly message: string }[];
      readonly field?: string | null;
      readonly raw?: string | null;
      readonly mayBeDone?: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: context.cause });
    this.code = code;
    this.endpoint = context.endpoint;
    this.status = context.status ?? null;
    this.retryAfterSec = context.retryAfterSec ?? null;
    this.limit = context.limit ?? null;
    this.errorCode = context.errorCode || null;
    this.details = context.details ?? [];
    this.field = context.field ?? null;
    this.raw = context.raw ?? null;
    this.mayBeDone = context.mayBeDone ?? false;
  }

  /** The same error with what is left of its wait, for requests that wait because of it. */
  waiting(leftSec: number): ClientError {
    return new ClientError(this.code, this.message, { ...this.#context(), retryAfterSec: leftSec });
  }

  /** The same error of a write that may have been done all the same, which its words then say. */
  unsettled(): ClientError {
    const message = `${this.message.replace(/[.;]$/, '')}; it may have been done all the same: look before trying again`;
    return new ClientError(this.code, message, { ...this.#context(), mayBeDone: true });
  }

  #context() {
    const { endpoint, status, retryAfterSec, limit, errorCode, details, field, raw, mayBeDone } = this;
    return { endpoint, status, retryAfterSec, limit, errorCode, details, field, raw, mayBeDone };
  }
}

/** Which limit a `429` speaks of: so many a day, or so many at once. */
export type LimitKind = 'daily' | 'rate';

const RATE =
  /per[\s_-]*(second|sec|minute|min)\b|\/\s?(s|sec|min)\b|too[\s_-]*(many|fast)|slow\s*down|throttl|burst/i;
const DAILY = /daily|\bday\b|per[\s_-]*day|midnight|tomorrow|quota/i;
/** A limit per second asks for a shorter wait, a daily one for a longer. */
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

/** Thirty years: beyond that a number is noise. How long to really wait is the caller's decision. */
const LONGEST_SEC = 1e9;

/**
 * Reads a `Retry-After` header (RFC 9110 §10.2.3): seconds, or an HTTP date.
 *
 * @param now ms since epoch, to measure a date against.
 * @returns Whole seconds, or `null` where the header is absent or makes no sense.
 */
export function retryAfterSec(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (httpDate(text) - now) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_SEC);
}

/** `Date.parse` reads nearly anything (`-1` is a year to it); an HTTP date begins with the day's name. */
function httpDate(text: string): number {
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
}

const LONGEST_MESSAGE = 300;
const MOST_DETAILS = 50;
/** What a service says about its refusal, in the v1 error body or what comes near it. */
export interface ErrorWords {
  readonly errorCode: string;
  readonly message: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];
}

/** The words of an error body: v1's own, the metrics envelope with `data: [{ error }]`, or an `error` of either. */
export function errorWords(body: unknown): ErrorWords {
  const record = isRecord(body) ? body : {};
  const inner = isRecord(record.error) ? record.error : {};
  const row: unknown = Array.isArray(record.data) ? record.data[0] : undefined;
  const { details, errors } = record;
  const messages = [
    record.message,
    inner.message,
    record.error,
    isRecord(row) ? row.error : '',
    record.title,
  ];
  return {
    errorCode: line([record.errorCode, inner.code, record.code].find((code) => typeof code === 'string')),
    message: messages.map(line).find((text) => text !== '') ?? '',
    details: [details, errors]
      .flatMap((list): unknown[] => (Array.isArray(list) ? list.slice(0, MOST_DETAILS) : []))
      .flatMap((detail) => {
        const message = isRecord(detail) ? line(detail.message) : '';
        return isRecord(detail) && message !== ''
          ? [{ path: line(detail.path ?? detail.field), message }]
          : [];
      }),
  };
}

function line(text: unknown): string {
  return typeof text === 'string' ? cleanText(text, LONGEST_MESSAGE).trim() : '';
}

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
/** Longer than the client waits. */
const NEVER_SEC = 25 * 3_600;

const QUOTA: Readonly<Record<LimitKind | 'unknown', string>> = {
  daily: 'the daily quota of this key is used up',
  rate: 'more requests at once than this key may make',
  unknown: 'this key has made as many requests as it may for now',
};

/** Where the service's own words say all of it: ours before them would say it twice. */
const SAYS_ITSELF: Readonly<Record<LimitKind | 'revoked', RegExp>> = {
  daily: /^(?=.*(day|daily|quota)).*(used up|exhausted|spent)/i,
  rate: /(more than|at most|exceed).*per[\s-]*(second|sec)\b/i,
  revoked: /^th(is|e) key (was|is|has been) (revoked|rotated)\b/i,
};

/** The typed error for an HTTP response that is not a success. */
export function refusal(
  response: { readonly status: number; readonly headers: Pick<Headers, 'get'> },
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
  const waitSec = retryAfterSec(response.headers.get('retry-after'), context.now);
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
      return `the service did not accept ${write === undefined ? 'the request' : 'this'}${reason}`;
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

/** One line for what Node's sockets, HTTP and TLS call by code. */
const BY_CODE: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `nothing listens at ${host}: is the service running there?`,
  ENOTFOUND: (host) => `no such host: ${host}; check the URL`,
  EAI_AGAIN: (host) => `${host} could not be looked up: is there a network?`,
  ECONNRESET: (host) => `${host} closed the connection`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection`,
  EPIPE: (host) => `${host} closed the connection`,
  ETIMEDOUT: (host) => `${host} did not take the connection`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} did not take the connection`,
  EHOSTUNREACH: (host) => `there is no way to ${host}: is there a network?`,
  ENETUNREACH: (host) => `there is no way to ${host}: is there a network?`,
  UND_ERR_HEADERS_OVERFLOW: (host) => `${host} responds with more headers than any service needs`,
  ERR_SSL_WRONG_VERSION_NUMBER: (host) => `${host} does not speak https; try http://`,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: (host) => `${host} does not speak https; try http://`,
  CERT_HAS_EXPIRED: (host) => `the certificate of ${host} has expired`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) =>
    `the certificate of ${host} is self-signed; NODE_EXTRA_CA_CERTS can name it as trusted`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    `the certificate of ${host} is self-signed; NODE_EXTRA_CA_CERTS can name it as trusted`,
  CERT_NOT_YET_VALID: (host) => `the certificate of ${host} is not valid yet: is this machine's clock right?`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `the certificate of ${host} is for another host`,
};

function untrusted(host: string): string {
  return `the certificate of ${host} is not signed by an authority that this machine trusts; NODE_EXTRA_CA_CERTS can name its authority`;
}

/**
 * What went wrong before or while a response came. The original error is not kept as `cause`: it holds the request
 * and with it the key.
 */
export function networkFailure(error: unknown, endpoint: string, host: string): ClientError {
  const code = errorCode(error);
  const line = code === null ? undefined : ownValue(BY_CODE, code);
  if (code?.startsWith('Z_')) {
    return new ClientError('unreadable', `the response of ${host} is packed wrongly and could not be read`, {
      endpoint,
    });
  }
  if (line === undefined && code?.startsWith('HPE_')) {
    return new ClientError('unreachable', `${host} answers, but not as a web service does; check the URL`, {
      endpoint,
    });
  }
  const isTls = code !== null && /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code);
  const message =
    line?.(host) ??
    (isTls ? `no secure connection to ${host} came about (${code})` : null) ??
    `${host} could not be reached${code === null ? '' : ` (${code})`}`;
  return new ClientError('unreachable', message, { endpoint });
}

/** No connection came about, so nothing of the request can have arrived. */
const NEVER_SENT =
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SSL_.*|ERR_TLS_.*|EPROTO|.*CERT.*|UNABLE_TO_.*)$/;

/** Whether a request failed before anything of it can have reached its service. */
export function wasNeverSent(error: unknown): boolean {
  return NEVER_SENT.test(errorCode(error) ?? '');
}

/** The chain of causes, outermost first, as far as it goes. */
function* causes(error: unknown): Generator<object> {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    yield current;
    current =
      'cause' in current && current.cause !== undefined
        ? current.cause
        : 'errors' in current && Array.isArray(current.errors)
          ? current.errors[0]
          : undefined;
  }
}

function errorCode(error: unknown): string | null {
  for (const cause of causes(error)) {
    if ('code' in cause && typeof cause.code === 'string') return tlsCode(cause) ?? cleanText(cause.code, 60);
    // undici's parser does not always give the code of what it met.
    if (cause instanceof Error && cause.name === 'HTTPParserError') return 'HPE_UNKNOWN';
  }
  return null;
}

/** What speaks in the clear where TLS was expected; seen while writing, Node has a code for it in its message only. */
function tlsCode(cause: object): string | null {
  if (!('code' in cause && cause.code === 'EPROTO' && cause instanceof Error)) return null;
  return /wrong version number|packet length too long/.test(cause.message)
    ? 'ERR_SSL_WRONG_VERSION_NUMBER'
    : null;
}
