import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';

type Schemas = NonNullable<
  NonNullable<ReturnType<OpenAPIHono['getOpenAPI31Document']>['components']>['schemas']
>;
type Schema = Schemas[string];

const PREFIX = '#/components/schemas/';

/**
 * The schemas of these names (`meta({ id })`) and of all that they refer to, as answers carry them. zod writes them
 * itself: zod-to-openapi lets a named schema be `null` everywhere once it may be so in one place.
 */
export function componentSchemas(names: readonly string[]): Schemas {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io: 'output',
    uri: (id) => PREFIX + id,
    override: ({ zodSchema, jsonSchema }) => {
      // `format` says it; zod's pattern for it counts the days of every month.
      if (zodSchema instanceof z.ZodISODateTime) delete jsonSchema.pattern;
    },
  });
  const found = new Map<string, Schema>();
  function add(name: string): void {
    const named = schemas[name];
    if (found.has(name) || named === undefined) return;
    const { $schema: _dialect, $id: _id, ...schema } = named;
    found.set(name, schema as Schema);
    for (const each of referencesOf(schema)) add(each);
  }
  for (const name of names) add(name);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesOf(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
}
