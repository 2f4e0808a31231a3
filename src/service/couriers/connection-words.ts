import { cleanText } from '../../core/clean-text.ts';
import { ForbiddenAddress } from './guarded-lookup.ts';

/** What Node and OpenSSL call it, in words for the log of a delivery. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was cut off',
  EPIPE: 'the connection was cut off',
  ETIMEDOUT: 'no connection came about in time',
  EHOSTUNREACH: 'no way to that host',
  ENETUNREACH: 'no way to that network',
  ENOTFOUND: 'no such host',
  ENODATA: 'no such host',
  EAI_AGAIN: 'the name could not be looked up',
  HPE_HEADER_OVERFLOW: 'more headers than any answer needs',
  EPROTO: 'TLS failed: is that an https server?',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  CERT_NOT_YET_VALID: 'its TLS certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate is signed by nobody known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate is signed by nobody known',
  UNABLE_TO_GET_ISSUER_CERT: 'its TLS certificate is signed by nobody known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its TLS certificate is signed by nobody known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host',
};

/** Why no answer came, without any address or secret that the error may repeat. */
export function connectionWords(error: unknown): string {
  if (error instanceof ForbiddenAddress) return `refused: ${cleanText(error.message, 200)}`;
  const code = errorCode(error);
  if (code === null) return 'no connection came about';
  if (code.startsWith('HPE_')) return BY_CODE[code] ?? 'what answers there is no web server';
  if (/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return BY_CODE[code] ?? `TLS failed (${code})`;
  return BY_CODE[code] ?? `no connection came about (${code})`;
}

/** Of the error or, where several addresses were tried, of the first. */
function errorCode(error: unknown): string | null {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return cleanText(error.code, 60);
}
