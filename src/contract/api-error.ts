import * as z from 'zod';
import { ERROR_STATUS, type ErrorCode } from './error-status.ts';

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
