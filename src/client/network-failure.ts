import { cleanText } from '../core/clean-text.ts';
import { ownValue } from '../core/own-value.ts';
import { ClientError } from './client-error.ts';

/** One line for what Node's sockets, HTTP and TLS call by code. */
const BY_CODE: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `nothing listens at ${host}: is the service running there?`,
  ENOTFOUND: (host) => `no such host: ${host}; check the URL`,
  EAI_AGAIN: (host) => `${host} could not be looked up: is there a network?`,
  ECONNRESET: (host) => `${host} closed the connection`,
  EPIPE: (host) => `${host} closed the connection`,
  ETIMEDOUT: (host) => `${host} did not take the connection`,
  EHOSTUNREACH: (host) => `there is no way to ${host}: is there a network?`,
  ENETUNREACH: (host) => `there is no way to ${host}: is there a network?`,
  HPE_HEADER_OVERFLOW: (host) => `${host} answers with more headers than any service needs`,
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
  return `the certificate of ${host} is signed by nobody this machine trusts; NODE_EXTRA_CA_CERTS can name its authority`;
}

/**
 * What went wrong before or while an answer came. The original error is not kept as `cause`: it holds the request
 * and with it the key.
 */
export function networkFailure(error: unknown, endpoint: string, host: string): ClientError {
  const code = errorCode(error);
  const line = code === null ? undefined : ownValue(BY_CODE, code);
  if (code?.startsWith('Z_')) {
    return new ClientError('unreadable', `the answer of ${host} is packed wrongly and could not be read`, {
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
    `${host} could not be asked${code === null ? '' : ` (${code})`}`;
  return new ClientError('unreachable', message, { endpoint });
}

/** No connection came about, so that nothing of the question can have arrived. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SSL_.*|ERR_TLS_.*|EPROTO|.*CERT.*|UNABLE_TO_.*)$/;

/** Whether a question failed before anything of it can have reached its service. */
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
