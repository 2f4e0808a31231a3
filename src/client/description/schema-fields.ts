import { cleanText } from '../../core/clean-text.ts';
import type { FieldDescription } from '../openapi.ts';
import { isRecord, type JsonRecord } from '../reading/json.ts';
import { joinedSchemas } from './joined-schemas.ts';
import { resolved } from './json-pointer.ts';
import { VisitBudget } from './visit-budget.ts';

const DEEPEST = 8;
/** Of one answer; a document whose references multiply ends here. */
const MOST_SCHEMAS = 2_000;
const LONGEST_TEXT = 200;

/**
 * Every field that a JSON Schema describes, in its order: `lanes`, `lanes.slow`, `points[].base`. Parts put together
 * with `allOf`, `anyOf` and `oneOf` count as one; recursion ends at a depth that no screen shows.
 */
export function schemaFields(
  document: JsonRecord,
  schema: unknown,
  budget = new VisitBudget(),
): readonly FieldDescription[] {
  const fields = new Map<string, FieldDescription>();
  const share = budget.share(MOST_SCHEMAS);
  const visit = (value: unknown, path: string, depth: number) => {
    if (depth > DEEPEST) return;
    for (const record of joinedSchemas(document, value, share)) {
      if (record.items !== undefined) visit(record.items, `${path}[]`, depth + 1);
      if (!isRecord(record.properties)) continue;
      for (const [key, property] of Object.entries(record.properties)) {
        const name = line(key);
        if (name === null || !share.spend()) continue;
        const at = path === '' ? name : `${path}.${name}`;
        if (!fields.has(at)) {
          const said = isRecord(property) ? property : {};
          const target = resolved(document, property) ?? {};
          fields.set(at, {
            path: at,
            title: line(said.title) ?? line(target.title),
            description: line(said.description) ?? line(target.description),
          });
        }
        visit(property, at, depth + 1);
      }
    }
  };
  visit(schema, '', 0);
  return [...fields.values()];
}

/** One clean line of an unknown document; `null`: it says nothing there. */
export function line(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = cleanText(value.slice(0, 2_000), LONGEST_TEXT).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? null : text;
}
