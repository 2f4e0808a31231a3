import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { z } from 'zod';
import { ERROR_STATUS, ErrorBody, MetricsError } from '../../../contract/api-error.ts';
import { NoParameters } from '../../../contract/queries.ts';
import { ADDED_ROUTES, PATHS, V1_ROUTES, type V1Route } from '../../../contract/routes.ts';
import { routerPath } from '../auth.ts';
import { wrongParameters } from '../errors.ts';
import { schemaReference } from '../openapi.ts';

/** Name of the security scheme: the key in its header. */
export const KEY_SCHEME = 'apiKey';

/** A route as data: what the OpenAPI document says of it, and how its parameters are read. */
interface RouteSpec<Params extends z.ZodObject, Query extends z.ZodObject, Returned extends z.ZodType> {
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  /** Name of the body's schema (`meta({ id })`) and an example; the handler reads the body itself (body.ts). */
  readonly body?: { readonly name: string; readonly example: object };
  /** Default: 200, without `response` 204. */
  readonly status?: 200 | 201 | 202;
  /** What a success means; default: the summary. */
  readonly success?: string;
  /** Schema of the response, or of each event of a stream. */
  readonly response?: Returned;
  readonly isStream?: boolean;
  /** When it refuses, by status; those that every route has are added. */
  readonly refusals?: Readonly<Partial<Record<400 | 404 | 409 | 413 | 503, string>>>;
  /** Returns the body of the response, or a whole response. */
  handle(
    request: ApiRequest<z.output<Params>, z.output<Query>>,
  ): z.output<Returned> | Response | Promise<z.output<Returned> | Response>;
}

interface ApiRequest<Params, Query> {
  readonly c: Context;
  /** The key's public id, empty when no key is needed. */
  readonly owner: string;
  readonly params: Params;
  readonly query: Query;
}

export function serve<
  Returned extends z.ZodType<object | undefined>,
  Params extends z.ZodObject = typeof NoParameters,
  Query extends z.ZodObject = typeof NoParameters,
>(
  app: OpenAPIHono,
  method: V1Route['method'],
  path: V1Route['path'],
  spec: RouteSpec<Params, Query, Returned>,
): void {
  app.openAPIRegistry.registerPath(describe(method, path, spec));
  app.on(method, routerPath(path), async (c) => {
    const query = readParameters(spec.query ?? NoParameters, queryOf(c)) as z.output<Query>;
    const params = readParameters(spec.params ?? NoParameters, c.req.param()) as z.output<Params>;
    const body = await spec.handle({ c, owner: c.get('owner'), params, query });
    if (body instanceof Response) return body;
    return body === undefined ? c.body(null, 204) : c.json(body, spec.status ?? 200);
  });
}

/** @throws {ApiFailure} `validation_failed`, with each wrong and each unknown parameter by name. */
export function readParameters<Schema extends z.ZodObject>(schema: Schema, given: unknown) {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw wrongParameters(parsed.error);
  return parsed.data;
}

/** A parameter that is given more than once is a list, which no schema takes. */
export const queryOf = (c: Context) =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );

function describe(
  method: V1Route['method'],
  path: V1Route['path'],
  {
    isStream = false,
    response,
    status,
    ...spec
  }: Omit<RouteSpec<z.ZodObject, z.ZodObject, z.ZodType>, 'handle'>,
) {
  const { summary, description = '', params, query = NoParameters, body, refusals = {} } = spec;
  const hasTag = method === 'get' && !isStream;
  const isAddition = ADDED_ROUTES.some((each) => each.method === method && each.path === path);
  return {
    method,
    path,
    operationId: operationId(method, path),
    tags: [groupOf(method, path)],
    summary,
    security: [{ [KEY_SCHEME]: [] }],
    ...(isAddition && { description: `Not part of v1. ${description}`, 'x-gastop-addition': true }),
    ...(!isAddition && description !== '' && { description }),
    ...(method === 'get' && { parameters: [isStream ? LAST_EVENT_ID : IF_NONE_MATCH] }),
    ...(body && { requestBody: requestBody(body) }),
    request: params === undefined ? { query } : { params, query },
    responses: {
      [status ?? (response ? 200 : 204)]: {
        description: spec.success ?? summary,
        ...(hasTag && { headers: ETAG }),
        ...(status === 201 && { headers: LOCATION }),
        ...(response && {
          content: { [isStream ? 'text/event-stream' : 'application/json']: { schema: response } },
        }),
      },
      ...(hasTag && {
        304: { description: 'Nothing changed since the ETag in If-None-Match', headers: ETAG },
      }),
      ...Object.fromEntries(
        Object.entries({
          400: body ? WRONG_BODY : hasTag ? WRONG_VALUE : WRONG_NAME,
          ...GATE,
          ...refusals,
        }).map(([code, why]) => [code, refusal(Number(code), why, path)]),
      ),
      default: {
        description: 'Any other refusal or failure; `errorCode` names it',
        content: { 'application/json': { schema: ErrorBody } },
      },
    },
  };
}

const WRONG_VALUE = 'A parameter is wrong, or is none of this route; `details` names it';
const WRONG_NAME = 'A parameter is none of this route; `details` names it';
const WRONG_BODY = 'The body is no JSON, or its fields are wrong; `details` names every one of them';

/** Refusals before any route is reached. */
const GATE = {
  401: 'The key is missing, wrong or revoked',
  403: "The key's plan does not include this group of routes",
  429: "The key's requests for today or for this second are used up",
};

export const NEEDS_CHAIN = { 503: 'The chain source is down and the request needs it' };

function refusal(status: number, why: string, path: string) {
  const codes = Object.entries(ERROR_STATUS).flatMap(([code, its]) =>
    its === status ? [`\`${code}\``] : [],
  );
  // Metrics errors have two forms: that of other routes, and their own envelope.
  const schema = status === 400 && path.startsWith('/metrics/') ? MetricsError : ErrorBody;
  return {
    description: `${why}: ${codes.join(', ')}`,
    content: { 'application/json': { schema } },
    ...(status === 401 && { headers: CHALLENGE }),
    ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
  };
}

const header = (name: string, description: string, type: 'string' | 'integer' = 'string') => ({
  [name]: { description, schema: { type } },
});
const ETAG = header('ETag', 'Changes with the response');
const LOCATION = header('Location', 'Its location');
const CHALLENGE = header('WWW-Authenticate', 'Which header carries the key (RFC 9110)');
const RETRY_AFTER = header('Retry-After', 'Seconds to wait before asking again', 'integer');

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header' as const,
  description,
  schema: { type: 'string' as const },
});
const IF_NONE_MATCH = headerParameter(
  'If-None-Match',
  'The ETag of a cached response: 304 says that it is still current',
);
const LAST_EVENT_ID = headerParameter(
  'Last-Event-ID',
  'The `id` of the last event of an earlier stream: its block is not sent again',
);

const requestBody = ({ name, example }: { readonly name: string; readonly example: object }) => ({
  required: true,
  content: { 'application/json': { schema: { $ref: schemaReference(name) }, example } },
});

const VERB = { get: '', post: 'post', put: 'put', delete: 'delete' } as const;

/** The operation id of a reading route is its path (`gasCurrent`); others start with a verb. */
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
