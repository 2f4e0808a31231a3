import type { ParameterDescription } from '../openapi.ts';
import { isRecord, type JsonRecord } from '../reading/json.ts';
import { joinedSchemas } from './joined-schemas.ts';
import { resolved } from './json-pointer.ts';
import { namedValues } from './named-values.ts';
import { line } from './schema-fields.ts';
import { VisitBudget } from './visit-budget.ts';

const MOST_FIELDS = 50;

/** The fields of an operation's body, in its order, with the values that it names for each (of a list: for its items). */
export function bodyFields(
  document: JsonRecord,
  operation: JsonRecord,
  budget = new VisitBudget(),
): readonly ParameterDescription[] {
  const fields = new Map<string, Set<string>>();
  for (const { properties } of joinedSchemas(document, bodySchema(document, operation), budget.share())) {
    if (!isRecord(properties)) continue;
    for (const [key, property] of Object.entries(properties)) {
      const name = line(key);
      if (name === null || (fields.size >= MOST_FIELDS && !fields.has(name))) continue;
      const values = fields.get(name) ?? new Set();
      for (const each of namedValues(document, property, budget)) values.add(each);
      fields.set(name, values);
    }
  }
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
