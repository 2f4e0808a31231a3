import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_HEADER } from '../../contract/routes.ts';
import { admitTo } from './admit.ts';
import type { Sendable } from './encoded-answer.ts';
import { errorText, isUnforeseen, toFailure } from './error-response.ts';
import type { Gate } from './gate.ts';
import type { Answering } from './kept-answers.ts';
import type { RememberedAnswers } from './remembered-answers.ts';
import { RequestRecord, recordOf } from './request-record.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

export interface QuickParts {
  readonly answers: RememberedAnswers;
  readonly gate: Gate;
  readonly onError: (error: unknown) => void;
}

/**
 * The answer to a `GET` of `target`, a path with its query, that is at hand, after the gate let it through; `null` where the router
 * has to find one. What most requests ask for costs half as much so: no request or response object is made for it.
 */
export function quickAnswer(
  { answers, gate, onError }: QuickParts,
  target: string,
  headers: IncomingHttpHeaders,
  record: RequestRecord,
): Promise<Sendable> | null {
  const answering = foundIn(answers, target);
  if (answering === null) return null;
  const key = headers[API_KEY_HEADER]?.toString();
  const wanted = {
    encoding: headers['accept-encoding']?.toString(),
    noneMatch: headers['if-none-match'],
  };
  const path = target.split('?', 1)[0] ?? target;
  return admitTo(gate, path, key, record)
    .then(async () => (await answering()).choose(wanted))
    .catch((error: unknown) => {
      if (isUnforeseen(error)) onError(error);
      const failure = toFailure(error);
      record.errorCode = failure.code;
      const { text, bytes, init } = errorText(failure);
      const all = { ...SECURITY_HEADERS, ...init.headers };
      return { body: text, bytes, init: { status: init.status, headers: all } };
    });
}

/** The same as a response, for who asks without a socket. */
export async function quickResponse(
  parts: QuickParts,
  request: Request,
  record?: object,
): Promise<Response | null> {
  const { method, url, headers, body } = request;
  if (method !== 'GET' || body !== null || url.includes('?')) return null;
  const known = recordOf(record) ?? new RequestRecord();
  const answer = await quickAnswer(parts, new URL(url).pathname, Object.fromEntries(headers), known);
  if (answer === null) return null;
  known.bytes = answer.bytes;
  return new Response(answer.body, answer.init);
}

/** What fails is left to the router, which says so. */
function foundIn(answers: RememberedAnswers, target: string): Answering | null {
  try {
    return answers.find(target);
  } catch {
    return null;
  }
}
