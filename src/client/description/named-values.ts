import { cleanText } from '../../core/clean-text.ts';
import type { JsonRecord } from '../reading/json.ts';
import { joinedSchemas } from './joined-schemas.ts';
import { VisitBudget } from './visit-budget.ts';

const MOST_VALUES = 24;
/** A longer word is no choice that anybody would cycle through. */
const LONGEST_VALUE = 24;

/** The values that a parameter's schema names, in its order and spelling: `enum`, `const`, and joins of them. */
export function namedValues(
  document: JsonRecord,
  schema: unknown,
  budget = new VisitBudget(),
): readonly string[] {
  const values = new Set<string>();
  const share = budget.share();
  const seen = new Set<JsonRecord>();
  const visit = (value: unknown) => {
    const records = joinedSchemas(document, value, share, seen);
    for (const record of records) {
      const named: readonly unknown[] = Array.isArray(record.enum) ? record.enum : [record.const];
      for (const one of named) {
        if (values.size >= MOST_VALUES || !share.spend()) break;
        if (typeof one !== 'string' && typeof one !== 'number') continue;
        const text = String(one);
        // It is sent as it stands, so a value that cannot be shown as it stands is not offered.
        if (text.length <= LONGEST_VALUE && cleanText(text).trim() === text && text !== '') values.add(text);
      }
    }
    for (const { items } of records) if (items !== undefined) visit(items);
  };
  visit(schema);
  return [...values];
}
