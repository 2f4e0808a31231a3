/** Every error code of v1 and the HTTP status that carries it. */
export const ERROR_STATUS = {
  validation_failed: 400,
  api_key_missing: 401,
  api_key_invalid: 401,
  api_key_revoked: 401,
  plan_forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  rate_limit_exceeded: 429,
  internal_error: 500,
  upstream_unavailable: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;
