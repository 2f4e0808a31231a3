import { ChainError } from '../../chain/errors.ts';
import type { ErrorBody } from '../../contract/api-error.ts';
import { ERROR_STATUS } from '../../contract/error-status.ts';
import type { MetricsError } from '../../contract/metrics.ts';
import { API_KEY_HEADER, BASE_PATH } from '../../contract/routes.ts';
import { withoutKeys } from '../../core/key-text.ts';
import { StoreError } from '../../store/store-error.ts';
import { ApiFailure } from './api-failure.ts';
import { shorten } from './check-parameters.ts';

/** RFC 9110, 11.6.1: who is refused for lack of credentials is told which. Browsers ask nobody for this scheme. */
const CHALLENGE = `ApiKey realm="gastop", header="${API_KEY_HEADER}"`;
const METRICS = `${BASE_PATH}/metrics/`;

/** Every error of the service becomes its response here. `chainId` is for the envelope of a bad metrics window. */
export function errorResponse(error: unknown, request: Request, chainId: number | null): Response {
  const failure = toFailure(error);
  const { text, init } = errorText(failure, withEnvelope(bodyOf(failure), new URL(request.url), chainId));
  return new Response(text, init);
}

/** What a failure says, as it is sent. */
export function errorText(failure: ApiFailure, body: object = bodyOf(failure)) {
  // A refusal repeats what was typed; a key that was typed in the wrong place goes no further.
  const text = withoutKeys(JSON.stringify(body));
  const status = failure.status ?? ERROR_STATUS[failure.code];
  const bytes = Buffer.byteLength(text);
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'Content-Length': String(bytes),
    ...(status === 401 ? { 'WWW-Authenticate': CHALLENGE } : {}),
    ...failure.headers,
  };
  return { text, bytes, init: { status, headers } };
}

function bodyOf({ code, message, details }: ApiFailure): ErrorBody {
  return details === undefined ? { errorCode: code, message } : { errorCode: code, message, details };
}

/** Whether nobody foresaw it, so that somebody should be told. */
export function isUnforeseen(error: unknown): boolean {
  return !(error instanceof ApiFailure || error instanceof ChainError || error instanceof StoreError);
}

/** What an error says to whoever asked. */
export function toFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (error instanceof ChainError) {
    return new ApiFailure('upstream_unavailable', error.message, { headers: { 'Retry-After': '5' } });
  }
  if (error instanceof StoreError) return new ApiFailure('internal_error', error.message);
  return new ApiFailure(
    'internal_error',
    'the service failed on this question; ask again, and report it if it stays',
  );
}

function withEnvelope(body: ErrorBody, url: URL, chainId: number | null): ErrorBody | MetricsError {
  if (body.errorCode !== 'validation_failed' || !url.pathname.startsWith(METRICS)) return body;
  return {
    ...body,
    chainId,
    from: said(url, 'from'),
    to: said(url, 'to'),
    data: [{ error: body.message }],
  };
}

function said(url: URL, name: string): string | null {
  const text = url.searchParams.get(name);
  return text === null ? null : shorten(text);
}
