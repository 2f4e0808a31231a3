import { cleanText } from '../../core/clean-text.ts';
import type { JsonRecord } from '../reading/json.ts';
import { resolved } from './json-pointer.ts';

const MOST_VALUES = 24;
/** A longer word is no choice that anybody would cycle through. */
const LONGEST_VALUE = 24;
const DEEPEST = 4;

/** The values that a parameter's schema names, in its order and spelling: `enum`, `const`, and joins of them. */
export function namedValues(document: JsonRecord, schema: unknown): readonly string[] {
  const values = new Set<string>();
  const visit = (value: unknown, depth: number) => {
    const record = depth > DEEPEST ? null : resolved(document, value);
    if (record === null) return;
    const named: readonly unknown[] = Array.isArray(record.enum) ? record.enum : [record.const];
    for (const one of named.slice(0, 200)) {
      if (typeof one !== 'string' && typeof one !== 'number') continue;
      const text = String(one);
      // It is sent as it stands, so a value that cannot be shown as it stands is not offered.
      const plain = text.length <= LONGEST_VALUE && cleanText(text).trim() === text && text !== '';
      if (plain && values.size < MOST_VALUES) values.add(text);
    }
    for (const join of ['anyOf', 'oneOf', 'allOf']) {
      const parts = record[join];
      if (Array.isArray(parts)) for (const part of parts.slice(0, MOST_VALUES)) visit(part, depth + 1);
    }
    if (record.items !== undefined) visit(record.items, depth + 1);
  };
  visit(schema, 0);
  return [...values];
}
