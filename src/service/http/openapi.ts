import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import {
  API_KEY_HEADER,
  BASE_PATH,
  OPENAPI_PATH,
  ROUTE_GROUPS,
  type RouteGroup,
  VERSION,
} from '../../contract/routes.ts';
import { KEY_SCHEME } from './routes/route.ts';

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

const DESCRIPTION = `Gas prices of an EVM chain, now, past and to come.

- Prices per gas are integers in **wei**; whole amounts are decimal strings in wei; names ending in \`Gwei\` are in gwei.
- Times are ISO 8601 in UTC with \`Z\`; durations end in \`Sec\` or \`Ms\`; ratios and probabilities go from 0 to 1.
- A successful \`GET\` has an \`ETag\`; with \`If-None-Match\` the response is 304 while nothing has changed.
- Every refusal carries an \`errorCode\` for programs and a \`message\` that says what to do next.`;

const GROUP_SAYS: Readonly<Record<RouteGroup, string>> = {
  gas: 'What gas costs now, where the price is going, and what to do',
  alerts: 'Word when a price is reached',
  'auto-txs': 'Signed transactions that are broadcast when a price is reached',
  dashboard: 'Responses for screens, and the limits of the key',
  metrics: 'History, blocks and transactions',
};

/** @param baseUrl public URL of the service behind a proxy; by default URLs are relative to the document. */
export function openApiDocument(app: OpenAPIHono, baseUrl?: string): Document {
  const { webhooks: _none, ...document } = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Gas Price Service Public API', version: VERSION, description: DESCRIPTION },
    servers: servers(baseUrl),
    tags: ROUTE_GROUPS.map((name) => ({ name, description: GROUP_SAYS[name] })),
  });
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths ?? {}).map(([path, item]) => [path.slice(BASE_PATH.length), item]),
    ),
    components: {
      schemas: componentSchemas(Object.keys(document.components?.schemas ?? {}), bodiesOf(document)),
      securitySchemes: {
        [KEY_SCHEME]: {
          type: 'apiKey',
          in: 'header',
          name: API_KEY_HEADER,
          description: 'A key of this service: `gastop keys create`',
        },
      },
    },
  };
}

function bodiesOf(document: object): string[] {
  const references = JSON.stringify(document).matchAll(
    /"requestBody":\{[^}]*?"\$ref":"#\/components\/schemas\/(\w+)"/g,
  );
  return [...references].map((match) => match[1] ?? '');
}

function servers(baseUrl: string | undefined) {
  // Relative to the document, so that it is right behind a proxy that adds a path.
  const up = '../'.repeat(OPENAPI_PATH.split('/').length - 2);
  const here = { url: `${up}${BASE_PATH.slice(1)}`, description: 'Where this document is' };
  if (baseUrl === undefined) return [here];
  return [{ url: `${baseUrl.replace(/\/+$/, '')}${BASE_PATH}`, description: 'The public address' }, here];
}

type Schemas = NonNullable<
  NonNullable<ReturnType<OpenAPIHono['getOpenAPI31Document']>['components']>['schemas']
>;
type Schema = Schemas[string];

const PREFIX = '#/components/schemas/';

/** These schemas (`meta({ id })`) and all that they refer to. zod generates them: zod-to-openapi lets a named one be `null` everywhere. */
function componentSchemas(responses: readonly string[], bodies: readonly string[]): Schemas {
  const sent = schemasOf('output');
  const taken = schemasOf('input');
  const found = new Map<string, Schema>();
  function add(name: string): void {
    const named = (bodies.includes(name) ? taken : sent)[name];
    if (found.has(name) || named === undefined) return;
    const { $schema: _dialect, $id: _id, ...schema } = named;
    found.set(name, schema as Schema);
    for (const each of referencesOf(schema)) add(each);
  }
  for (const name of [...responses, ...bodies]) add(name);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const schemaReference = (name: string) => PREFIX + name;

function schemasOf(io: 'input' | 'output') {
  return z.toJSONSchema(z.globalRegistry, {
    io,
    uri: schemaReference,
    override: ({ zodSchema, jsonSchema }) => {
      // `format` suffices; zod's pattern enumerates the days of every month.
      if (zodSchema instanceof z.ZodISODateTime) delete jsonSchema.pattern;
    },
  }).schemas;
}

function referencesOf(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
}
