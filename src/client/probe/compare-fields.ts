import * as z from 'zod';
import { cleanText } from '../../core/clean-text.ts';
import { ownValue } from '../../core/own-value.ts';
import { keyIndex, normalKey } from '../reading/answer.ts';
import { isRecord, type JsonRecord } from '../reading/json.ts';
import type { ReadingTrace } from '../reading/reading-trace.ts';

const MOST_UNKNOWN = 50;
const MOST_ROWS = 100;

/** An answer's fields against the contract's; lists count as one row that has all that any row has. */
export interface FieldComparison {
  readonly found: readonly string[];
  readonly missing: readonly string[];
  /** There, but their values could not be read. */
  readonly senseless: readonly string[];
  /** Found under another name than the contract's. */
  readonly renamed: readonly { readonly field: string; readonly name: string }[];
  /** The first of those that the contract does not have and nobody looked for. */
  readonly unknown: readonly string[];
  readonly unknownCount: number;
}

/** @param body Where nothing was read of the answer: the answer itself. */
export function compareFields(schema: z.ZodType, body: JsonRecord, trace: ReadingTrace): FieldComparison {
  const found: string[] = [];
  const missing: string[] = [];
  const senseless: string[] = [];
  const renamed: { field: string; name: string }[] = [];
  const unknown: string[] = [];
  let unknownCount = 0;

  const visit = (shape: z.ZodObject, records: readonly JsonRecord[], path: string) => {
    const used = new Set(trace.keysReadAt(path));
    for (const [key, field] of Object.entries(shape.shape)) {
      const place = path === '' ? key : `${path}.${key}`;
      const name = trace.fieldAt(place)?.key ?? spelling(records, key);
      if (name !== null) used.add(name);
      const values = name === null ? [] : records.map((record) => ownValue(record, name));
      visitField(field, key, name, values, place);
    }
    for (const key of new Set(records.flatMap((record) => Object.keys(record)))) {
      if (used.has(key)) continue;
      unknownCount += 1;
      if (unknownCount <= MOST_UNKNOWN) unknown.push(cleanText(path === '' ? key : `${path}.${key}`, 100));
    }
  };

  const visitField = (
    field: unknown,
    key: string,
    name: string | null,
    values: readonly unknown[],
    place: string,
  ) => {
    const { inner, nullable, optional } = unwrapped(field);
    const said = values.filter((value) => value !== undefined && value !== null);
    const rows = trace.recordsAt(`${place}[]`);
    if (said.length === 0 && rows.length === 0) {
      const saidNone = nullable && values.some((value) => value === null);
      if (saidNone) found.push(place);
      else if (!optional) missing.push(place);
      return;
    }
    if (name !== null && normalKey(name) !== normalKey(key))
      renamed.push({ field: place, name: cleanText(name, 60) });
    if (inner instanceof z.ZodObject) {
      const traced = trace.recordsAt(place);
      const children = traced.length > 0 ? traced : said.filter(isRecord);
      if (children.length === 0) senseless.push(place);
      else visit(inner, children, place);
      return;
    }
    const element = inner instanceof z.ZodArray ? unwrapped(inner.element).inner : null;
    if (element instanceof z.ZodObject) {
      const lists = said.filter((value) => Array.isArray(value));
      const children = rows.length > 0 ? rows : lists.flat().slice(0, MOST_ROWS).filter(isRecord);
      if (children.length > 0) visit(element, children, `${place}[]`);
      else (lists.some((list) => list.length === 0) ? found : senseless).push(place);
      return;
    }
    const reading = trace.fieldAt(place);
    (reading?.key != null && !reading.sound ? senseless : found).push(place);
  };

  const { inner } = unwrapped(schema);
  if (inner instanceof z.ZodObject) visit(inner, [trace.recordsAt('').at(-1) ?? body], '');
  return {
    found,
    missing,
    senseless,
    renamed,
    unknown,
    unknownCount,
  };
}

/** The name that `key` has in the first of the records that has it. */
function spelling(records: readonly JsonRecord[], key: string): string | null {
  for (const record of records) {
    const name = keyIndex(record).get(normalKey(key));
    if (name !== undefined) return name;
  }
  return null;
}

function unwrapped(field: unknown): {
  readonly inner: unknown;
  readonly nullable: boolean;
  readonly optional: boolean;
} {
  let inner = field;
  let nullable = false;
  let optional = false;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) {
    if (inner instanceof z.ZodNullable) nullable = true;
    else optional = true;
    inner = inner.unwrap();
  }
  return { inner, nullable, optional };
}
