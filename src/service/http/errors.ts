import type { z } from 'zod';
import { ChainError } from '../../chain/chain-source.ts';
import type { FieldProblem } from '../../contract/alert-targets.ts';
import { ERROR_STATUS, type ErrorBody, type ErrorCode, type MetricsError } from '../../contract/api-error.ts';
import type { EtherscanError } from '../../contract/compat.ts';
import { type Checked, fieldProblems } from '../../contract/field-problems.ts';
import { API_KEY_HEADER, BASE_PATH, isEtherscan, PATHS } from '../../contract/routes.ts';
import { withoutKeys } from '../../core/key-text.ts';
import { formatCount } from '../../core/units.ts';
import { StoreError } from '../../store/errors.ts';

interface FailureOptions {
  readonly details?: ErrorBody['details'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly retrySec?: number;
  /** Only if the code's own status does not fit (414). */
  readonly status?: number;
  readonly cause?: unknown;
}

/** A refusal. Handlers throw it; only `errorResponse` turns it into a response. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: ErrorCode;
  readonly details: ErrorBody['details'];
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(
    code: ErrorCode,
    message: string,
    { details, headers = {}, retrySec, status = ERROR_STATUS[code], cause }: FailureOptions = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.details = details;
    this.headers = retrySec === undefined ? headers : { 'Retry-After': String(retrySec), ...headers };
    this.status = status;
  }
}

/** Nothing is wrong with the request: it may be repeated after `retrySec`. */
export const unavailable = (message: string, retrySec: number, details?: ErrorBody['details']): ApiFailure =>
  new ApiFailure('upstream_unavailable', message, { retrySec, details });

/** For work that must not begin, or be written, once nobody waits for its response. @throws {ApiFailure} */
export function requireAwaited(signal: AbortSignal): void {
  if (signal.aborted) throw abandoned();
}

export const abandoned = () =>
  new ApiFailure('upstream_unavailable', 'the request was aborted before its response');

export const conflict = (message: string): ApiFailure => new ApiFailure('conflict', message);

export const notFound = (message: string): ApiFailure => new ApiFailure('not_found', message);

export function invalidField(path: string, message: string): ApiFailure {
  return new ApiFailure('validation_failed', `${path} ${message}`, { details: [{ path, message }] });
}

/** RFC 9110, 11.6.1: a 401 must name the scheme. Browsers show no prompt for this one. */
const CHALLENGE = `ApiKey realm="gastop", header="${API_KEY_HEADER}"`;
const METRICS = `${BASE_PATH}/metrics/`;

/** Turns every error of the service into its response. `chainId` is for the envelope of an invalid metrics window. */
export function errorResponse(error: unknown, request: Request, chainId: number | null): Response {
  const { code: errorCode, message, details, status, headers } = toFailure(error);
  const { pathname, searchParams } = new URL(request.url);
  const isWindow = errorCode === 'validation_failed' && pathname.startsWith(METRICS);
  const given = (name: string) => searchParams.get(name) && shorten(searchParams.get(name) ?? '');
  const window = { chainId, from: given('from'), to: given('to'), data: [{ error: message }] };
  const ofEtherscan = isEtherscan(pathname.replace(BASE_PATH, ''));
  const body: ErrorBody | MetricsError | EtherscanError = {
    ...{ errorCode, message, details, ...(isWindow && window) },
    ...(ofEtherscan && { status: '0', result: message }),
  };
  // A refusal repeats the input; removes keys that were typed in the wrong place.
  const text = withoutKeys(JSON.stringify(body));
  return new Response(text, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(text)),
      ...(status === 401 && { 'WWW-Authenticate': CHALLENGE }),
      ...headers,
    },
  });
}

export function isUnforeseen(error: unknown): boolean {
  return !(error instanceof ApiFailure || error instanceof ChainError || error instanceof StoreError);
}

export function toFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  // A full disk, a lock of another program or a damaged page: the request was valid, and a retry may succeed.
  if (error instanceof ChainError || error instanceof StoreError) return unavailable(error.message, 5);
  return new ApiFailure(
    'internal_error',
    'the service failed on this request; try again, and report it if it stays',
  );
}

/** Limits the response to a nonsensical body. */
const PROBLEMS_MOST = 50;

/** One refusal for all wrong fields of a body, which names each of them. */
function wrongFields(problems: readonly FieldProblem[]): ApiFailure {
  const details = problems
    .slice(0, PROBLEMS_MOST)
    .map(({ path, message }) => ({ path: path.split('.').map(shorten).join('.'), message }));
  const words = details.map(({ path, message }) =>
    path === '' ? `the body ${message}` : `${path} ${message}`,
  );
  const more = problems.length - details.length;
  if (more > 0) words.push(`and ${formatCount(more)} more`);
  return new ApiFailure('validation_failed', words.join('; '), { details });
}

/** What a check of a body has found to be right. @throws {ApiFailure} `validation_failed` */
export function valid<Value>(checked: Checked<Value>): Value {
  if (!checked.ok) throw wrongFields(checked.problems);
  return checked.value;
}

/** The same for parameters. One that is given more than once is a list, which none takes. */
export const wrongParameters = (error: z.core.$ZodError, given: Readonly<Record<string, unknown>>) =>
  wrongFields(
    fieldProblems(error, given, 'parameter of this route').map(({ path, message }) => ({
      path,
      message: Array.isArray(given[path]) ? 'must be given once' : message,
    })),
  );

/** Maximum length of a repeated name: too short for a misplaced signed transaction to be usable. */
const BEGINNING = 15;

/** Repeats a client's name for something, shortened and without secrets. */
export function shorten(key: string): string {
  // Before the cut, which could leave an unrecognised beginning of the secret.
  const text = withoutKeys(key);
  return text.length > 40 ? `${text.slice(0, BEGINNING)}…` : text;
}

const AUTO_TXS = BASE_PATH + PATHS.autoTxs;
/** Hex, base64 or another notation of sixteen bytes; neither a path nor the name of a setting. */
const BYTES = /(?<![\w+=-])(?!GASTOP_[A-Z_]+(?![\w+=-]))[\w+=-]{20,}/g;
const FRAME = /^ +at .*:\d+:\d+\)?$/;

/** On routes that accept signed transactions an error's text may contain a part of one: removes it, and keeps the stack. */
export function withoutBody(error: Error, path: string): Error {
  if (path !== AUTO_TXS && !path.startsWith(`${AUTO_TXS}/`)) return error;
  if (error instanceof StoreError) return new StoreError(error.code, error.message.replace(BYTES, '…'));
  if (!isUnforeseen(error)) return error;
  const bare = new Error('a route of auto-txs failed');
  bare.stack = [String(bare), ...framesOf(error)].join('\n');
  return bare;
}

const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter((line) => FRAME.test(line));
