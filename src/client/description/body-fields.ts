import { isRecord, type JsonRecord } from '../reading/json.ts';
import { resolved } from './json-pointer.ts';
import { namedValues } from './named-values.ts';
import { line } from './schema-fields.ts';
import type { ParameterDescription } from './service-description.ts';

const MOST_FIELDS = 50;
const DEEPEST = 4;

/** The fields of an operation's body, in its order, with the values that it names for each (of a list: for its items). */
export function bodyFields(document: JsonRecord, operation: JsonRecord): readonly ParameterDescription[] {
  const fields = new Map<string, Set<string>>();
  const visit = (value: unknown, depth: number) => {
    const schema = depth > DEEPEST ? null : resolved(document, value);
    if (schema === null) return;
    for (const join of ['allOf', 'anyOf', 'oneOf']) {
      const parts = schema[join];
      if (Array.isArray(parts)) for (const part of parts.slice(0, MOST_FIELDS)) visit(part, depth + 1);
    }
    if (!isRecord(schema.properties)) return;
    for (const [key, property] of Object.entries(schema.properties)) {
      const name = line(key);
      if (name === null || (fields.size >= MOST_FIELDS && !fields.has(name))) continue;
      const values = fields.get(name) ?? new Set();
      for (const each of namedValues(document, property)) values.add(each);
      fields.set(name, values);
    }
  };
  visit(bodySchema(document, operation), 0);
  return [...fields].map(([name, values]) => ({ name, values: [...values] }));
}

/** OpenAPI 3 has a place for the body, Swagger 2 lists it among the parameters. */
function bodySchema(document: JsonRecord, operation: JsonRecord): unknown {
  const body = resolved(document, operation.requestBody);
  if (body !== null) return isRecord(body.content) ? jsonSchema(document, body.content) : null;
  const parameters: readonly unknown[] = Array.isArray(operation.parameters) ? operation.parameters : [];
  return parameters
    .slice(0, MOST_FIELDS)
    .map((one) => resolved(document, one))
    .find((parameter) => parameter?.in === 'body')?.schema;
}

/** The schema of the JSON among the media types of a body or an answer. */
export function jsonSchema(document: JsonRecord, content: JsonRecord): unknown {
  const type = Object.keys(content).find((name) => name.includes('json')) ?? Object.keys(content)[0];
  return type === undefined ? undefined : resolved(document, content[type])?.schema;
}
