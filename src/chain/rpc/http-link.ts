import type { Answered } from '../../http/answered.ts';
import { askOverHttp } from '../../http/ask-over-http.ts';
import { BodyTooLarge, readBody } from '../../http/read-body.ts';
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

const HEADERS = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'gastop' };

/** JSON-RPC over http(s). Idle sockets are the platform's: it closes them after seconds and they hold nothing up. */
export function createHttpLink(
  url: URL,
  options: { readonly name: string; readonly timeoutMs: number; readonly maxAnswerBytes?: number },
): JsonRpcLink {
  const { name, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const redact = createRedaction(url);
  let lastId = 0;
  return {
    request: (method, params, { signal, timeoutMs = options.timeoutMs } = {}) =>
      withDeadline(timeoutMs, signal, async (inner) => {
        let answer: unknown;
        try {
          lastId += 1;
          const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params });
          // A redirect is not followed: it would carry keys and signed bytes to a host nobody chose.
          const answered = await askOverHttp({ url, method: 'post', headers: HEADERS, body, signal: inner });
          answer = await readJson(answered, name, maxAnswerBytes);
        } catch (error) {
          if (inner.reason instanceof DeadlineError) throw timeoutFailure(name, timeoutMs);
          if (signal?.aborted) throw signal.reason;
          if (error instanceof ChainError) throw error;
          if (error instanceof BodyTooLarge) throw tooLargeFailure(name, maxAnswerBytes);
          throw connectionFailure(name, systemCode(error));
        }
        return resultOf(answer, { name, redact }, method);
      }),
    subscribeHeads: null,
    close: () => {},
  };
}

/** What it answers as JSON. With a status that says no, that is an error which JSON-RPC knows, or the status is told. */
async function readJson(answered: Answered, name: string, maxBytes: number): Promise<unknown> {
  const { status, headers } = answered;
  const isOk = status >= 200 && status < 300;
  if (status >= 300 && status < 400) throw statusFailure(name, status);
  if (isOk && /^text\/html\b/i.test(headers.get('content-type') ?? '')) {
    throw new ChainError(
      'bad-answer',
      `${name} answers with a web page: is that the address of a JSON-RPC node?`,
    );
  }
  const answer = parsed(await readBody(answered, maxBytes, { lenient: true }));
  if (!isOk && !isRpcError(answer)) throw statusFailure(name, status);
  if (answer === undefined) throw notJsonFailure(name);
  return answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRpcError(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return false;
  const { error } = answer;
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'number' &&
    'message' in error &&
    typeof error.message === 'string'
  );
}
