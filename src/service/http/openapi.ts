import { z } from 'zod';
import { ERROR_STATUS, ErrorBody, MetricsError } from '../../contract/api-error.ts';
import { EtherscanError } from '../../contract/compat.ts';
import * as v1 from '../../contract/routes.ts';
import { KEY_PARAMETER } from './auth.ts';
import { NEEDS_CHAIN, type Route } from './routes/route.ts';

const DESCRIPTION = `Gas prices of an EVM chain, now, past and to come.

- Prices per gas are integers in **wei**; whole amounts are decimal strings in wei; names ending in \`Gwei\` are in gwei.
- Times are ISO 8601 in UTC with \`Z\`; durations end in \`Sec\` or \`Ms\`; ratios and probabilities go from 0 to 1.
- A successful \`GET\` has an \`ETag\`; with \`If-None-Match\` the response is 304 while nothing has changed.
- Every refusal carries an \`errorCode\` for programs and a \`message\` that says what to do next.`;

const GROUP_SAYS: Readonly<Record<v1.RouteGroup, string>> = {
  gas: 'What gas costs now, where the price is going, and what to do',
  alerts: 'Word when a price is reached',
  'auto-txs': 'Signed transactions that are broadcast when a price is reached',
  dashboard: 'Responses for screens, and the limits of the key',
  metrics: 'History, blocks and transactions',
};

const KEY_SCHEME = 'apiKey';
const AUTHORIZATION_SCHEME = 'authorization';
const QUERY_SCHEME = 'queryKey';

/** The document as JSON. @param baseUrl public URL of the service behind a proxy; by default URLs are relative to the document. */
export function openApiDocument(routes: readonly Route[], baseUrl?: string): string {
  const sent: Schemas = {};
  const taken: Schemas = {};
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: describe(route, sent, taken) };
  }
  // Relative to the document, so that it is right behind a proxy that adds a path.
  const up = '../'.repeat(v1.OPENAPI_PATH.split('/').length - 2);
  const here = { url: `${up}${v1.BASE_PATH.slice(1)}`, description: 'Where this document is' };
  const publicUrl = `${baseUrl?.replace(/\/+$/, '')}${v1.BASE_PATH}`;
  const description = 'A key of this service: `gastop keys create`';
  const scheme = { type: 'apiKey', in: 'header', name: v1.API_KEY_HEADER, description };
  const elsewhere = { description: 'The same key, on the routes in the shape of other services' };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Gas Price Service Public API', version: v1.VERSION, description: DESCRIPTION },
    servers: baseUrl === undefined ? [here] : [{ url: publicUrl, description: 'The public address' }, here],
    tags: v1.ROUTE_GROUPS.map((name) => ({ name, description: GROUP_SAYS[name] })),
    paths,
    components: {
      schemas: { ...taken, ...sent },
      securitySchemes: {
        [KEY_SCHEME]: scheme,
        [AUTHORIZATION_SCHEME]: { type: 'apiKey', in: 'header', name: 'Authorization', ...elsewhere },
        [QUERY_SCHEME]: { type: 'apiKey', in: 'query', name: KEY_PARAMETER, ...elsewhere },
      },
    },
  };
  return JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/');
}

type Schemas = Record<string, object>;

/** The JSON Schema of `schema`; adds those with a name (`meta({ id })`), to which it refers, to `named`. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', named: Schemas) {
  const {
    $schema: _,
    $defs,
    ...own
  } = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema }) {
      const { id: _, ...meta } = z.globalRegistry.get(zodSchema) ?? {};
      // zod leaves out examples and defaults of what a transform takes.
      if (zodSchema instanceof z.ZodPipe || zodSchema instanceof z.ZodUnion) Object.assign(jsonSchema, meta);
      // `format` suffices; zod's pattern enumerates the days of every month. Numbers have none.
      if (zodSchema instanceof z.ZodISODateTime || meta.type !== undefined) delete jsonSchema.pattern;
    },
  });
  Object.assign(named, $defs);
  return own;
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject) {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input', {});
  return Object.entries(properties).map(([name, of]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof of === 'object' && { description: of.description }),
    schema: of,
  }));
}

function describe({ method, path, group, spec }: Route, sent: Schemas, taken: Schemas) {
  const { summary, description = '', params, query, body, isStream } = spec;
  const { response, status = response ? 200 : 204, success = summary, refusals } = spec;
  const hasTag = method === 'get' && !isStream;
  const isAddition = v1.ADDED_ROUTES.some((each) => each.method === method && each.path === path);
  const said = isAddition ? `Not part of v1. ${description}` : description;
  const content = (of: z.ZodType, type = 'application/json') => ({
    content: { [type]: { schema: jsonSchema(of, 'output', sent) } },
  });
  const taking = ({ schema, example }: NonNullable<typeof body>) => ({
    schema: jsonSchema(schema, 'input', taken),
    example,
  });
  const needsChain = !['alerts', 'auto-txs'].includes(group) && path !== v1.PATHS.rateLimits;
  const wrong = body ? WRONG_BODY : hasTag ? WRONG_VALUE : WRONG_NAME;
  const refused = { 400: wrong, ...GATE, ...(needsChain && NEEDS_CHAIN), ...refusals };
  const failure = v1.isEtherscan(path) ? EtherscanError : ErrorBody;
  const refusal = ([code, why]: readonly [string, string]) => {
    const codes = Object.entries(ERROR_STATUS).filter(([, its]) => its === Number(code));
    // Metrics errors have two forms: that of other routes, and their own envelope.
    const schema = code === '400' && group === 'metrics' ? MetricsError : failure;
    const names = codes.map(([name]) => `\`${name}\``).join(', ');
    return [code, { description: `${why}: ${names}`, ...content(schema), ...REFUSAL_HEADERS[code] }];
  };
  return {
    operationId: operationId(method, path),
    tags: [group],
    summary,
    security: [{ [KEY_SCHEME]: [] }, ...(v1.isCompat(path) ? ELSEWHERE : [])],
    ...(said !== '' && { description: said }),
    ...(isAddition && { 'x-gastop-addition': true }),
    parameters: [
      ...(method === 'get' ? [isStream ? LAST_EVENT_ID : IF_NONE_MATCH] : []),
      ...parametersOf('path', params),
      ...parametersOf('query', query),
    ],
    ...(body && { requestBody: { required: true, content: { 'application/json': taking(body) } } }),
    responses: {
      [status]: {
        description: success,
        ...(hasTag && ETAG),
        ...(status === 201 && LOCATION),
        ...(response && content(response, isStream ? 'text/event-stream' : undefined)),
      },
      ...(hasTag && { 304: { description: 'Nothing changed since the ETag in If-None-Match', ...ETAG } }),
      ...Object.fromEntries(Object.entries(refused).map(refusal)),
      default: {
        description: 'Any other refusal or failure; `errorCode` names it',
        ...content(failure),
      },
    },
  };
}

const ELSEWHERE = [{ [AUTHORIZATION_SCHEME]: [] }, { [QUERY_SCHEME]: [] }];

const WRONG_VALUE = 'A parameter is wrong, or is none of this route; `details` names it';
const WRONG_NAME = 'A parameter is none of this route; `details` names it';
const WRONG_BODY = 'The body is no JSON, or its fields are wrong; `details` names every one of them';

/** Refusals before any route is reached. */
const GATE = {
  401: 'The key is missing, wrong or revoked',
  403: "The key's plan does not include this group of routes",
  429: "The key's requests for today or for this second are used up",
};

const header = (name: string, description: string, type = 'string') => ({
  headers: { [name]: { description, schema: { type } } },
});
const ETAG = header('ETag', 'Changes with the response');
const LOCATION = header('Location', 'Its location');
const RETRY_AFTER = header('Retry-After', 'Seconds to wait before asking again', 'integer');
const REFUSAL_HEADERS: Readonly<Record<string, object>> = {
  401: header('WWW-Authenticate', 'Which header carries the key (RFC 9110)'),
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});
const IF_NONE_MATCH = headerParameter(
  'If-None-Match',
  'The ETag of a cached response: 304 says that it is still current',
);
const LAST_EVENT_ID = headerParameter(
  'Last-Event-ID',
  'The `id` of the last event of an earlier stream: its block is not sent again',
);

/** The operation id of a reading route is its path's name (`gasCurrent`); others start with a verb. */
function operationId(method: Route['method'], path: Route['path']): string {
  const name = Object.entries(v1.PATHS).find(([, each]) => each === path)?.[0] ?? path;
  return method === 'get' ? name : `${method}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
