import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorBody } from '../../contract/api-error.ts';
import type { ErrorCode } from '../../contract/error-status.ts';
import type { RecordedMessage } from './recorded-message.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { bodyBytesOf, type ServerLimits } from './server-limits.ts';

/** A request that is turned away before any route sees it. */
export interface EarlyRefusal {
  readonly status: number;
  readonly body: ErrorBody;
}

const refusal = (status: number, errorCode: ErrorCode, message: string): EarlyRefusal => ({
  status,
  body: { errorCode, message },
});

/** What is wrong with a request by its head alone; `null` if nothing is. `path`: without query and base URL. */
export function refuseHead(
  incoming: IncomingMessage,
  path: string,
  limits: ServerLimits,
): EarlyRefusal | null {
  if ((incoming.url?.length ?? 0) > limits.urlBytes) {
    return refusal(414, 'payload_too_large', `the URL is longer than ${limits.urlBytes} bytes; shorten it`);
  }
  const most = bodyBytesOf({ method: incoming.method, path }, limits);
  if (Number(incoming.headers['content-length'] ?? 0) > most) return bodyTooLarge(most);
  // RFC 9112, 3.2. HTTP/1.0 had no such header.
  if (incoming.headers.host === undefined && incoming.httpVersionMinor > 0) {
    return refusal(400, 'validation_failed', 'an HTTP/1.1 request needs a Host header');
  }
  return null;
}

/** @param most bytes */
export function bodyTooLarge(most: number): EarlyRefusal {
  return refusal(413, 'payload_too_large', `the body of this request has at most ${most} bytes; send less`);
}

export const EXPECTATION_UNKNOWN = refusal(
  417,
  'validation_failed',
  'the only expectation that is met is 100-continue; leave the Expect header away',
);

export const HOST_UNREADABLE = refusal(
  400,
  'validation_failed',
  'the URL or the Host header cannot be read; send them as RFC 9110 says',
);

/** What Node's parser would not take, by its error's code. */
export function refuseUnparsed(code: string | undefined): EarlyRefusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'payload_too_large', 'the headers are too large; send fewer or shorter ones');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refusal(413, 'payload_too_large', 'the chunk extensions are too large; send none');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'validation_failed', 'the request took too long to arrive; send it again');
    default:
      return refusal(400, 'validation_failed', 'this is not HTTP/1.1 that can be read; check what sends it');
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};

/** Answers before any route; the rest of the request is not waited for. */
export function sendRefusal(
  incoming: RecordedMessage,
  outgoing: ServerResponse,
  refusal: EarlyRefusal,
): void {
  const { status, body } = refusal;
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  incoming.record.refused(refusal, bytes);
  outgoing.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': bytes,
    Connection: 'close',
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : text);
}

/** Answers on the bare connection, where there is no response object, and ends it. Answers the body's length. */
export function sendOnSocket(socket: Socket, { status, body }: EarlyRefusal): number {
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? 'Bad Request'}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  socket.destroySoon();
  return bytes;
}
