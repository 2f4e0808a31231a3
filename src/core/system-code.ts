import { cleanText } from './text.ts';

/** `ENOENT` and the like: the first code of Node in the chain of an error's causes, as fetch wraps those of sockets; empty: none. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') {
    // While writing, Node has the code of a plain response to TLS only in its message.
    const isPlain = error.code === 'EPROTO' && /wrong version|packet length/.test(error.message);
    return isPlain ? 'ERR_SSL_WRONG_VERSION_NUMBER' : cleanText(error.code, 60);
  }
  // undici's parser does not always set a code.
  if (error.name === 'HTTPParserError') return 'HPE_UNKNOWN';
  return systemCode(error instanceof AggregateError ? error.errors[0] : error.cause);
}

/** Codes of a certificate that is not trusted, whatever the reason. */
export const OF_CERTIFICATE = /CERT|^UNABLE_TO_/;
/** Codes of a peer that answers TLS with plain text. */
export const WITHOUT_TLS = /^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/;
