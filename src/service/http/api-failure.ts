import type { ErrorBody } from '../../contract/api-error.ts';
import type { ErrorCode } from '../../contract/error-status.ts';

/** An answer that is a refusal. Handlers throw it; error-response.ts is the one place that makes it a response. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: ErrorCode;
  readonly details: ErrorBody['details'];
  readonly headers: Readonly<Record<string, string>>;
  /** Only where the code's own status does not fit (405). */
  readonly status: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    extra: {
      readonly details?: ErrorBody['details'];
      readonly headers?: Readonly<Record<string, string>>;
      readonly status?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.details = extra.details;
    this.headers = extra.headers ?? {};
    this.status = extra.status ?? null;
  }
}

/** The refusal of one parameter. */
export function invalidParameter(path: string, message: string): ApiFailure {
  return new ApiFailure('validation_failed', `${path} ${message}`, { details: [{ path, message }] });
}
