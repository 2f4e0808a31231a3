import * as z from 'zod';
import { ChainId, maybe, text } from './primitives.ts';

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

export const ErrorBody = z
  .object({
    errorCode: z
      .enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]])
      .meta({ id: 'ErrorCode', description: 'What went wrong, for programs' }),
    message: text('What went wrong and what to do next, for people'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('The parameters that are wrong, or the nodes that failed, one by one'),
  })
  .meta({ id: 'ErrorBody', description: 'Every refusal and every failure' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** An invalid metrics window: the error body and, beside it, the known envelope of a hosted service. */
export const MetricsError = ErrorBody.extend({
  chainId: maybe(ChainId, 'null while the service has not reached its chain yet'),
  from: maybe(z.string(), 'As asked, which may be nonsense; null where left out'),
  to: maybe(z.string(), 'As asked, which may be nonsense; null where left out'),
  data: z.array(z.strictObject({ error: z.string() })),
}).meta({ id: 'MetricsError', description: 'An invalid metrics window' });
export type MetricsError = z.infer<typeof MetricsError>;
