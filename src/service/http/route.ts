import { createRoute } from '@hono/zod-openapi';
import type { z } from 'zod';
import { ErrorBody } from '../../contract/api-error.ts';

const error = (description: string) => ({
  description,
  content: { 'application/json': { schema: ErrorBody } },
});

/** A `GET` route of v1 as a value: its parameters, its answer, and the refusals that every route shares. */
export function getRoute<const Path extends string, Query extends z.ZodObject, Answer extends z.ZodType>(
  path: Path,
  summary: string,
  query: Query,
  answer: Answer,
) {
  return createRoute({
    method: 'get',
    path,
    summary,
    request: { query },
    responses: {
      200: { description: summary, content: { 'application/json': { schema: answer } } },
      304: { description: 'Nothing changed since the ETag in If-None-Match' },
      400: error('A parameter is wrong; details name it'),
      404: error('There is no such route'),
      500: error('The service failed'),
      503: error('The chain source is down and the question needs it'),
    },
  });
}
