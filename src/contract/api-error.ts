import * as z from 'zod';
import { ERROR_STATUS, type ErrorCode } from './error-status.ts';
import { ChainId } from './primitives.ts';

const ErrorCodeSchema = z
  .enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]])
  .meta({ id: 'ErrorCode', description: 'What went wrong, for programs' });

export const ErrorBody = z
  .object({
    errorCode: ErrorCodeSchema,
    message: z.string().describe('What went wrong and what to do next, for people'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('The parameters that are wrong, or the nodes that failed, one by one'),
  })
  .meta({ id: 'ErrorBody', description: 'Every refusal and every failure' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** A metrics window that cannot be answered: the error body and, beside it, the envelope known of a hosted service. */
export const MetricsError = ErrorBody.extend({
  chainId: ChainId.nullable().describe('null while the service has not reached its chain yet'),
  from: z.string().nullable().describe('As asked, which may be nonsense; null where left out'),
  to: z.string().nullable().describe('As asked, which may be nonsense; null where left out'),
  data: z.array(z.strictObject({ error: z.string() })),
}).meta({ id: 'MetricsError', description: 'A metrics question that cannot be answered as it was asked' });
export type MetricsError = z.infer<typeof MetricsError>;
