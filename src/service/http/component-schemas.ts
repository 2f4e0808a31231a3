import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';

type Schemas = NonNullable<
  NonNullable<ReturnType<OpenAPIHono['getOpenAPI31Document']>['components']>['schemas']
>;
type Schema = Schemas[string];

const PREFIX = '#/components/schemas/';

/**
 * The schemas of these names (`meta({ id })`) and of all that they refer to, `answers` as they are sent and `bodies` as
 * they are taken, where what has a default may be left out. zod writes them itself: zod-to-openapi lets a named schema
 * be `null` everywhere once it may be so in one place.
 */
export function componentSchemas(answers: readonly string[], bodies: readonly string[]): Schemas {
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
  for (const name of [...answers, ...bodies]) add(name);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How a document refers to the schema of this name. */
export const schemaReference = (name: string) => PREFIX + name;

function schemasOf(io: 'input' | 'output') {
  return z.toJSONSchema(z.globalRegistry, {
    io,
    uri: schemaReference,
    override: ({ zodSchema, jsonSchema }) => {
      // `format` says it; zod's pattern for it counts the days of every month.
      if (zodSchema instanceof z.ZodISODateTime) delete jsonSchema.pattern;
    },
  }).schemas;
}

function referencesOf(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
}
