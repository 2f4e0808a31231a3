import { createRoute } from '@hono/zod-openapi';
import type { z } from 'zod';
import { ErrorBody, MetricsError } from '../../../contract/api-error.ts';
import { ADDED_ROUTES, PATHS, V1_ROUTES, type V1Route } from '../../../contract/routes.ts';
import { schemaReference } from '../openapi.ts';

/** Name of the security scheme: the key in its header. */
export const KEY_SCHEME = 'apiKey';

/**
 * The common part of every route in the OpenAPI document. The operation id of a reading route is its path
 * (`gasCurrent`); others start with a verb.
 */
export function describeRoute<const Path extends V1Route['path'], const Method extends V1Route['method']>(
  method: Method,
  path: Path,
  summary: string,
) {
  return {
    method,
    path,
    operationId: operationId(method, path),
    tags: [groupOf(method, path)],
    summary,
    security: [{ [KEY_SCHEME]: [] }],
  };
}

const VERB = { get: '', post: 'post', put: 'put', delete: 'delete' } as const;

function operationId(method: V1Route['method'], path: V1Route['path']): string {
  const name = Object.entries(PATHS).find(([, each]) => each === path)?.[0] ?? path;
  const verb = VERB[method];
  return verb === '' ? name : `${verb}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function groupOf(method: V1Route['method'], path: V1Route['path']): string {
  const route = [...V1_ROUTES, ...ADDED_ROUTES].find((each) => each.method === method && each.path === path);
  if (route === undefined) throw new Error(`${method} ${path} is no route of ours`);
  return route.group;
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before asking again', schema: { type: 'integer' as const } },
};

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'Which header carries the key (RFC 9110)',
    schema: { type: 'string' as const },
  },
};

const refusal = <Body extends z.ZodType>(description: string, body: Body) => ({
  description,
  content: { 'application/json': { schema: body } },
});

export const notFound = (description: string) => refusal(`${description}: \`not_found\``, ErrorBody);

export const conflict = (description: string) => refusal(`${description}: \`conflict\``, ErrorBody);

const retriable = (description: string) => ({ ...refusal(description, ErrorBody), headers: RETRY_AFTER });

/** Refusals of the gate, before any route is reached. */
export const GATE_REFUSALS = {
  401: {
    ...refusal(
      'The key is missing, wrong or revoked: `api_key_missing`, `api_key_invalid`, `api_key_revoked`',
      ErrorBody,
    ),
    headers: CHALLENGE,
  },
  403: refusal("The key's plan does not include this group of routes: `plan_forbidden`", ErrorBody),
  429: retriable("The key's requests for today or for this second are used up: `rate_limit_exceeded`"),
} as const;

export const ANYTHING_ELSE = refusal('Any other refusal or failure; `errorCode` names it', ErrorBody);

const ETAG = { ETag: { description: 'Changes with the response', schema: { type: 'string' as const } } };

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header' as const,
  description: 'The ETag of a cached response: 304 says that it is still current',
  schema: { type: 'string' as const },
};

export const NEEDS_CHAIN = {
  503: retriable('The chain source is down and the request needs it: `upstream_unavailable`'),
} as const;

/** A `GET` route of v1: its parameters, its response, and the refusals `otherwise`. */
export function getRoute<
  const Path extends V1Route['path'],
  Request extends { readonly params?: z.ZodObject; readonly query: z.ZodObject },
  Body extends z.ZodType,
  Otherwise extends object,
>(path: Path, summary: string, request: Request, body: Body, otherwise: Otherwise) {
  return createRoute({
    ...describeRoute('get', path, summary),
    parameters: [IF_NONE_MATCH],
    request,
    responses: { ...okResponse(path, summary, body), ...otherwise },
  });
}

export const chainRoute = <
  const Path extends V1Route['path'],
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  path: Path,
  query: Query,
  body: Body,
  summary: string,
) => getRoute(path, summary, { query }, body, NEEDS_CHAIN);

/** A changing route. `name` and `example` are those of its body, if it has one. */
export function changingRoute<
  const Method extends 'post' | 'put' | 'delete',
  const Path extends V1Route['path'],
  Request extends { readonly params?: z.ZodObject; readonly query: z.ZodObject },
  Responses extends object,
>(
  method: Method,
  path: Path,
  summary: string,
  {
    description,
    body,
    isAddition = false,
    request,
    responses,
  }: {
    readonly description: string;
    readonly body?: { readonly name: string; readonly example: object };
    readonly isAddition?: boolean;
    readonly request: Request;
    readonly responses: Responses;
  },
) {
  return createRoute({
    ...describeRoute(method, path, summary),
    description: isAddition ? `Not part of v1. ${description}` : description,
    ...(isAddition ? { 'x-gastop-addition': true } : {}),
    ...(body === undefined ? {} : takes(body.name, body.example)),
    request,
    responses: { ...responses, ...GATE_REFUSALS, default: ANYTHING_ELSE },
  });
}

/** The responses of every reading route. Each refuses unknown parameters. */
function okResponse<Body extends z.ZodType>(path: V1Route['path'], summary: string, body: Body) {
  return {
    200: { description: summary, headers: ETAG, content: { 'application/json': { schema: body } } },
    304: { description: 'Nothing changed since the ETag in If-None-Match', headers: ETAG },
    400: refusal(
      'A parameter is wrong, or is none of this route; `details` names it: `validation_failed`',
      // Metrics errors have two forms: that of other routes, and their own envelope.
      path.startsWith('/metrics/') ? MetricsError : ErrorBody,
    ),
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  };
}

export const success = <Body extends z.ZodType>(description: string, schema: Body) => ({
  description,
  content: { 'application/json': { schema } },
});

export const made = <Body extends z.ZodType>(description: string, schema: Body) => ({
  ...success(description, schema),
  headers: { Location: { description: 'Its location', schema: { type: 'string' as const } } },
});

/**
 * The body of a route in the document: the name of its schema (`meta({ id })`) and an example. The routes validate it
 * themselves (body.ts): the framework would accept bodies with another content type, and report one problem at a
 * time.
 */
const takes = (name: string, example: object) => ({
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: schemaReference(name) }, example } },
  },
});

export const TOO_LARGE = refusal('The body is too large: `payload_too_large`', ErrorBody);

export const WRONG_PARAMETER = refusal(
  'A parameter is none of this route; `details` names it: `validation_failed`',
  ErrorBody,
);

export const wrongBody = (why: string) =>
  refusal(`${why}; \`details\` names every one of them: \`validation_failed\``, ErrorBody);
