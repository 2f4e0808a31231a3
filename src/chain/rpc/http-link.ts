import { getHttpRpcClient } from 'viem/utils';
import { ChainError } from '../errors.ts';
import { DeadlineError, withDeadline } from './deadline.ts';
import {
  connectionFailure,
  notJsonFailure,
  statusFailure,
  systemCode,
  timeoutFailure,
  tooLargeFailure,
} from './failure.ts';
import { type JsonRpcLink, MAX_ANSWER_BYTES, resultOf } from './link.ts';
import { createRedaction } from './redaction.ts';

/** JSON-RPC over http(s). Idle sockets are the platform's: it closes them after seconds and they hold nothing up. */
export function createHttpLink(
  url: URL,
  options: { readonly name: string; readonly timeoutMs: number; readonly maxAnswerBytes?: number },
): JsonRpcLink {
  const { name, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const redact = createRedaction(url);
  const client = getHttpRpcClient(url.href, {
    maxResponseBodySize: maxAnswerBytes,
    // The deadline below covers the body as well, which viem's own does not.
    timeout: 0,
  });
  return {
    request: (method, params, { signal, timeoutMs = options.timeoutMs } = {}) =>
      withDeadline(timeoutMs, signal, async (inner) => {
        let answer: unknown;
        let status = 200;
        try {
          answer = await client.request({
            body: { method, params },
            onResponse: (response) => {
              status = response.status;
              refuseUnread(response, name);
            },
            // A redirect would carry keys and signed bytes to a host nobody chose.
            fetchOptions: { signal: inner, redirect: 'manual' },
          });
        } catch (error) {
          if (inner.reason instanceof DeadlineError) throw timeoutFailure(name, timeoutMs);
          if (signal?.aborted) throw signal.reason;
          throw httpFailure(error, name, { status, maxAnswerBytes });
        }
        return resultOf(answer, { name, redact }, method);
      }),
    subscribeHeads: null,
    close: () => {},
  };
}

/** Answers whose body needs no reading. */
function refuseUnread(response: Response, name: string): void {
  if (response.status >= 300 && response.status < 400) throw statusFailure(name, response.status);
  if (!response.ok || !/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) return;
  throw new ChainError(
    'bad-answer',
    `${name} answers with a web page: is that the address of a JSON-RPC node?`,
  );
}

/** viem's errors carry the address and the request's body, so nothing of them goes on but what is read here. */
function httpFailure(
  error: unknown,
  name: string,
  { status, maxAnswerBytes }: { readonly status: number; readonly maxAnswerBytes: number },
): ChainError {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++) {
    if (each instanceof ChainError) return each;
    if (each.name === 'ResponseBodyTooLargeError') return tooLargeFailure(name, maxAnswerBytes);
    if ('status' in each && typeof each.status === 'number') return statusFailure(name, each.status);
    if (each instanceof SyntaxError)
      return status >= 400 ? statusFailure(name, status) : notJsonFailure(name);
  }
  return connectionFailure(name, systemCode(error));
}
