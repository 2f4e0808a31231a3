import { isRecord, type JsonRecord } from '../reading/json.ts';

const MOST_HOPS = 8;
/** Into a place deep in a document that names everything by its path; a longer one leads nowhere. */
const LONGEST_POINTER = 1_000;
const MOST_PARTS = 32;

/**
 * The record that `value` is or refers to with a `$ref` (RFC 6901 behind `#`). Only references within the document
 * are followed, and no more than a few in a row; `null` where that leads to no record.
 */
export function resolved(document: JsonRecord, value: unknown): JsonRecord | null {
  let current = value;
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    if (!isRecord(current)) return null;
    const { $ref } = current;
    if ($ref === undefined) return current;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return null;
    if ($ref.length > LONGEST_POINTER) return null;
    current = pointedAt(document, $ref.slice(2));
  }
  return null;
}

function pointedAt(document: JsonRecord, pointer: string): unknown {
  let value: unknown = document;
  const parts = pointer.split('/');
  if (parts.length > MOST_PARTS) return undefined;
  for (const part of parts) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
