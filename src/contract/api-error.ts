import * as z from 'zod';

/** Every error code of v1 and the HTTP status that carries it. */
export const ERROR_STATUS = {
  validation_failed: 400,
  api_key_missing: 401,
  api_key_invalid: 401,
  api_key_revoked: 401,
  plan_forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  rate_limit_exceeded: 429,
  internal_error: 500,
  upstream_unavailable: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

export const ErrorBody = z.object({
  errorCode: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  /** Says what to do next. */
  message: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
