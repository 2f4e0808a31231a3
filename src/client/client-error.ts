import type { LimitKind } from './limit-kind.ts';

export type ClientErrorCode =
  /** Nothing answered: refused, reset, timed out, name not found. */
  | 'unreachable'
  /** 401: key missing, wrong or revoked. */
  | 'key'
  /** 403: the plan does not allow this. */
  | 'plan'
  | 'not-found'
  /** 400, 413, 422: the service does not accept a parameter or what it was sent. */
  | 'invalid'
  /** 409: what was asked for does not go with how things stand. */
  | 'conflict'
  /** 429 */
  | 'quota'
  /** 503: the service is there, its chain is not. */
  | 'unavailable'
  /** Any other refusal or a failure of the service. */
  | 'server'
  /** An answer came but a required field could not be found in it. */
  | 'unreadable';

/** More of the service's own answer than anybody reads in an error. */
export const LONGEST_RAW = 2_000;

/** A v1 call that did not work. `message` is one clean line for people; nothing in it repeats the key. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  /** The v1 path that was asked, e.g. `/gas/current`. */
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
  /** The beginning of the answer, stripped of control characters, for the raw view; `null`: there was none. */
  readonly raw: string | null;
  /** Of a write whose answer never came or cannot be read: it may have been done all the same. Look before asking again. */
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

  /** The same error with what is left of its wait, for questions that are held back because of it. */
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
