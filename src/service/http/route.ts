import { createRoute } from '@hono/zod-openapi';
import type { z } from 'zod';
import { ErrorBody } from '../../contract/api-error.ts';
import { MetricsError } from '../../contract/metrics.ts';
import { NoParameters } from '../../contract/queries.ts';
import type { V1Route } from '../../contract/routes.ts';
import { describeRoute } from './describe-route.ts';
import { ANYTHING_ELSE, GATE_REFUSALS, notFound, refusal, UPSTREAM_DOWN } from './refusals.ts';

const ETAG = { ETag: { description: 'Changes with the answer', schema: { type: 'string' as const } } };

/** The header of every route that reads. */
export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header' as const,
  description: 'The ETag of an answer that is still at hand: 304 says that it still holds',
  schema: { type: 'string' as const },
};

/** A `GET` route of v1 as a value: its parameters, its answer, and the refusals it may give. */
export function getRoute<
  const Path extends V1Route['path'],
  Query extends z.ZodObject,
  Answer extends z.ZodType,
>(path: Path, summary: string, query: Query, answer: Answer) {
  return createRoute({
    ...describeRoute('get', path, summary),
    parameters: [IF_NONE_MATCH],
    request: { query },
    responses: { ...answers(path, summary, answer), 503: UPSTREAM_DOWN },
  });
}

/** The same for a route of which some sources know nothing at all; `missing` says which. */
export function getKnownRoute<
  const Path extends V1Route['path'],
  Query extends z.ZodObject,
  Answer extends z.ZodType,
>(path: Path, summary: string, query: Query, answer: Answer, missing: string) {
  return createRoute({
    ...describeRoute('get', path, summary),
    parameters: [IF_NONE_MATCH],
    request: { query },
    responses: {
      ...answers(path, summary, answer),
      404: notFound(missing),
      503: UPSTREAM_DOWN,
    },
  });
}

/** A `GET` route about the one thing that its path names; `missing` says when there is no such thing. */
export function getOneRoute<
  const Path extends V1Route['path'],
  Params extends z.ZodObject,
  Answer extends z.ZodType,
>(path: Path, summary: string, params: Params, answer: Answer, missing: string) {
  return createRoute({
    ...describeRoute('get', path, summary),
    parameters: [IF_NONE_MATCH],
    request: { params, query: NoParameters },
    responses: {
      ...answers(path, summary, answer),
      404: notFound(missing),
      503: UPSTREAM_DOWN,
    },
  });
}

/** A `GET` route about the service itself, which needs no chain. */
export function getOwnRoute<
  const Path extends V1Route['path'],
  Query extends z.ZodObject,
  Answer extends z.ZodType,
>(path: Path, summary: string, query: Query, answer: Answer) {
  return createRoute({
    ...describeRoute('get', path, summary),
    parameters: [IF_NONE_MATCH],
    request: { query },
    responses: answers(path, summary, answer),
  });
}

/** The same about the one thing of the service that its path names; `missing` says when there is no such thing. */
export function getOwnOneRoute<
  const Path extends V1Route['path'],
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Answer extends z.ZodType,
>(
  path: Path,
  summary: string,
  parts: {
    readonly params: Params;
    readonly query: Query;
    readonly answer: Answer;
    readonly missing: string;
  },
) {
  const { params, query, answer, missing } = parts;
  return createRoute({
    ...describeRoute('get', path, summary),
    parameters: [IF_NONE_MATCH],
    request: { params, query },
    responses: {
      ...answers(path, summary, answer),
      404: notFound(missing),
    },
  });
}

/** What every route that reads may answer. Each refuses parameters that it does not know. */
export function answers<Answer extends z.ZodType>(path: V1Route['path'], summary: string, answer: Answer) {
  return {
    200: { description: summary, headers: ETAG, content: { 'application/json': { schema: answer } } },
    304: { description: 'Nothing changed since the ETag in If-None-Match', headers: ETAG },
    400: refusal(
      'A parameter is wrong, or is none of this route; `details` names it: `validation_failed`',
      // Metrics say it twice: like every other route, and in their own envelope.
      path.startsWith('/metrics/') ? MetricsError : ErrorBody,
    ),
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  };
}
