import type { JsonRecord } from '../reading/json.ts';
import { resolved } from './json-pointer.ts';
import type { VisitBudget } from './visit-budget.ts';

const JOINS = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * The schemas that one is put together of, parts before the whole and each once, however often it refers to itself.
 *
 * @param seen What was met before and is not met again; it grows.
 */
export function joinedSchemas(
  document: JsonRecord,
  schema: unknown,
  budget: VisitBudget,
  seen = new Set<JsonRecord>(),
): readonly JsonRecord[] {
  const found: JsonRecord[] = [];
  const visit = (value: unknown) => {
    const record = budget.spend() ? resolved(document, value) : null;
    if (record === null || seen.has(record)) return;
    seen.add(record);
    for (const join of JOINS) {
      const parts = record[join];
      if (Array.isArray(parts)) for (const part of parts) visit(part);
    }
    found.push(record);
  };
  visit(schema);
  return found;
}
